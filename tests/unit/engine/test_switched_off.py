"""`// warplens: off`: what it keeps silent, and nothing beside it."""

import re

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Report
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.hwprofiles.loader import load_cpu, load_gpu

SOURCE = """/*file*/

/*above f*/
void f(int n, double (*restrict a)[4096], double (*restrict b)[4096]) { /*in f*/
  /*above nest*/
  for (int i = 0; i < n; i++) /*header*/
    /*above inner*/
    for (int j = 0; j < 4096; j++)
      b[j][8 * i] = a[j][8 * i]; /*line*/
  for (int k = 1; k < n; k++) a[0][k] = a[0][k - 1]; /*one line*/
}

void g(int m, double *x, int *p) {
  /*above while*/
  p = next(p);
  for (int i = 1; i < m; i++) x[i] = x[i - 1];
}
"""
OPAQUE = SOURCE.replace("p = next(p);", "while (*p) { p = next(p); }")


def report_of(source: str, **options) -> Report:
    code = re.sub(r"/\*.*?\*/|//[^\n]*", lambda comment: re.sub(r"[^\n]", " ", comment.group()), source)
    text = Preprocessed(f'# 1 "f.c"\n{code}\n', "f.c")
    return analyse(source, text, load_gpu("a100"), load_cpu("server"), AnalysisOptions(**options), Memo())


def with_off(place: str, said: str = "off", source: str = SOURCE) -> str:
    assert source.count(f"/*{place}*/") == 1
    return source.replace(f"/*{place}*/", f"/* warplens: {said} */")


def shown(source: str, **options) -> set[tuple[str, str]]:
    """Function and code of each message."""
    report = report_of(source, **options)
    return {(f.name, found.code) for f in report.functions for nest in f.nests for found in nest.findings}


ALL = {("f", "WL201"), ("f", "WL101"), ("f", "WL301"), ("g", "WL101"), ("g", "WL901")}


def test_the_example_has_messages_of_every_scope() -> None:
    assert shown(SOURCE) >= ALL


@pytest.mark.parametrize(
    ("place", "silent"),
    [
        ("file", {"f", "g"}),
        ("above f", {"f"}),
        ("in f", {"f"}),
    ],
)
def test_all_is_switched_off_in_a_scope(place: str, silent: set[str]) -> None:
    assert shown(with_off(place)) == {each for each in shown(SOURCE) if each[0] not in silent}


@pytest.mark.parametrize("place", ["above nest", "header"])
def test_a_loop_is_switched_off(place: str) -> None:
    report = report_of(with_off(place))
    first, second = report.functions[0].nests
    assert first.findings == ()
    assert first.hidden is not None
    assert first.hidden.reason == "off"
    assert first.evaluation is not None  # its hover still works
    assert second.findings
    assert second.hidden is None


@pytest.mark.parametrize("place", ["line", "above inner"])
def test_a_line_and_an_inner_loop_leave_the_rest_of_the_nest(place: str) -> None:
    first, second = report_of(with_off(place)).functions[0].nests
    assert "WL201" not in {finding.code for finding in first.findings}
    assert "WL301" in {finding.code for finding in first.findings}
    assert first.hidden is None
    assert second.findings


def test_a_loop_on_one_line_is_switched_off_at_its_end() -> None:
    first, second = report_of(with_off("one line")).functions[0].nests
    assert first.findings
    assert second.findings == ()


@pytest.mark.parametrize(
    ("said", "codes"),
    [
        ("off WL201", {"WL201"}),
        ("off wl201, WL301", {"WL201", "WL301"}),
        ("n = 4096, off WL201 WL301 -- the layout is given, and known", {"WL201", "WL301"}),
    ],
)
def test_codes_are_switched_off_and_no_others(said: str, codes: set[str]) -> None:
    before = {code for function, code in shown(SOURCE) if function == "f"}
    after = {code for function, code in shown(with_off("above f", said)) if function == "f"}
    assert after == before - codes


def test_an_unknown_code_is_a_note_and_switches_nothing_off() -> None:
    source = with_off("above f", "off WL210")
    (problem,) = report_of(source).problems
    assert (problem.severity, source[problem.span.start : problem.span.end]) == ("note", "off WL210")
    assert "did you mean WL2" in problem.message
    assert shown(source) == shown(SOURCE)


def test_a_promise_about_something_called_off_is_a_promise() -> None:
    (problem,) = report_of(with_off("above f", "off is private")).problems
    assert "`off`" in problem.message
    assert shown(with_off("above f", "off is private")) == shown(SOURCE)


def test_what_was_not_understood_is_switched_off_too_and_still_counts() -> None:
    before = report_of(OPAQUE).opaque
    assert [each.is_shown for each in before] == [True]
    for place, said in (("above while", "off"), ("above while", "off not-analysed"), ("file", "off not-analysed")):
        after = report_of(with_off(place, said, OPAQUE)).opaque
        assert [each.is_shown for each in after] == [False], (place, said)
    assert [each.is_shown for each in report_of(with_off("above f", "off", OPAQUE)).opaque] == [True]


def test_codes_beside_the_rules_are_switched_off_by_setting() -> None:
    wrong = "// warplens: nonsense here\n\n" + OPAQUE
    report = report_of(wrong, disabled_rules=frozenset({"input", "not-analysed"}))
    assert report_of(wrong).problems
    assert report.problems == ()
    assert not any(each.is_shown for each in report.opaque)
