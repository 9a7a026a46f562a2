"""Trip counts in closed form against the enumeration of random nests."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT
from warplens.analysis.workload.loops.trip_count import trip_counts

NAMES = ("i", "j", "k")


def affine(draw: st.DrawFn, names: tuple[str, ...], constants: st.SearchStrategy[int]) -> Polynomial:
    total = Polynomial.constant(draw(constants))
    for name in names:
        total = total + Polynomial.symbol(name) * draw(st.sampled_from((-1, 0, 0, 1)))
    return total


@st.composite
def nests(draw: st.DrawFn, steps: tuple[int, ...] = (1, -1), limits: int = 1) -> LoopNest:
    depth = draw(st.integers(1, 3))
    loop: Loop | None = None
    for level in range(depth - 1, -1, -1):
        outer = (*NAMES[:level], "n")
        step = draw(st.sampled_from(steps))
        bounds = tuple(affine(draw, outer, st.integers(-2, 8)) for _ in range(draw(st.integers(1, limits))))
        body = () if loop is None else (loop,)
        loop = Loop(NodeId(level), NAMES[level], INT, affine(draw, outer, st.integers(-3, 5)), bounds, step, body)
    assert loop is not None
    return LoopNest(loop, (), (), ("n",))


def enumerate_runs(loop: Loop, values: dict[str, int], runs: dict[NodeId, list[int]]) -> None:
    assert loop.start is not None
    sign = 1 if loop.step > 0 else -1
    limit = sign * min(sign * bound.evaluate(values) for bound in loop.limits)
    iterations = range(loop.start.evaluate(values), limit, loop.step)
    runs.setdefault(loop.id, []).append(len(iterations))
    for value in iterations:
        for inner in loop.body:
            assert isinstance(inner, Loop)
            enumerate_runs(inner, {**values, loop.iterator: value}, runs)


def averages(nest: LoopNest, n: int) -> dict[NodeId, Fraction]:
    runs: dict[NodeId, list[int]] = {}
    enumerate_runs(nest.root, {"n": n}, runs)
    return {loop: Fraction(sum(counts), len(counts)) for loop, counts in runs.items()}


@settings(max_examples=examples(300))
@given(nests(), st.integers(0, 7))
def test_an_exact_trip_count_is_the_enumerated_average(nest: LoopNest, n: int) -> None:
    expected = averages(nest, n)
    for count in trip_counts(nest):
        if count.exact and count.loop in expected:
            assert count.average.evaluate({"n": n}) == expected[count.loop]


@settings(max_examples=examples(200))
@given(nests(steps=(1, -1, 2, 3, -2), limits=2), st.integers(0, 7))
def test_any_step_and_several_limits_are_exact_where_they_say_so(nest: LoopNest, n: int) -> None:
    expected = averages(nest, n)
    for count in trip_counts(nest):
        value = count.average.evaluate({"n": n})
        assert value >= 0
        if count.exact and count.loop in expected:
            assert value == expected[count.loop]
        if not count.exact:
            assert [a.kind for a in count.assumptions] == ["average"]


@settings(max_examples=examples(200))
@given(st.data(), st.integers(0, 9))
def test_two_nested_loops_of_unit_step_are_always_exact(data: st.DataObject, n: int) -> None:
    nest = data.draw(
        nests(limits=2).filter(lambda nest: all(not isinstance(b, Loop) or not b.body for b in nest.root.body))
    )
    assert all(count.exact for count in trip_counts(nest))


@pytest.mark.parametrize(
    ("start", "limit", "closed_form"),
    [
        ("0", "i", lambda n: Fraction(n - 1, 2)),
        ("i", "n", lambda n: Fraction(n + 1, 2)),
        ("i+1", "n", lambda n: Fraction(n - 1, 2)),
        ("0", "i+1", lambda n: Fraction(n + 1, 2)),
    ],
)
def test_triangular_loops_have_their_textbook_average(start: str, limit: str, closed_form) -> None:
    def bound(text: str) -> Polynomial:
        symbol, _, offset = text.partition("+")
        base = Polynomial.constant(0) if symbol == "0" else Polynomial.symbol(symbol)
        return base + int(offset or 0)

    inner = Loop(NodeId(1), "j", INT, bound(start), (bound(limit),), 1, ())
    nest = LoopNest(Loop(NodeId(0), "i", INT, bound("0"), (bound("n"),), 1, (inner,)), (), (), ("n",))
    average = trip_counts(nest)[1]
    assert average.exact
    assert average.average.evaluate({"n": 100}) == closed_form(100)


def test_tetrahedral_loops_are_exact() -> None:
    i, j, n = (Polynomial.symbol(s) for s in "ijn")
    innermost = Loop(NodeId(2), "k", INT, Polynomial.constant(0), (j,), 1, ())
    middle = Loop(NodeId(1), "j", INT, Polynomial.constant(0), (i,), 1, (innermost,))
    nest = LoopNest(Loop(NodeId(0), "i", INT, Polynomial.constant(0), (n,), 1, (middle,)), (), (), ("n",))
    counts = trip_counts(nest)
    assert all(count.exact for count in counts)
    expected = averages(nest, 30)
    assert [c.average.evaluate({"n": 30}) for c in counts] == [expected[c.loop] for c in counts]
