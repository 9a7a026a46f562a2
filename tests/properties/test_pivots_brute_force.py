"""Updates in place through a row and a column: what is called parallel gives one result in any order.

The programs are those that people write (shortest paths, closures, widest paths) with pieces of them exchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests import parsed
from support.examples import examples
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.promises.acyclic import Acyclic

SIDE = 4
TRIALS = 8
"""Matrices for each program."""
Node = tuple  # a load ("at", row, column), a number ("num", n) or an operation (operator, left, right)
Matrix = list[list[int]]
Form = tuple[Node, str, Node]
"""A condition, an assignment operator and a value."""
OWN, COLUMN, ROW = ("at", "i", "j"), ("at", "i", "k"), ("at", "k", "j")
OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "&": lambda a, b: a & b, "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b), "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(a != 0 and b != 0), "||": lambda a, b: int(a != 0 or b != 0), "min": min, "max": max,
}  # fmt: skip
SUM, BOTH = ("+", COLUMN, ROW), ("&&", COLUMN, ROW)
TRUE = ("num", 1)
FORMS: dict[str, Form] = {
    "shortest, by a test": ((">", OWN, SUM), "=", SUM),
    "shortest, by a test the other way": (("<=", SUM, OWN), "=", SUM),
    "shortest, by a minimum": (TRUE, "=", ("min", OWN, SUM)),
    "shortest, known ones only": (("&&", ("<", COLUMN, ("num", 9)), (">", OWN, SUM)), "=", SUM),
    "widest": (TRUE, "=", ("max", OWN, ("min", ROW, COLUMN))),
    "widest, by a test": (("<", OWN, ("min", COLUMN, ROW)), "=", ("min", COLUMN, ROW)),
    "closure of bits": (TRUE, "|=", ("&", COLUMN, ROW)),
    "closure of bits in full": (TRUE, "=", ("|", OWN, ("&", ROW, COLUMN))),
    "its dual": (TRUE, "&=", ("|", COLUMN, ROW)),
    "closure": (TRUE, "=", ("||", OWN, BOTH)),
    "closure, by a test": (BOTH, "=", TRUE),
    "closure, by tests with numbers": (("&&", ("==", COLUMN, TRUE), ("==", ROW, TRUE)), "=", TRUE),
    "closure of rows": (COLUMN, "|=", ROW),
    "closure of columns": (ROW, "|=", COLUMN),
    "closure, joined": (TRUE, "|=", BOTH),
}


def c_of(node: Node) -> str:
    if node[0] == "at":
        return f"d[{node[1]}][{node[2]}]"
    if node[0] == "num":
        return str(node[1])
    left, right = c_of(node[1]), c_of(node[2])
    if node[0] in {"min", "max"}:
        return f"({left} {'<' if node[0] == 'min' else '>'} {right} ? {left} : {right})"
    return f"({left} {node[0]} {right})"


def value(node: Node, d: Matrix, at: dict[str, int]) -> int:
    if node[0] == "at":
        return d[at[node[1]]][at[node[2]]]
    return node[1] if node[0] == "num" else OPERATORS[node[0]](value(node[1], d, at), value(node[2], d, at))


def source(form: Form) -> str:
    condition, assigned, given_value = form
    return (
        "void f(int n, int k, int l, int d[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
        f" if ({c_of(condition)}) d[i][j] {assigned} {c_of(given_value)}; }}"
    )


def step(form: Form, d: Matrix, at: dict[str, int]) -> None:
    condition, assigned, given_value = form
    if value(condition, d, at):
        new, i, j = value(given_value, d, at), at["i"], at["j"]
        d[i][j] = new if assigned == "=" else OPERATORS[assigned[0]](d[i][j], new)


def run(form: Form, start: Matrix, rows: list[int], columns: list[int], fixed: dict[str, int]) -> Matrix:
    d = [list(row) for row in start]
    for i in rows:
        for j in columns:
            step(form, d, {"i": i, "j": j, **fixed})
    return d


def run_apart(form: Form, start: Matrix, outer: bool, fixed: dict[str, int]) -> Matrix:
    """Each iteration of a loop sees nothing of what the others write."""
    whole = list(range(SIDE))
    d = [list(row) for row in start]
    for i in [whole] if not outer else [[one] for one in whole]:
        for row in i:
            for j in [whole] if outer else [[one] for one in whole]:
                seen = run(form, start if outer else d_before(d, row, start), [row], j, fixed)
                for column in j:
                    d[row][column] = seen[row][column]
    return d


def d_before(d: Matrix, row: int, start: Matrix) -> Matrix:
    """What an iteration over j sees: rows before as they are, its own as it was."""
    return [list(line) for line in (*d[:row], start[row], *d[row + 1 :])]


def orders(random: Random) -> list[list[int]]:
    return [list(range(SIDE))[::-1], random.sample(range(SIDE), SIDE), random.sample(range(SIDE), SIDE)]


def kinds(form: Form, promised: bool) -> list[bool]:
    nest = delinearise(parsed.only_nest(source(form)))
    verdicts = loop_verdicts(nest, (Acyclic("d"),) if promised else ())
    return [verdict.kind in {"parallel", "reduction"} for verdict in verdicts]


def check(form: Form, promised: bool, random: Random) -> list[bool]:
    found = kinds(form, promised)
    for _ in range(TRIALS if any(found) else 0):
        low = random.choice((-3, 0, 0))
        start = [[random.randint(low, random.choice((1, 3, 9))) for _ in range(SIDE)] for _ in range(SIDE)]
        fixed = {"k": random.randrange(SIDE), "l": random.randrange(SIDE)}
        if promised:
            for at in range(SIDE):
                start[at][at] = abs(start[at][at])
        whole = list(range(SIDE))
        expected = run(form, start, whole, whole, fixed)
        for order in orders(random):
            if found[0]:
                assert run(form, start, order, whole, fixed) == expected, (source(form), start, fixed)
            if found[1]:
                assert run(form, start, whole, order, fixed) == expected, (source(form), start, fixed)
        for outer in (True, False):
            if found[0 if outer else 1]:
                assert run_apart(form, start, outer, fixed) == expected, (source(form), start, fixed)
    return found


@pytest.mark.parametrize("name", FORMS)
def test_what_people_write_is_found(name: str) -> None:
    is_promised = name.startswith("shortest")
    assert check(FORMS[name], True, Random(1)) == [True, True]
    assert check(FORMS[name], False, Random(2)) == [not is_promised, not is_promised]


ATOMS = st.sampled_from(
    (OWN, COLUMN, ROW, ("at", "k", "k"), ("at", "j", "i"), ("at", "k", "i"), ("at", "i", "l"), ("num", 0), TRUE)
)


@st.composite
def mutated(draw: st.DrawFn, node: Node) -> Node:
    """A piece of an expression exchanged for another, or its operator."""
    if node[0] in {"at", "num"} or draw(st.integers(0, 3)) == 0:
        return draw(ATOMS)
    if draw(st.booleans()):
        return (draw(st.sampled_from(sorted(OPERATORS))), *node[1:])
    side = draw(st.sampled_from((1, 2)))
    changed = draw(mutated(node[side]))
    return (node[0], changed, node[2]) if side == 1 else (node[0], node[1], changed)


@st.composite
def programs(draw: st.DrawFn) -> Form:
    condition, assigned, given_value = FORMS[draw(st.sampled_from(sorted(FORMS)))]
    match draw(st.integers(0, 4)):
        case 0:
            condition = draw(mutated(condition))
        case 1:
            given_value = draw(mutated(given_value))
        case 2:
            assigned = draw(st.sampled_from(("=", "|=", "&=", "+=", "^=")))
        case 3:
            condition = ("&&", draw(mutated(condition)), condition)
        case _:
            condition, given_value = draw(mutated(condition)), draw(mutated(given_value))
    return condition, assigned, given_value


@given(programs(), st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=examples(100))
def test_nothing_that_depends_on_the_order_is_called_parallel(form: Form, promised: bool, random: Random) -> None:
    check(form, promised, random)
