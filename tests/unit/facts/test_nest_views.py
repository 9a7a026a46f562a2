"""References under what is said are those that a walk of the nest under it would find."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.subscripts.affine_condition import Disjunction
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.dependence.subscripts.quasi_affine import Lookup
from warplens.analysis.dependence.verdicts.nest_views import NestViews
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.promises.increasing import Increasing
from warplens.analysis.ir.promises.injective import Injective
from warplens.analysis.ir.promises.named import TablePromise

NestsOf = Callable[[str], list[LoopNest]]
SOURCE = """void f(int n, int m, double *restrict x, const int *restrict at, const int *restrict len) {
    for (int i = 1; i < n; i++) {
        int c = at[i] > m ? at[i] : len[at[i]];
        for (int j = len[i]; j < len[i + 1]; j++) if (at[j] < i) x[at[c]] += x[j % m];
        x[i] = 0;
    }
}"""
LARGE: Disjunction = ((Polynomial.symbol("m") - Polynomial.symbol("n"),),)


def comparable(found: tuple[Reference, ...]) -> list[tuple[object, ...]]:
    """Without the identity of places and of their loops, which each walk makes anew."""
    return [
        (
            [(loop.id, loop.start, loop.limits, loop.bound_reason) for loop in r.place.loops],
            (r.place.guards, r.place.uncertain_depth, r.place.definitions, r.place.wholes),
            (r.id, r.variable, r.indices, r.is_write, r.first_byte, r.positions, r.definitions),
        )
        for r in found
    ]


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"at": frozenset({Injective})},
        {"len": frozenset({Increasing})},
        {"at": frozenset({Injective, Increasing}), "len": frozenset({Increasing})},
    ],
)
@pytest.mark.parametrize("sizes", [(), (LARGE,)])
def test_they_are_those_of_a_walk_of_its_own(
    nests_of: NestsOf, said: dict[str, frozenset[type[TablePromise]]], sizes: tuple[Disjunction, ...]
) -> None:
    (nest,) = nests_of(SOURCE)
    promises = tuple(kind(name) for name, kinds in said.items() for kind in kinds)
    views = NestViews(nest, NestBudget())
    views.references(())
    assert comparable(views.references(promises, sizes)) == comparable(references(nest, said, sizes))


def test_what_is_said_is_known_of_the_look_ups(nests_of: NestsOf) -> None:
    (nest,) = nests_of(SOURCE)
    views = NestViews(nest, NestBudget())
    said = views.references((Injective("at"),))
    tables = {d for r in said for d in (*r.definitions, *r.place.definitions) if isinstance(d, Lookup)}
    assert {d.is_injective for d in tables if d.array == "at"} == {True}
    assert {d.is_injective for d in tables if d.array == "len"} == {False}
    plain = {d for r in views.references(()) for d in r.definitions if isinstance(d, Lookup)}
    assert not any(d.is_injective for d in plain)
