"""`goto` forwards in a block is a branch; any other stays what it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.ir.nest import Exit, LoopNest, OpaqueStatement, walk_statements

Nests = Callable[[str], list[LoopNest]]


def left_over(nest: LoopNest) -> list[str]:
    """Jumps and labels that stayed."""
    found = []
    for statement in walk_statements((nest.root,)):
        if isinstance(statement, Exit):
            found.append(statement.kind)
        elif isinstance(statement, OpaqueStatement):
            found.append(statement.reason)
    return found


def in_loop(nests: Nests, body: str) -> list[str]:
    source = f"void f(int n, double *a, double *b) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    (nest,) = nests(source)
    return left_over(nest)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if (b[i] < 0) goto end; a[i] = b[i]; end:;", id="to the end"),
        pytest.param("{ if (b[i] < 0) { a[i] = 1; goto end; } } a[i] = b[i]; end: a[i] += 1;", id="out of a block"),
        pytest.param("if (b[i]) { if (a[i]) goto end; a[i] = 1; end: a[i] += 1; }", id="inside of a branch"),
        pytest.param("if (b[i]) goto one; if (a[i]) goto two; a[i] = 1; one: a[i] = 2; two:;", id="two labels"),
        pytest.param("a[i] = 1; unused: b[i] = 2;", id="nobody jumps"),
        pytest.param("if (b[i] < 0) goto end; a[i] = 1; continue; end: a[i] = 2;", id="beside continue"),
    ],
)
def test_a_jump_forwards_is_a_branch(nests: Nests, body: str) -> None:
    assert in_loop(nests, body) == []


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        pytest.param("again: a[i] -= 1; if (a[i] > 0) goto again;", ["a label", "goto"], id="backwards"),
        pytest.param(
            "for (int k = 0; k < 9; k++) if (b[k]) goto end; a[i] = 1; end:;", ["goto", "a label"], id="out of a loop"
        ),
        pytest.param(
            "if (b[i]) goto end; double t = a[i]; a[i] = t; end: b[i] = t;", ["goto", "a label"], id="over a name"
        ),
        pytest.param("if (b[i]) goto in; if (a[i]) { a[i] = 1; in: a[i] = 2; }", ["goto", "a label"], id="into"),
    ],
)
def test_any_other_jump_stays(nests: Nests, body: str, kept: list[str]) -> None:
    assert in_loop(nests, body) == kept


def test_a_jump_into_a_loop_stays(nests: Nests) -> None:
    source = "void f(int n, double *a) { int i = 0; if (n > 5) goto in; for (i = 0; i < n; i++) { a[i] = 1; in:; } }"
    (nest,) = nests(source)
    assert left_over(nest) == ["a label"]


def test_no_label_is_left_out_where_an_address_is_jumped_to(nests: Nests) -> None:
    source = (
        "void f(int n, double *a) { for (int i = 0; i < n; i++) { static void *p = &&end; if (a[i]) goto end; "
        "a[i] = 1; end:; if (a[i] > 1) goto *p; } }"
    )
    assert any("a label" in left_over(nest) for nest in nests(source))
