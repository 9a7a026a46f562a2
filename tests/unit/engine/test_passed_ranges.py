"""What all calls pass decides dependences where no other file can call, and nowhere else."""

from __future__ import annotations

import pytest

SHIFT = "static void f(double *a, int n, int s) { for (int i = 0; i < n; i++) a[i + s] = a[i]; }\n"
CALLS = "void g(double *x) { f(x, 100, 200); f(x + 1, 100, 200); }\n"


def kind(analyse_c, source: str) -> tuple[str, list[str]]:
    """Verdict of the loop of `f`, and what it takes for granted."""
    ((nest,),) = (function.nests for function in analyse_c(source).functions if function.name == "f")
    (verdict,) = nest.facts.verdicts
    return verdict.kind, [a.kind for a in verdict.assumptions]


@pytest.mark.parametrize(
    "source",
    [
        SHIFT + CALLS,
        "static void f(double *, int, int);\n" + CALLS + SHIFT,
        SHIFT + "static void h(double *x, int m) { f(x, m, 2 * m); }\nvoid g(double *x) { h(x, 100); }",
        SHIFT + "void g(double *x) { for (int t = 0; t < 9; t++) f(x, 100, 100); }",
    ],
)
def test_agreeing_arguments_of_a_static_function_are_proved(analyse_c, source: str) -> None:
    assert kind(analyse_c, source) == ("parallel", [])


@pytest.mark.parametrize(
    "source",
    [
        SHIFT.removeprefix("static ") + CALLS,
        SHIFT + CALLS + "void (*const table[])(double *, int, int) = {f};",
        SHIFT + CALLS + "void *out(void) { return f; }",
        SHIFT + CALLS + "void h(double *x, int s) { f(x, 100, s); }",
        SHIFT + "void h(double *x, int m) { f(x, 100, m); }\nvoid g(double *x) { h(x, 200); }",
        SHIFT + "void g(double *x) { f(x, 100, 99); }",
        SHIFT + CALLS + "void h(double *x, int s) { switch (f(x, 100, s), s) { default: break; } }",
        SHIFT + CALLS + "void h(double *x) { f(x, 100, ({ @ })); }",
        SHIFT.replace("{ for", "{ s = s / 4; for") + CALLS,
        SHIFT.replace("{ for", "{ int *p = &s; *p = 1; for") + CALLS,
        SHIFT.replace("int s", "unsigned char s") + "void g(double *x) { f(x, 100, 257); }",
        SHIFT.replace("int s", "long s") + "void g(double *x) { f(x, 100, 0u - 200u); }",
        SHIFT,
    ],
)
def test_what_others_may_pass_is_not(analyse_c, source: str) -> None:
    assert kind(analyse_c, source)[0] not in {"parallel", "reduction"}
