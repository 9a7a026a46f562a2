"""A defect in one pass on one nest is that nest's failure, and nobody else's."""

import pytest
from warplens.analysis.engine import report_nest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.progress import Progress
from warplens.analysis.engine.report import Hidden, Report
from warplens.analysis.ir.ids import LoopId

SOURCE = """
void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 0; }
void bad(int n, float *marked) { for (int i = 0; i < n; i++) marked[i] = 0; }
void g(int n, double *x) { for (int i = 0; i < n; i++) x[i] += 1; }
"""


def nest_of(value):
    """The nest that a pass was called with: a nest, facts or an evaluation."""
    facts = getattr(value, "facts", value)
    return getattr(facts, "nest", facts)


def break_on_marked(monkeypatch: pytest.MonkeyPatch, name: str, defect: Exception) -> None:
    original = getattr(report_nest, name)

    def broken(value, *rest):
        if any(array.name == "marked" for array in nest_of(value).arrays):
            raise defect
        return original(value, *rest)

    monkeypatch.setattr(report_nest, name, broken)


@pytest.mark.parametrize(
    ("name", "stage"), [("analyse_nest", "analysis"), ("evaluate_nest", "prediction"), ("findings", "advice")]
)
@pytest.mark.parametrize("defect", [ValueError("no such thing"), KeyError("n"), RecursionError()], ids=repr)
def test_a_crash_is_the_failure_of_one_nest(name: str, stage: str, defect: Exception, analyse_c, monkeypatch) -> None:
    whole = analyse_c(SOURCE)
    break_on_marked(monkeypatch, name, defect)
    report = analyse_c(SOURCE)

    ((broken,),) = (function.nests for function in report.functions if function.name == "bad")
    assert f"internal error in the {stage}" in broken.failure
    assert type(defect).__name__ in broken.failure
    assert broken.findings == ()
    assert (broken.facts is None) == (stage == "analysis")
    assert (broken.evaluation is None) == (stage != "advice")
    assert [f for f in report.functions if f.name != "bad"] == [f for f in whole.functions if f.name != "bad"]


def test_a_failure_is_tried_again(analyse_c, monkeypatch) -> None:
    memo = Memo()
    with monkeypatch.context() as patch:
        break_on_marked(patch, "analyse_nest", ValueError())
        analyse_c(SOURCE, memo=memo)
    report = analyse_c(SOURCE, memo=memo)
    assert not any(nest.failure for function in report.functions for nest in function.nests)
    assert report.recomputed.nests_analysed == 1


def test_nests_are_announced_before_they_are_analysed(analyse_c, monkeypatch) -> None:
    heard: list[object] = []
    original = report_nest.analyse_nest
    monkeypatch.setattr(report_nest, "analyse_nest", lambda *given: heard.append("analysis") or original(*given))
    analyse_c(SOURCE, progress=Progress(nest_begins=lambda nest: heard.append((nest.function, nest.ordinal))))
    assert heard == [("f", 0), "analysis", ("bad", 0), "analysis", ("g", 0), "analysis"]


def test_what_is_known_so_far_has_all_nests_those_to_come_pending(analyse_c) -> None:
    parts: list[Report] = []
    whole = analyse_c(SOURCE, progress=Progress(nest_ended=lambda report: parts.append(report())))
    pending = [[nest.hidden == Hidden("pending") for f in part.functions for nest in f.nests] for part in parts]
    assert pending == [[False, True, True], [False, False, True], [False, False, False]]
    assert parts[-1] == whole
    assert parts[0].functions[0] == whole.functions[0]
    (last,) = parts[0].functions[2].nests
    assert (last.evaluation, last.failure, last.findings) == (None, "", ())


def test_a_run_that_is_ended_leaves_what_it_worked_out(analyse_c) -> None:
    class EndedError(Exception):
        pass

    def end(nest: LoopId) -> None:
        if nest.function == "g":
            raise EndedError

    memo = Memo()
    with pytest.raises(EndedError):
        analyse_c(SOURCE, memo=memo, progress=Progress(nest_begins=end))
    report = analyse_c(SOURCE, memo=memo)
    assert report.recomputed.nests_analysed == 1
    assert report.functions == analyse_c(SOURCE).functions


def test_disabled_rules_are_silent(analyse_c) -> None:
    def codes(options: AnalysisOptions) -> set[str]:
        report = analyse_c(SOURCE, options=options)
        return {finding.code for function in report.functions for nest in function.nests for finding in nest.findings}

    assert codes(AnalysisOptions(disabled_rules=frozenset({"WL901"}))) == codes(AnalysisOptions()) - {"WL901"}
    assert "WL901" in codes(AnalysisOptions())


OWN = "double s = 0; for (int l = 0; l < n; l++) s += a[i*n*n + l*n] * b[l]; c[i*n*n] = s;"
ROUTINE = 'dgemm_("N", "N", &n, &n, &n, &one, a + i*n*n, &n, b, &n, &zero, c + i*n*n, &n);'


@pytest.mark.parametrize(("body", "is_own"), [(OWN, True), (ROUTINE, False)])
def test_loops_that_stand_for_a_library_get_no_advice(body: str, is_own: bool, analyse_c) -> None:
    report = analyse_c(
        "void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,\n"
        "const double *, const int *, const double *, const int *, const double *, double *, const int *);\n"
        "void f(int m, int n, const double *restrict a, const double *restrict b, double *restrict c) {\n"
        f"const double one = 1, zero = 0; for (int i = 0; i < m; i++) {{ {body} }} }}"
    )
    ((nest,),) = (function.nests for function in report.functions)
    assert nest.evaluation is not None
    codes = {finding.code for finding in nest.findings}
    assert "WL901" in codes
    assert bool(codes & {"WL201", "WL202"}) is is_own
