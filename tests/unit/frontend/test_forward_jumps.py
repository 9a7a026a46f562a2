"""A jump forwards in a block is a branch; any other stays what it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.nest import Exit, LoopNest, OpaqueStatement, loops_of, walk_statements

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
            "int k = 0; do { if (b[k]) goto end; k++; } while (b[k] > 2); a[i] = 1; end:;",
            ["goto", "a label"],
            id="out of what may run once",
        ),
        pytest.param(
            "if (b[i]) goto end; double t = a[i]; a[i] = t; end: b[i] = t;", ["goto", "a label"], id="over a name"
        ),
        pytest.param("if (b[i]) goto in; if (a[i]) { a[i] = 1; in: a[i] = 2; }", ["goto", "a label"], id="into"),
    ],
)
def test_any_other_jump_stays(nests: Nests, body: str, kept: list[str]) -> None:
    assert in_loop(nests, body) == kept


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("do { if (b[i]) break; a[i] = 1; } while (0); a[i] += 2;", id="break"),
        pytest.param("do { if (b[i]) continue; if (a[i]) { a[i] = 3; break; } a[i] = 1; } while (0);", id="both"),
        pytest.param("do { switch (i) { case 1: a[i] = 1; break; } if (b[i]) break; a[i] = 2; } while (0);", id="case"),
        pytest.param("do { if (b[i]) { if (a[i]) break; } else break; a[i] = 2; } while (0); a[i] += 1;", id="nested"),
    ],
)
def test_what_runs_once_is_a_block(nests: Nests, body: str) -> None:
    assert in_loop(nests, body) == []


def test_a_break_of_a_loop_inside_stays_its_own(nests: Nests) -> None:
    body = "do { for (int k = 0; k < 9; k++) if (b[k]) break; if (b[i]) break; a[i] = 1; } while (0);"
    assert in_loop(nests, body) == ["break"]


def test_what_runs_more_than_once_stays_a_loop(nests: Nests) -> None:
    assert in_loop(nests, "do { if (b[i]) break; a[i] -= 1; } while (a[i] > 0);") == ["break"]


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


def loops_left(nests: Nests, body: str) -> list[tuple[str, str]]:
    """Iterator of the loop that each exit leaves, and its kind."""
    source = f"void f(int n, double *a, double *b) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    (nest,) = nests(source)
    iterators = {loop.id: loop.iterator for loop in loops_of(nest)}
    return [(iterators[s.leaves], s.kind) for s in walk_statements((nest.root,)) if isinstance(s, Exit)]


INNER = "for (int j = 0; j < n; j++) { for (int k = 0; k < n; k++) { JUMP } a[j] = 1; }"


@pytest.mark.parametrize(
    ("body", "left"),
    [
        pytest.param(INNER.replace("JUMP", "if (b[k]) goto end;") + " end:;", [("j", "goto")], id="two loops"),
        pytest.param(
            INNER.replace("JUMP", "if (b[k]) goto end; if (a[k]) break;") + " end: b[i] = 1;",
            [("j", "goto"), ("k", "break")],
            id="beside break",
        ),
        pytest.param(
            INNER.replace("JUMP", "if (b[k]) { a[k] = 1; goto in; } if (a[k]) goto end;").replace(
                "a[j] =", "in: a[j] ="
            )
            + " end:;",
            [("k", "goto"), ("j", "goto")],
            id="two labels",
        ),
        pytest.param(
            "while (a[i] > 1) { if (b[i]) goto end; } end:;",
            [("while'n", "goto")],
            id="out of a loop that is not counted",
        ),
        pytest.param(
            "do { " + INNER.replace("JUMP", "if (b[k]) goto end;") + " } while (0); end:;",
            [("i", "goto")],
            id="out of a `do`",
        ),
        pytest.param(
            INNER.replace("JUMP", "if (b[k]) goto end;") + " a[i] = 1; end:;", [("j", "goto")], id="past more"
        ),
        pytest.param(
            "if (a[i]) { " + INNER.replace("JUMP", "if (b[k]) goto end;") + " } else a[i] = 2; end:;",
            [("j", "goto")],
            id="out of a branch",
        ),
    ],
)
def test_a_jump_right_behind_loops_leaves_these_alone(nests: Nests, body: str, left: list[tuple[str, str]]) -> None:
    assert loops_left(nests, body) == left


@pytest.mark.parametrize(
    ("before", "behind", "kind"),
    [
        pytest.param("", "t[i] = 0; end:;", "parallel", id="past a store"),
        pytest.param("if (x[i] < 0) t[i] = 2; else", "t[i] = 0; end: t[i] += 1;", "parallel", id="out of a branch"),
        pytest.param("", "for (int k = 0; k < m; k++) if (x[k] > 3) goto end; t[i] = 0; end:;", "parallel", id="two"),
        pytest.param("", "t[0] += x[i]; end:;", "reduction", id="past a sum"),
        pytest.param("", "t[i] = t[i + 1]; end:;", "unknown", id="past what others write"),
        pytest.param("", "n = i; end: t[i] = n;", "unknown", id="past what the next iteration reads"),
    ],
)
def test_what_is_jumped_over_is_under_a_condition(nests: Nests, before: str, behind: str, kind: str) -> None:
    loop = f"for (int j = 0; j < m; j++) if (x[j] < x[i]) goto end; {behind}"
    header = "void f(int n, int m, double *restrict t, const double *restrict x)"
    source = f"{header} {{ for (int i = 0; i < 99; i++) {{ {before} {loop} }} }}"
    (nest,) = nests(source)
    assert loop_verdicts(nest)[0].kind == kind
