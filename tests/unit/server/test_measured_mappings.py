"""What is measured of a nest whose recommended kernel has a team per row: that, and launches of its own order."""

from support.cuda_on_cpu.analysed import analysed
from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.ports import contexts
from warplens.analysis.ports.fix import AS_PREDICTED, LaunchWish
from warplens.server.measure.kernel_times.measure_nest import Subject, planned_nest

ROWS = """void rows(int n, int m, const float *restrict a, float *restrict y)
{
    // warplens: n = 1024, m = 4096
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k < m; k++)
            s += a[i * m + k];
        y[i] = s;
    }
}
"""


def test_a_wished_launch_is_planned_beside_the_recommended_team() -> None:
    case = Case("rows", ROWS, function="rows")
    ((_, context),) = contexts(case, analysed(case))
    assert context.evaluation.kernels[0].kernel.team is not None
    subject = Subject(context, "rows.c", 4, "a100", "2026-01-01", ())
    planned = planned_nest(subject, (AS_PREDICTED, LaunchWish((96, 1, 1))))
    assert [each.refusal for each in planned.outcomes] == ["", ""]
    team, plain = planned.sources
    assert "__shfl_xor_sync" in team.cuda
    assert "__shfl_xor_sync" not in plain.cuda
    first, second = (dict(each.measured.predicted_s) for each in planned.outcomes if each.measured)
    assert 0 < first["resios"] < second["resios"]
