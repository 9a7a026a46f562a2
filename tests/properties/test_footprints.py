"""Footprints in closed form against the union of the elements that an enumeration touches."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.ir.expression import Access, ScalarRef
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import FLOAT, INT
from warplens.analysis.work.accesses.footprint import box_elements, hull_elements
from warplens.analysis.work.accesses.sites import AccessSite

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


ranges = st.tuples(st.integers(-3, 3), st.integers(1, 4), st.sampled_from((1, 2, -1)))


@given(st.lists(st.tuples(affine(), affine()), min_size=1, max_size=3), ranges, ranges)
def test_the_box_holds_every_element(indices, first, second) -> None:
    accesses = [access(*pair) for pair in indices]
    box = {
        name: (Formula.constant(start), Formula.constant(count), step)
        for name, (start, count, step) in zip(NAMES, (first, second), strict=True)
    }
    touched = {
        tuple(index.evaluate({"i": i, "j": j}) for index in pair)
        for pair in indices
        for i, j in product(*(range(s, s + n * d, d) for s, n, d in (first, second)))
    }
    elements = box_elements(accesses, box)
    assert elements is not None
    assert elements.evaluate({}) >= len(touched)


@given(st.integers(-3, 3), st.integers(-3, 3), ranges, ranges, st.booleans())
def test_a_dense_box_is_exact(c, d, first, second, swap) -> None:
    first, second = (*first[:2], 1), (*second[:2], -1)
    i, j = Polynomial.symbol("i") + c, Polynomial.symbol("j") * -1 + d
    box = {
        "i": (Formula.constant(first[0]), Formula.constant(first[1]), 1),
        "j": (Formula.constant(second[0]), Formula.constant(second[1]), -1),
    }
    elements = box_elements([access(j, i) if swap else access(i, j)], box)
    assert elements is not None
    assert elements.evaluate({}) == first[1] * second[1]


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


def test_held_symbols_group_accesses() -> None:
    """`a[i][k]` and `a[i+1][k]` share a box of rows for one k; `a[k][i]` is another box."""
    i, k = Polynomial.symbol("i"), Polynomial.symbol("k")
    box = {"i": (Formula.constant(0), Formula.constant(8), 1)}
    same = box_elements([access(i, k), access(i + 1, k)], box)
    other = box_elements([access(i, k), access(k, i)], box)
    assert same is not None
    assert other is not None
    assert (same.evaluate({}), other.evaluate({})) == (9, 16)
