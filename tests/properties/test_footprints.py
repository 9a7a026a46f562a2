"""Footprints in closed form against the union of the elements that an enumeration touches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.ir.expression import Access, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import FLOAT, INT
from warplens.analysis.workload.accesses.footprint import hull_elements
from warplens.analysis.workload.accesses.sites import AccessSite

NAMES = ("i", "j")


def access(*indices: Polynomial) -> Access:
    subscripts = tuple(ScalarRef("unused", INT) for _ in indices)
    return Access(NodeId(0), "a", FLOAT, subscripts, indices, (None,) * len(indices), 4)


@st.composite
def affine(draw: st.DrawFn) -> Polynomial:
    total = Polynomial.constant(draw(st.integers(-3, 3)))
    for name in NAMES:
        total = total + Polynomial.symbol(name) * draw(st.integers(-2, 2))
    return total


@given(
    st.lists(affine(), min_size=1, max_size=3),
    st.tuples(st.integers(-2, 2), st.integers(1, 6), st.sampled_from((1, 2, 3, -1, -2))),
    st.tuples(st.integers(-1, 1), st.integers(0, 1), st.integers(1, 5), st.sampled_from((1, 2, -1))),
)
def test_the_hull_of_a_nest_holds_every_element(indices, outer, inner) -> None:
    """The inner loop starts at `a*i + b`: a triangle when a is not zero."""
    start, count, step = outer
    slope, offset, length, inner_step = inner
    i = Polynomial.symbol("i")
    begin = i * slope + offset
    first = Loop(
        NodeId(0), "i", INT, Polynomial.constant(start), (Polynomial.constant(start + count * step),), step, ()
    )
    second = Loop(NodeId(1), "j", INT, begin, (begin + length * inner_step,), inner_step, ())
    sites = [AccessSite(access(index), NodeId(2), (first, second), True, False, False) for index in indices]
    touched = {
        index.evaluate({"i": x, "j": y})
        for index in indices
        for x in range(start, start + count * step, step)
        for y in range(slope * x + offset, slope * x + offset + length * inner_step, inner_step)
    }
    elements = hull_elements(sites, {})
    assert elements is not None
    assert elements.evaluate({}) >= max(touched) - min(touched) + 1
    if step == 1 and inner_step in {1, -1}:
        assert elements.evaluate({}) == max(touched) - min(touched) + 1
