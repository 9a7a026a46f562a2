"""What never comes back runs only where the program ends, whoever says so: a declaration or its own body."""

from __future__ import annotations

import pytest
from support.c_nests import parsed
from warplens.analysis.facts.calls.call_assumptions import uncounted_functions

ENDING = {
    "_Noreturn": "_Noreturn void give_up(const char *file, int line, const char *fmt, ...);",
    "attribute": "void give_up(const char *file, int line, const char *, ...) __attribute__((noreturn));",
    "C23": "[[noreturn]] void give_up(const char *file, int line, const char *, ...);",
    "a list": "void other(void), give_up(const char *, int, const char *, ...) __attribute__((cold, __noreturn__));",
    "exit at the end": "int printf(const char *, ...); int lost; void exit(int); static void give_up(const char *file, "
    "int line, const char *fmt) { lost++; printf(fmt, file, line); exit(1); }",
    "declared and defined": "int lost; void abort(void); _Noreturn void give_up(const char *file, int line, const char "
    "*fmt); void give_up(const char *file, int line, const char *fmt) { if (line > 0) lost++; for (;;) abort(); }",
    "another that ends": "void exit(int); int lost; static void leave(int code) { lost = code; exit(code); } "
    "static void give_up(const char *file, int line, const char *fmt) { lost = line; leave(line); }",
}  # fmt: skip
CHECKS = {
    "do": 'do { if (!(y[i] >= 0)) give_up("f.c", 7, "need %s"); } while (0);',
    "if": 'if (y[i] < 0) give_up("f.c", 7, "y");',
    "?:": '(y[i] >= 0) ? (void)0 : give_up("f.c", 7, "y");',
    "||": '(void)((y[i] >= 0) || (give_up("f.c", 7, "y"), 0));',
    "switch": 'switch (i % 2) { case 0: case 1: break; default: give_up("f.c", 7, "y"); }',
    "in a function": "y[i] += checked(y[i]);",
}


CHECKED = 'static float checked(float v) { if (v < 0) give_up("f.c", 7, "v"); return v; }'


def halve(check: str) -> str:
    return f"void halve(int n, float *x, float *y) {{ for (int i = 0; i < n; i++) {{ {check} x[i] = 0.5f * y[i]; }} }}"


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("ending", ENDING)
def test_a_loop_that_may_end_the_program_is_parallel_and_says_what_it_assumes(ending: str, check: str) -> None:
    facts = parsed.facts_of(f"{ENDING[ending]}\n{CHECKED}\n{halve(CHECKS[check])}")
    assert [verdict.kind for verdict in facts.verdicts] == ["parallel"]
    said = [one for one in facts.assumptions if one.kind == "call"]
    assert [one.subject for one in said] == ["give_up"]
    assert "assumed not to be called" in said[0].text
    assert uncounted_functions((facts.nest.root,)) == ()
    if check in {"do", "if", "?:", "||"}:  # the only branch is the one that is assumed not to be taken
        assert [one.text for one in facts.assumptions if one.kind == "average"] == []


@pytest.mark.parametrize(
    "declared",
    [
        "void give_up(int line);",
        "_Noreturn void other(void), (*give)(void); void give_up(int line);",
        "int lost; void exit(int); void give_up(int line) { if (line < 0) exit(1); lost++; }",
        "int lost; void exit(int); void give_up(int line) { if (line < 0) { lost++; return; } exit(1); }",
        "void longjmp(int *, int); int where[9]; _Noreturn void give_up(int line) { longjmp(where, line); }",
    ],
)
def test_what_may_come_back_or_goes_on_elsewhere_is_no_end(declared: str) -> None:
    facts = parsed.facts_of(f"{declared}\n{halve('if (y[i] < 0) give_up(i - 9);')}")
    assert [verdict.kind for verdict in facts.verdicts] != ["parallel"]


@pytest.mark.parametrize("ending", ENDING)
def test_what_ends_the_program_guards_what_follows(ending: str) -> None:
    facts = parsed.facts_of(
        f"{ENDING[ending]}\nvoid f(int n, int gap, double *x) {{"
        ' if (gap < n) give_up("f.c", 7, "gap"); for (int i = 0; i < n; i++) x[i] = 2 * x[i + gap]; }'
    )
    assert [verdict.kind for verdict in facts.verdicts] == ["parallel"]
