"""Texts that were remembered wrongly once: each after the other with one memo gives what it gives alone."""

from collections.abc import Sequence

import pytest
from warplens.analysis.engine.memo import Memo

SQUARED = "#define SQUARE(x) ((x) * (x))\n"
LOOP = "void f(int n, double *a)\n{\n    for (int i = 0; i < n; i++)\n        a[i] = SQUARE(a[i]) + a[i];\n}\n"
RECURSIVE = "void r(int n, double *a)\n{\n    for (int i = 0; i < n; i++)\n        r(i, a);\n}\n"
_POINTERS = [f"p{n}" for n in range(12)]
ROTATING = (
    "static double first(double *v) { goto out; out: v[0] = 1; return 2; }\n"
    f"static void rotating({', '.join(f'double *{p}' for p in _POINTERS)})\n"
    f"{{\n    first(p0);\n    rotating({', '.join([*_POINTERS[1:], 'p0'])});\n}}\n"
)
CALLS_FIRST = "void one(int n, double *a) { for (int i = 0; i < n; i++) first(a + i); }\n"
CALLS_ROTATING = f"void all(int n, double *a) {{ for (int i = 0; i < n; i++) rotating({', '.join('a' * 12)}); }}\n"
EVEN_ODD = (
    "int seen, even(int n);\nstatic int odd(int n) { unseen(); return n && even(n - 1); }\n"
    "int even(int n) { other(); return n == 0 || odd(n - 1); }\n"
)
ZEROS = "#define ZERO 0.0\nvoid zeros(int n, double *a) { for (int i = 0; i < n; i++) a[i] = ZERO; }\n"
IF_EVEN = "void of_even(int n, int *a) { for (int i = 0; i < n; i++) a[i] = even(i); }\n"
IF_ODD = "void of_odd(int n, int *a) { for (int i = 0; i < n; i++) a[i] = odd(i); }\n"


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param((LOOP, f"int x;\n#if 0\nint k ( (\n#endif\n{LOOP}"), id="bracket_open_in_what_is_left_out_above"),
        pytest.param((f"#if 0\n(\n#endif\n{LOOP}", LOOP), id="bracket_gone_from_what_is_left_out_above"),
        pytest.param(
            (f"int x\n#if 0\n(\n#endif\n; {LOOP}", f"int x\n#if 0\n()\n#endif\n; {LOOP}"), id="on_the_line_of_another"
        ),
        pytest.param(
            (
                f"#define MORE int x;\n{LOOP.rstrip()} MORE\n",
                f"#define MORE int x; double y(double a[]) {{ return a[1]; }}\n{LOOP.rstrip()} MORE\n",
            ),
            id="macro_behind_the_end",
        ),
        pytest.param(
            (
                f"{RECURSIVE}void r(int n, double *a) {{ }}\n",
                f"{RECURSIVE}int g; void r(int n, double *a) {{ g++; }}\n",
                f"{RECURSIVE}void r(int n, double *a) {{ a[n] = 1; }}\n",
                RECURSIVE,
            ),
            id="another_definition_of_the_same_name",
        ),
        pytest.param(
            (ROTATING + CALLS_FIRST, ROTATING + CALLS_ROTATING + CALLS_FIRST, ROTATING + CALLS_FIRST + CALLS_ROTATING),
            id="effects_that_take_many_rounds",
        ),
        pytest.param(
            (ZEROS, ZEROS.replace("ZERO 0.0", "ZERO -0.0"), ZEROS.replace("ZERO 0.0", "ZERO (0.0 * -1.0)")),
            id="signed_zeros",
        ),
        pytest.param(
            (EVEN_ODD + IF_EVEN, EVEN_ODD + IF_ODD + IF_EVEN, EVEN_ODD + IF_EVEN + IF_ODD), id="functions_in_a_circle"
        ),
    ],
)
def test_texts_in_turn(texts: Sequence[str], answer_of, first_difference) -> None:
    memo = Memo()
    for text in (*texts, *texts):
        source = f"{SQUARED}{text}"
        assert not first_difference(answer_of(source, memo=memo), answer_of(source))


def test_a_function_stands_where_it_stood_whatever_is_left_out_above(answer_of) -> None:
    above = "int x;\n#if 0\nint k ( (\n#endif\n"
    alone, below = (answer_of(f"{SQUARED}{text}").functions[0] for text in (LOOP, above + LOOP))
    assert below.span == alone.span.shifted(len(above))
    assert below.nests[0].spans.nodes == alone.nests[0].spans.nodes
