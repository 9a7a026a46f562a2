"""Promises about the order in which a loop prints and reaches volatile memory: in force, shown, noted if useless."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("said", ["x in any order", "output in order", "output is in any order at all"])
def test_what_is_nearly_about_output_is_a_problem(said: str, analyse_c) -> None:
    (problem,) = analyse_c(f"// warplens: {said}\nvoid f(void) {{}}\n").problems
    assert "not a size" in problem.message


PRINTS = """int puts(const char *);
void f(int n, double *restrict x, const double *restrict y) {
  %s
  for (int i = 0; i < n; i++) { x[i] = y[i];%s }
}
"""


def test_output_may_be_said_to_come_in_any_order(analyse_c) -> None:
    said = "// warplens: output in any order"
    (verdict,) = analyse_c(PRINTS % (said, 'puts("a");')).functions[0].nests[0].facts.verdicts
    assert (verdict.kind, [(a.subject, a.origin) for a in verdict.assumptions]) == (
        "parallel", [("output in any order", "directive")],
    )  # fmt: skip
    (verdict,) = analyse_c(PRINTS % ("", 'puts("a");')).functions[0].nests[0].facts.verdicts
    assert (verdict.kind, verdict.suggestion) == ("unknown", said)
    assert [p.message for p in analyse_c(PRINTS % (said, "")).problems] == [
        "no loop that this comment speaks of prints: it has no effect"
    ]


REGISTER = """volatile int flag, other;
void f(int n, double *restrict x) {
  %s
  for (int i = 0; i < n; i++) { x[i] = flag; }
}
"""


def test_volatile_memory_may_be_said_to_be_ordinary(analyse_c) -> None:
    said = "// warplens: flag is ordinary memory"
    (verdict,) = analyse_c(REGISTER % said).functions[0].nests[0].facts.verdicts
    assert (verdict.kind, [(a.subject, a.origin) for a in verdict.assumptions]) == (
        "parallel", [("flag", "directive")],
    )  # fmt: skip
    (verdict,) = analyse_c(REGISTER % "").functions[0].nests[0].facts.verdicts
    assert (verdict.kind, verdict.suggestion) == ("unknown", said)
    for name in ("other", "x"):
        assert [p.message for p in analyse_c(REGISTER % f"// warplens: {name} is ordinary memory").problems] == [
            f"no loop that this comment speaks of has `volatile` or atomic memory called `{name}`: it has no effect"
        ]
