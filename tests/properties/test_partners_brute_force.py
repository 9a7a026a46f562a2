"""Exchanges of pairs, `p = i ^ m`: what is called parallel has no two iterations that meet, counted out.

The programs are those of sorting networks and butterflies with pieces of them exchanged.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests import parsed
from support.examples import examples
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts

Statement = tuple[str, str, str, str]
"""A kind, a condition and two subscripts, in the C that Python reads too (`and` for `&&`)."""
LONGEST, MASKS = 12, range(6)
KINDS = {
    "swap": "{{ int t = a[{x}]; a[{x}] = a[{y}]; a[{y}] = t; }}",
    "set": "a[{x}] = b[{y}];",
    "get": "b[i] = a[{x}] - a[{y}];",
    "add": "a[{x}] += b[{y}];",
}
NETWORKS: dict[str, Statement] = {
    "the lower one swaps": ("swap", "(i ^ m) > i", "i", "i ^ m"),
    "the upper one swaps": ("swap", "i > (m ^ i)", "i", "m ^ i"),
    "directions": ("swap", "(i ^ m) > i and (i & 4) == 0", "i ^ m", "i"),
    "both read": ("get", "1 > 0", "i", "i ^ m"),
    "each sets its partner": ("set", "1 > 0", "i ^ m", "i"),
    "a mask that is known": ("swap", "(i ^ 5) > i", "i", "i ^ 5"),
    "each adds to its partner": ("add", "1 > 0", "i ^ m", "i"),
}
SUBSCRIPTS = (
    "i",
    "i ^ m",
    "i ^ m",
    "i ^ l",
    "i ^ 1",
    "i ^ 3",
    "(i + 1) ^ m",
    "(i ^ m) + 1",
    "(i ^ m) ^ l",
    "2 * i ^ m",
    "m",
)
CONDITIONS = (
    "1 > 0", "(i ^ m) > i", "(i ^ m) < i", "(i ^ l) > i", "(i ^ m) >= i", "(i ^ m) != i", "i > m", "(i & 1) == 0",
    "(i ^ m) > i and (i & 2) == 0", "(i ^ 3) > i",
)  # fmt: skip


def source(statements: list[Statement]) -> str:
    body = " ".join(
        f"if ({condition.replace('and', '&&')}) {KINDS[kind].format(x=x, y=y)}" for kind, condition, x, y in statements
    )
    return (
        f"void f(int n, int m, int l, int *restrict a, int *restrict b) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    )


def uses(statement: Statement, at: dict[str, int]) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """Elements that one iteration reads and writes by a statement."""
    kind, condition, x, y = statement
    if not eval(condition, {}, at):
        return set(), set()
    one, other = ("a", eval(x, {}, at)), ("a", eval(y, {}, at))
    match kind:
        case "swap":
            return {one, other}, {one, other}
        case "get":
            return {one, other}, {("b", at["i"])}
    read = {("b", other[1])}
    return (read | {one}, {one}) if kind == "add" else (read, {one})


def meet(statements: list[Statement]) -> bool:
    """Whether two iterations use one element, and one of them writes it, for some length and masks."""
    for m, l in product(MASKS, MASKS):  # noqa: E741
        done: list[tuple[set[tuple[str, int]], set[tuple[str, int]]]] = []
        for i in range(LONGEST):
            used = [uses(one, {"i": i, "m": m, "l": l}) for one in statements]
            read, written = set().union(*(u[0] for u in used)), set().union(*(u[1] for u in used))
            if any(written & (r | w) or read & w for r, w in done):
                return True
            done.append((read, written))
    return False


def verdict(statements: list[Statement]) -> str:
    (nest,) = parsed.nests_of(source(statements))
    (found,) = loop_verdicts(delinearise(nest))
    return found.kind


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_that_people_write_are_parallel(name: str) -> None:
    assert not meet([NETWORKS[name]])
    assert verdict([NETWORKS[name]]) == "parallel"


@st.composite
def programs(draw: st.DrawFn) -> list[Statement]:
    """A network with one piece exchanged, and perhaps a second statement."""
    kind, *pieces = NETWORKS[draw(st.sampled_from(sorted(NETWORKS)))]
    at = draw(st.integers(0, 3))
    if at < 3:
        pieces[at] = draw(st.sampled_from((CONDITIONS, SUBSCRIPTS, SUBSCRIPTS)[at]))
    statements = [(kind, *pieces)]
    if draw(st.booleans()):
        drawn = (draw(st.sampled_from(each)) for each in (CONDITIONS, SUBSCRIPTS, SUBSCRIPTS))
        statements.append((draw(st.sampled_from(sorted(KINDS))), *drawn))
    return statements


@given(programs())
@settings(max_examples=examples(100))
def test_no_pair_of_iterations_meets_where_a_loop_is_called_parallel(statements: list[Statement]) -> None:
    if verdict(statements) == "parallel":
        assert not meet(statements), source(statements)
