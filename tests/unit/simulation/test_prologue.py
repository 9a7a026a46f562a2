"""Each thread computes its index and tests it before anything else."""

import pytest
from warplens.analysis.simulation.operation import Operation, Trace
from warplens.analysis.simulation.prologue import with_prologue
from warplens.hwprofiles.loader import load_gpu

_WORK = Operation("compute", 1.0, 10.0, (1.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_issue_grows_with_the_dimensions_and_latency_does_not(dimensions: int) -> None:
    gpu = load_gpu("a100")
    trace = with_prologue(Trace((_WORK,), 8, 2.0), dimensions, gpu)
    first, second = trace.operations
    mad, compare = gpu.timing("int_mad"), gpu.timing("compare")
    assert second == _WORK
    assert first.delay_cycles == mad.latency_cycles + compare.latency_cycles
    per_dimension = 32 / mad.results_per_cycle_per_sm + 32 / compare.results_per_cycle_per_sm
    assert first.pipe_cycles[0] == pytest.approx(dimensions * per_dimension)


def test_no_work_stays_no_work() -> None:
    assert with_prologue(Trace((), 8, 2.0), 1, load_gpu("a100")).operations == ()
