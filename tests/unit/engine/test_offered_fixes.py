"""Which fixes a report offers: asked when something changed that they may look at, each rule's defect its own."""

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine import offered_fixes
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import NestReport
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ports.fix import FixContext, FixEdits, FixRule, OfferedFix
from warplens.hwprofiles.loader import load_cpu, load_gpu

SOURCE = """\
void columns(int n, float *restrict x) {
  for (int i = 0; i < n; i++)
    x[i * 64] = 1;
}
void two(int n, float *restrict x) {
  for (int i = 0; i < n; i++) x[i] = 1;
  for (int i = 0; i < n; i++) x[i] = 2;
}
"""
EVERY = ["columns", "two", "two"]
CALLING = """\
void other(int n, float *restrict x) {
  for (int i = 0; i < n; i++) x[i] = 1;
}
static float half(float v) { return v / 2; }
void caller(int n, float *restrict x) {
  for (int i = 0; i < n; i++) x[i] = half(x[i]);
}
"""
ROWS = """\
// warplens: n = 65536, m = 4096
void rows(int n, int m, const float *restrict a, float *restrict y) {
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int k = 0; k < m; k++) s = s / 2 + a[i * m + k];
    y[i] = s;
  }
}
"""


def nests(source: str, memo: Memo) -> list[NestReport]:
    preprocessed = Preprocessed(source, "folder/f.c")
    report = analyse(source, preprocessed, load_gpu("a100"), load_cpu("server"), AnalysisOptions(), memo)
    return [nest for function in report.functions for nest in function.nests]


def rule(code: str, asked: list[FixContext], *findings: str, refusal: str = "") -> FixRule:
    def offer(context: FixContext) -> tuple[OfferedFix, ...]:
        asked.append(context)
        root = context.evaluation.facts.nest.root.id
        return (OfferedFix(code, code.title(), root, findings=findings, refusal=refusal),)

    return FixRule(code, offer, lambda *_: FixEdits())


def test_a_rule_sees_the_nest_in_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[FixContext] = []
    monkeypatch.setattr(offered_fixes, "FIXES", (rule("one", asked),))
    nests(SOURCE, Memo())
    assert [(c.function, c.file_name, c.is_only_nest) for c in asked] == [
        ("columns", "f.c", True),
        ("two", "f.c", False),
        ("two", "f.c", False),
    ]
    for context in asked:
        definition = context.source[context.function_span.start : context.function_span.end]
        assert definition.startswith(f"void {context.function}(")
        assert definition.endswith("}")


def test_what_could_change_an_offer_asks_for_it_again_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[FixContext] = []
    monkeypatch.setattr(offered_fixes, "FIXES", (rule("one", asked),))
    memo = Memo()
    nests(SOURCE, memo)
    for text, functions in (
        (SOURCE, []),
        (SOURCE.replace("x[i] = 2", "x[i] = 3"), ["two", "two"]),
        (SOURCE.replace("x[i * 64] = 1;", "x[i * 64] = 1; /* said */\n\n"), ["columns"]),
        (SOURCE.replace("  for (int i = 0; i < n; i++)\n", "#pragma pack(1)\n  for (int i = 0; i < n; i++)\n"), EVERY),
        ("int n_of_file;\n" + SOURCE, EVERY),
    ):
        asked.clear()
        nests(text, memo)
        assert [context.function for context in asked] == functions


def test_what_stands_above_may_change_the_offers_of_a_nest_that_calls_a_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[FixContext] = []
    monkeypatch.setattr(offered_fixes, "FIXES", (rule("one", asked),))
    memo = Memo()
    nests(CALLING, memo)
    for text, functions in (
        (CALLING.replace("x[i] = 1;", "x[i] = 1; half(1);"), ["other", "caller"]),
        (CALLING.replace("x[i] = half(x[i]);", "x[i] = half(x[i]) ;"), ["caller"]),
    ):
        asked.clear()
        nests(text, memo)
        assert [context.function for context in asked] == functions


def test_a_crash_of_one_rule_takes_nothing_along(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_context: FixContext) -> tuple[OfferedFix, ...]:
        raise ZeroDivisionError("by the fix")

    broken = FixRule("broken", crash, lambda *_: FixEdits())
    monkeypatch.setattr(offered_fixes, "FIXES", (broken, rule("whole", [])))
    for nest in nests(SOURCE, Memo()):
        assert nest.evaluation is not None
        assert not nest.failure
        failed, whole = nest.fixes
        assert failed.refusal == "internal error (ZeroDivisionError: by the fix); please report it"
        assert (whole.code, whole.refusal) == ("whole", "")


@pytest.mark.parametrize(("refusal", "has_fix"), [("", True), ("not this one", False)])
def test_a_benefit_has_a_fix_where_one_is_offered_that_mends_its_finding(
    monkeypatch: pytest.MonkeyPatch, refusal: str, has_fix: bool
) -> None:
    monkeypatch.setattr(offered_fixes, "FIXES", (rule("mends", [], "WL201", refusal=refusal),))
    (rows,) = nests(ROWS, Memo())
    assert rows.evaluation is not None
    assert {b.has_fix for b in rows.evaluation.with_one_output.kernels[0].benefits if b.finding == "WL201"} == {has_fix}
