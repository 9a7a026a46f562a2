"""Memory that fits a nest, random values that keep it inside, and the program that runs the C and ports of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.fix_fixtures.contexts import contexts
from warplens.analysis.engine.report import Report
from warplens.analysis.ports.fix import FixContext, LaunchWish
from warplens.analysis.text.span import Span
from warplens.server.measure.kernel_times import measure_nest as measuring
from warplens.server.measure.kernel_times.harness_run import Machine, Plan
from warplens.server.measure.kernel_times.measure_nest import Outcome, Subject, measure_nest
from warplens.server.measure.kernel_times.memory_plan import NoMemoryPlanError, PlannedArray, memory_plan
from warplens.server.measure.kernel_times.signature import SignatureError, signature_of
from warplens.server.measure.kernel_times.toolchain import BuildError
from warplens.server.programs.programs import ANYWHERE

pytestmark = pytest.mark.compiled

ON_CPU = Path(__file__).parents[2] / "support" / "cuda_on_cpu"
AnalyseC = Callable[..., Report]


def context_of(source: str, analyse_c: AnalyseC) -> FixContext:
    (context,) = contexts(source, analyse_c(source))
    return context


def plan_of(source: str, analyse_c: AnalyseC) -> dict[str, PlannedArray]:
    evaluation = context_of(source, analyse_c).evaluation
    return {array.name: array for array in memory_plan(evaluation.facts, dict(evaluation.sizes))}


def test_memory_is_as_large_as_what_is_declared_or_reached(analyse_c: AnalyseC) -> None:
    plan = plan_of(
        "struct p { double x; float v[3]; char k; };\n"
        "void f(int n, int m, float a[n][m], const float *restrict b, struct p *restrict q, double *restrict t) {\n"
        "    // warplens: n = 10, m = 7\n"
        "    for (int i = 0; i < n; i++)\n"
        "        for (int j = i; j < m; j++) {\n"
        "            a[i][j] = b[3 * i + j + 2]; q[i].x = j; t[(n - 1 - i) * m + j] = 1; }\n}\n",
        analyse_c,
    )
    assert {name: (array.elements, array.is_written) for name, array in plan.items()} == {
        "a": (70, True), "b": (3 * 9 + 6 + 2 + 1, False), "q": (10, True), "t": (70, True),
    }  # fmt: skip
    leaves = [(leaf.label, leaf.offset_bytes, leaf.stride_bytes, leaf.count) for leaf in plan["q"].leaves]
    assert leaves == [
        ("q.x", 0, 24, 10), ("q.v", 8, 24, 10), ("q.v", 12, 24, 10), ("q.v", 16, 24, 10), ("q.k", 20, 24, 10),
    ]  # fmt: skip


def test_values_keep_subscripts_inside(analyse_c: AnalyseC) -> None:
    plan = plan_of(
        "void f(int n, int m, int e, const int row[n + 1], const int *column, const float v[e], const float x[m],\n"
        "       const int at[n], float y[n]) {\n"
        "    // warplens: n = 20, m = 30, e = 100, at is a permutation\n"
        "    for (int i = 0; i < n; i++) {\n"
        "        float s = 0;\n"
        "        for (int k = row[i]; k < row[i + 1]; k++)\n"
        "            s += v[k];\n"
        "        y[at[i]] = s + x[column[i]];\n    }\n}\n",
        analyse_c,
    )
    roles = {name: [(leaf.role, leaf.limit) for leaf in array.leaves] for name, array in plan.items()}
    assert roles["row"] == [("rows", 100)]
    assert roles["column"] == [("subscripts", 30)]
    assert roles["at"] == [("permutation", 20)]
    assert plan["v"].elements == 100


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (
            (
                "void f(int n, const int *restrict at, const float *restrict x, float *restrict y) {"
                " for (int i = 0; i < n; i++) y[i] = x[at[i]]; }"
            ),
            "declare the array's size",
        ),
        (
            (
                "void f(int n, const int *restrict at, const float x[100], float *restrict y) {"
                " for (int i = 0; i < n; i++) y[i] = x[at[i] + 1]; }"
            ),
            "no values of `at` are known that keep `x[at[i] + 1]` inside",
        ),
        (
            (
                "void f(int n, const long double *restrict x, float *restrict y) {"
                " for (int i = 0; i < n; i++) y[i] = x[i]; }"
            ),
            "for which no values are made",
        ),
    ],
)
def test_what_no_values_fit_is_refused(source: str, reason: str, analyse_c: AnalyseC) -> None:
    with pytest.raises(NoMemoryPlanError) as error:
        plan_of(source, analyse_c)
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("void f(int n, double (*g)(double)) {}", "none that random values can be made for"),
        ("void f(n, x) int n; double *x; {}", "declared below its head"),
        ("double *f(int n) {}", "returns a pointer"),
        ("NAME(int n) {}", "comes from a macro"),
    ],
)
def test_a_head_that_can_not_be_called_is_refused(text: str, reason: str) -> None:
    with pytest.raises(SignatureError) as error:
        signature_of(text, "f", Span(0, len(text)))
    assert reason in str(error.value)


SUM = """static float twice(float v) { return 2 * v; }
int main(void) { return 0; }
float add(int n, float alpha, float *restrict c, const float *restrict a)
{
    // warplens: n = 1000
    float sum = 0.5f;
    for (int i = 0; i < n; i++) {
        c[i] = twice(a[i]) + alpha;
        sum += a[i];
    }
    return sum;
}
"""


def measured(
    context: FixContext, wishes: list[LaunchWish], folder: Path, headers: Path = ON_CPU
) -> tuple[Outcome, ...]:
    subject = Subject(context, "add.c", 7, "a100", "2026-01-31", ())
    return measure_nest(subject, wishes, Machine(ANYWHERE, cuda_on_cpu=headers, jobs=2), Plan(1, 0.0, 120.0), folder)


def test_a_port_is_run_and_a_wrong_one_is_found(analyse_c: AnalyseC, tmp_path: Path, monkeypatch) -> None:
    written = measuring.cuda_port

    def sometimes_wrong(context: FixContext, wish: LaunchWish):
        port = written(context, wish)
        assert "+ alpha" in port.text
        wrong = port.text.replace("+ alpha", "+ alpha + (i == 777)")
        return replace(port, text=wrong) if wish.block == (64, 1, 1) else port

    monkeypatch.setattr(measuring, "cuda_port", sometimes_wrong)
    wishes = [
        LaunchWish((32, 1, 1), (1, 1, 1), ()),
        LaunchWish((64, 1, 1), (1, 1, 1), ()),
        LaunchWish((32, 1, 1), (1, 1, 1), ()),
        LaunchWish((32, 4096, 1)),
    ]
    right, wrong, refused = measured(context_of(SUM, analyse_c), wishes, tmp_path)
    assert refused.measured is None
    assert "block" in refused.refusal
    assert right.measured is not None
    assert wrong.measured is not None
    assert (right.measured.check.compared, right.measured.check.differing) == (1001, 0), "c and the sum"
    assert right.measured.check.largest_relative_error > 0, "the blocks' sums are added in another order"
    assert right.measured.timing is None
    assert set(dict(right.measured.predicted_s)) == {"resios", "mwp_cwp", "gpuperf", "haigh"}
    assert wrong.measured.check.differing == 1
    assert wrong.measured.check.difference.startswith("c, element 777: ")
    assert right.measured.launches[0].block == (32, 1, 1)


RANK_ONE = """void step(int n, const float u[n], const float v[n], float a[n][n])
{
    // warplens: n = 90
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] -= u[i] * v[j];
}
"""
FORCES = """void pull(int n, int m, const float x[m], const float y[m], const float z[n], float f[n])
{
    // warplens: n = 30000, m = 100
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < m; j++)
            s += y[j] * (x[j] - z[i]);
        f[i] = s;
    }
}
"""
SUBTRACTED = "a[(long)i * n + j] -= u[i] * v[j];"
FUSED = "a[(long)i * n + j] = fmaf(-u[i], v[j], a[(long)i * n + j]);"
ADDED = "s += y[j] * (x[j] - z[i]);"
FUSED_SUM = "s = fmaf(y[j], x[j] - z[i], s);"


@pytest.mark.parametrize(
    ("source", "written", "fused", "wrong"),
    [
        (RANK_ONE, SUBTRACTED, FUSED, (f"if (i != 17 || j != 3) {FUSED}", FUSED.replace("v[j]", "v[j] * 1.00005f"))),
        (FORCES, ADDED, FUSED_SUM, (f"if (i != 7 || j != 99) {FUSED_SUM}", f"if (i != 5) {FUSED_SUM}")),
    ],
)
def test_fused_operations_are_right_where_numbers_cancel(
    source: str,
    written: str,
    fused: str,
    wrong: tuple[str, ...],
    analyse_c: AnalyseC,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What nvcc makes of a product and a sum differs from the C by more than a part of a result that is nearly 0.

    A result that keeps its old value, one without a term of its sum, and a factor that is off by 5e-5 are still wrong.
    """
    port_of = measuring.cuda_port
    blocks = [(32 << number, 1, 1) for number in range(1 + len(wrong))]

    def as_nvcc_compiles_it(context: FixContext, wish: LaunchWish):
        port = port_of(context, wish)
        assert written in port.text
        assert wish.block is not None
        return replace(port, text=port.text.replace(written, (fused, *wrong)[blocks.index(wish.block)]))

    monkeypatch.setattr(measuring, "cuda_port", as_nvcc_compiles_it)
    wishes = [LaunchWish(block, (1, 1, 1), ()) for block in blocks]
    found = [each.measured for each in measured(context_of(source, analyse_c), wishes, tmp_path)]
    right, *others = [each.check for each in found if each is not None]
    assert right.differing == 0
    assert right.by_rounding > 0, "else this shows nothing"
    assert len(others) == len(wrong)
    assert all(check.differing for check in others)


def test_what_is_not_built_is_said(analyse_c: AnalyseC, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_of(SUM, analyse_c)
    with pytest.raises(BuildError, match=r"(?s)g\+\+, which builds CUDA's threads for the CPU, failed.*control.cc"):
        measured(context, [LaunchWish()], tmp_path, headers=tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="is not on PATH"):
        measured(context, [LaunchWish()], tmp_path)
