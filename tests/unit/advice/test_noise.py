"""What is shown at each level of noise, on loops whose messages are known."""

from pathlib import Path

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Report
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.hwprofiles.loader import load_cpu, load_gpu

EXAMPLES = Path(__file__).parents[3] / "examples"
FUNCTIONS = {"sin": "", "cos": "", "tan": "", "pow": ", double"}
NESTS = """
void small(float *restrict x) { for (int i = 0; i < 64; i++) x[i] *= 2; }
void unknown(int n, float *restrict x) { for (int i = 0; i < n; i++) x[i] *= 2; }
void again(int n, float *restrict x) { for (int i = 0; i < n; i++) x[i] *= 3; }
void serial(double *x) { for (int i = 1; i < 100000000; i++) x[i] += x[i - 1]; }
void columns(double (*restrict a)[16], double *restrict b) {
  for (int i = 0; i < 67108864; i++) b[i] = a[i][0];
}
"""


def report_of(source: str, **options) -> Report:
    text = Preprocessed(f'# 1 "f.c"\n{source}\n', "f.c")
    return analyse(source, text, load_gpu("a100"), load_cpu("server"), AnalysisOptions(**options), Memo())


def codes(report: Report) -> dict[str, list[str]]:
    return {f.name: [found.code for nest in f.nests for found in nest.findings] for f in report.functions}


def test_all_shows_what_the_rules_find() -> None:
    every = codes(report_of(NESTS, noise="all", worthwhile_s=1.0))
    assert every["unknown"] == every["again"] == ["WL901"]
    assert {"WL201", "WL301"} <= set(every["columns"])
    assert every["serial"] == ["WL101"]


def test_normal_tells_an_assumed_size_once_and_leaves_out_what_changes_nothing() -> None:
    shown = codes(report_of(NESTS, noise="normal", worthwhile_s=20e-6))
    assert (shown["unknown"], shown["again"]) == (["WL901"], [])
    assert shown["serial"] == ["WL101"]
    assert "WL201" in shown["columns"]
    assert "WL301" in shown["columns"]


@pytest.mark.parametrize(
    ("value", "is_shown"),
    [
        ("y[i] + 1", True),  # slower than all cores with the copies, if faster than one
        ("pow(sin(y[i]), cos(y[i])) + tan(y[i])", False),  # faster than these with them too
    ],
)
def test_copies_are_a_message_where_they_make_the_difference_to_the_cpu_at_its_best(
    value: str, *, is_shown: bool
) -> None:
    functions = "".join(f"double {name}(double{more});\n" for name, more in FUNCTIONS.items())
    source = f"""{functions}void f(double *restrict x, const double *restrict y) {{
      for (int i = 0; i < 10000000; i++) x[i] = {value};
    }}"""
    assert "WL301" in codes(report_of(source, noise="all"))["f"]
    assert ("WL301" in codes(report_of(source, noise="normal"))["f"]) == is_shown


def test_quiet_shows_warnings_where_a_gpu_helps() -> None:
    report = report_of(NESTS, noise="quiet", worthwhile_s=20e-6)
    shown = codes(report)
    assert shown == {"small": [], "unknown": [], "again": [], "serial": [], "columns": ["WL201"]}
    (serial,) = report.functions[3].nests
    assert serial.hidden is not None
    assert serial.hidden.reason == "no gain"


@pytest.mark.parametrize(("worthwhile_s", "is_hidden"), [(20e-6, True), (1e-9, False)])
def test_a_loop_below_the_worthwhile_time_is_silent_and_keeps_its_prediction(
    worthwhile_s: float, *, is_hidden: bool
) -> None:
    (nest,) = report_of(NESTS, noise="normal", worthwhile_s=worthwhile_s).functions[0].nests
    assert (nest.hidden is not None) == is_hidden
    assert nest.evaluation is not None
    if nest.hidden is not None:
        assert nest.hidden.reason == "small"
        assert nest.hidden.time_s == nest.evaluation.cpu_time.one_core_s < nest.hidden.limit_s == worthwhile_s


def test_a_loop_of_unknown_size_is_never_too_small() -> None:
    report = report_of(NESTS, noise="normal", worthwhile_s=1e3)
    small, unknown, *_ = (nest for f in report.functions for nest in f.nests)
    assert unknown.evaluation is not None
    assert unknown.evaluation.cpu_time.one_core_s < 20e-6  # at the size that is assumed
    assert unknown.hidden is None
    assert small.hidden is not None


def test_a_size_that_somebody_said_counts() -> None:
    said = NESTS.replace("void unknown", "// warplens: n = 100\nvoid unknown")
    nests = [nest for f in report_of(said, noise="normal", worthwhile_s=20e-6).functions for nest in f.nests]
    assert nests[1].hidden is not None
    assert nests[2].hidden is None


def test_levels_only_take_away() -> None:
    source = (EXAMPLES / "matrix.c").read_text().replace("#include", "//") + NESTS
    by_level = [
        {
            (f.name, nest.id.ordinal, found.code, found.node)
            for f in report_of(source, noise=level, worthwhile_s=0.0).functions
            for nest in f.nests
            for found in nest.findings
        }
        for level in ("quiet", "normal", "all")
    ]
    assert by_level[0] < by_level[1] < by_level[2]
    assert by_level[0]
