"""Delinearised subscripts name the same elements, and stay in their rows wherever that was called proved."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from support.c_nests.parsed import only_nest
from warplens.analysis.algebra.polynomial_expression import expression_of
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.subscripts.affine_condition import polynomial_of
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT

SUBSCRIPTS = {
    "square": ("i < n", "j < n", "a[i*n + j]"),
    "rectangle": ("i < n", "j < m", "a[i*m + j]"),
    "unproved": ("i < n", "j < m", "a[i*n + j]"),
    "reversed": ("i < n", "j < m", "a[i*m + m - 1 - j]"),
    "reversed rows": ("i < n", "j < m", "a[(n - 1 - i)*m + j]"),
    "halo": ("i < n", "j < m", "a[(i + 1)*(m + 2) + j + 1]"),
    "diagonal": ("i < n", "j < i", "a[i*n + i] + a[i*n + j]"),
    "transposed": ("i < n", "j < n", "a[j*n + i] + a[i*n + j]"),
    "doubled": ("i < n", "j < n", "a[2*i*n + j]"),
    "planes": ("i < n", "j < m", "a[i*n*m + j*n + 0]"),
    "pixels": ("i < n", "j < m", "a[3*(i*m + j)] + a[3*(i*m + j) + 2]"),
    "pixels with a halo": ("i < n", "j < m", "a[3*((i + 1)*(m + 4) + j + 2) + 1]"),
    "unproved pixels": ("i < n", "j < m", "a[3*(i*n + j) + 1]"),
}
LEAVES_ITS_ROW = {
    "shifted": ("i < n", "j < n", "a[i*n + j + 1]"),
    "triangular": ("i < n", "j <= i", "a[i*i + j]"),
    "two strides": ("i < n", "j < m", "a[i*n + j*m]"),
}


def nest_of(bounds: tuple[str, str, str]) -> LoopNest:
    outer, inner, subscript = bounds
    loops = f"for (int i = 0; {outer}; i++) for (int j = 0; {inner}; j++)"
    source = f"void f(int n, int m, double *restrict a, double *restrict r) {{ {loops} r[0] += {subscript}; }}"
    return only_nest(source)


def of_array(nest: LoopNest) -> list[tuple[Reference, Access]]:
    return [(r, r.access) for r in references(nest) if r.access is not None and r.variable == "a"]


def executions(reference: Reference, sizes: dict[str, int]) -> Iterator[dict[str, int]]:
    """Values of the iterators each time the reference runs (rectangular enough to filter)."""
    loops = reference.place.loops
    for values in product(range(max(sizes.values())), repeat=len(loops)):
        point = {**sizes, **{loop.iterator: value for loop, value in zip(loops, values, strict=True)}}
        if all(point[loop.iterator] < loop.limits[0].evaluate(point) for loop in loops):
            yield point


@pytest.mark.parametrize("name", SUBSCRIPTS)
def test_split_subscripts_address_the_same_element(name: str) -> None:
    nest = nest_of(SUBSCRIPTS[name])
    before = {access.id: access.linear_index for _, access in of_array(nest)}
    after = {access.id: access for _, access in of_array(delinearise(nest))}
    assert {i: a.linear_index for i, a in after.items()} == before
    assert {len(access.indices) for access in after.values()} == {3 if name == "planes" else 2}


@pytest.mark.parametrize("name", SUBSCRIPTS)
def test_a_subscript_stays_in_its_row_where_no_condition_says_otherwise(name: str) -> None:
    found = of_array(delinearise(nest_of(SUBSCRIPTS[name])))
    for (reference, access), n, m in product(found, range(1, 5), range(1, 5)):
        inside = all(
            0 <= index.evaluate(point) < extent.evaluate(point)
            for point in executions(reference, {"n": n, "m": m})
            for index, extent in zip(access.indices[1:], access.extents[1:], strict=True)
            if index is not None and extent is not None
        )
        if name == "unproved":
            assert access.conditions == ("m <= n",)
            assert inside == (m <= n)
        elif name == "unproved pixels":
            assert access.conditions == ("3*m <= 3*n + 1",)
            assert inside == (3 * m <= 3 * n + 1)
        elif name == "planes":
            assert inside or access.conditions
        else:
            assert (access.conditions, inside) == ((), True)


@pytest.mark.parametrize("name", LEAVES_ITS_ROW)
def test_subscripts_without_rows_are_left_alone(name: str) -> None:
    nest = nest_of(LEAVES_ITS_ROW[name])
    assert delinearise(nest) == nest


def test_delinearising_twice_changes_nothing() -> None:
    once = delinearise(nest_of(SUBSCRIPTS["halo"]))
    assert delinearise(once) == once


@pytest.mark.parametrize("text", ["0", "-3", "i", "-i", "2*i*n - j + 1"])
def test_expression_of_a_polynomial_reads_back(text: str) -> None:
    i, j, n = (Polynomial.symbol(name) for name in "ijn")
    polynomial = {
        "0": Polynomial(()),
        "-3": Polynomial.constant(-3),
        "i": i,
        "-i": -i,
        "2*i*n - j + 1": i * n * 2 - j + 1,
    }[text]
    assert polynomial_of(expression_of(polynomial, INT), {"i", "j", "n"}) == polynomial
