"""Texts that were remembered wrongly once: each after the other with one memo gives what it gives alone."""

from collections.abc import Sequence

import pytest
from warplens.analysis.engine.memo import Memo

SQUARED = "#define SQUARE(x) ((x) * (x))\n"
LOOP = "void f(int n, double *a)\n{\n    for (int i = 0; i < n; i++)\n        a[i] = SQUARE(a[i]) + a[i];\n}\n"


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
