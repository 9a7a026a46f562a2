"""Sizes for which no two iterations of a loop meet: the exact set, as relations that a person can judge.

`x[i + ld] = x[i]` meets nowhere if `ld >= n`. Sizes with a conflict are taken from those with which the loop runs
twice; what is left is a union of convex sets, each of them one way to be free of conflicts. Iterators of loops around
and whatever else nobody can speak of are projected out of the conflicts first: the sizes have to do for all their
values.

No isl object leaves this file but to the solvers that gave it one.
"""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl
from warplens.analysis.dependence.integer_sets.bounded_sets import BoundedSets
from warplens.analysis.dependence.integer_sets.constraint_rows import Symbols
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.ir.polynomial import Monomial, Polynomial
from warplens.analysis.ir.size_relation import SizeRelation

Alternative = tuple[SizeRelation, ...]
"""Relations that keep all iterations apart if all of them hold."""

_MOST_RELATIONS = 2
"""In one alternative; more are no fact that somebody has in mind."""

_MOST_ALTERNATIVES = 3


def sizes_apart(
    pairs: tuple[tuple[Reference, Reference], ...], level: int, known: frozenset[str], sets: BoundedSets
) -> tuple[Alternative, ...]:
    """Alternatives in names that are `known`, for sizes that are at least one first; none where there is none.

    Raises TooComplexError, isl.Error.
    """
    table = Symbols(loop.iterator for first, _ in pairs[:1] for loop in first.place.loops[:level])
    every = [sets.pair(*order, level, table) for pair in pairs for order in (pair, pair[::-1])]
    if not every or not table.names:
        return ()
    monomials = tuple(table.names)
    meeting = _union(_sizes(sets.points(rows.meetings()), monomials, known, sets) for rows in every)
    runs = _union(_sizes(sets.points(rows.runs_twice()), monomials, known, sets) for rows in every)
    sets.charge(meeting, 2)
    sets.charge(runs, 2)
    free = runs.subtract(meeting)
    if free.is_empty():
        return ()
    named = [monomial for monomial in monomials if known.issuperset(monomial)]
    unequal = _unequal(meeting.gist(runs), named)
    if unequal is not None:
        return ((unequal,),)
    sets.charge(free, 2)
    found = [
        (relations, not _is_positive(part))
        for part in free.coalesce().gist(runs).coalesce().get_basic_sets()
        if (relations := _relations(part, named)) and len(relations) <= _MOST_RELATIONS
    ]
    found.sort(key=lambda way: (way[1], any(r.sign == "==" for r in way[0]), len(way[0]), [str(r) for r in way[0]]))
    return tuple(relations for relations, _ in found[:_MOST_ALTERNATIVES])


def _sizes(points: isl.Set, monomials: tuple[Monomial, ...], known: frozenset[str], sets: BoundedSets) -> isl.Set:
    """Values of the parameters of which all factors are known, for which there is some point."""
    found = points.params()
    for column in reversed(range(len(monomials))):
        if not known.issuperset(monomials[column]):
            sets.charge(found)
            found = found.project_out(isl.dim_type.param, column, 1)
    return found


def _union(parts: Iterator[isl.Set]) -> isl.Set:
    found = next(parts)
    for part in parts:
        found = found.union(part)
    return found.coalesce()


def _is_positive(part: isl.BasicSet) -> bool:
    """Whether some sizes are all at least one, as sizes mostly are."""
    positive = part
    for column in range(part.dim(isl.dim_type.param)):
        positive = positive.lower_bound_val(isl.dim_type.param, column, isl.Val.one(part.get_ctx()))
    return not positive.is_empty()


def _unequal(meeting: isl.Set, named: list[Monomial]) -> SizeRelation | None:
    """`a != b`, where iterations meet just if both are equal."""
    parts = meeting.get_basic_sets()
    relations = _relations(parts[0], named) if len(parts) == 1 else None
    if relations and len(relations) == 1 and relations[0].sign == "==":
        return SizeRelation(relations[0].value, "!=")
    return None


def _relations(part: isl.BasicSet, named: list[Monomial]) -> Alternative | None:
    """The constraints of a convex set; None where one is not over the sizes alone (a remainder)."""
    found = []
    for constraint in part.get_constraints():
        if part.dim(isl.dim_type.div):
            return None
        terms: dict[Monomial, int] = {
            monomial: int(constraint.get_coefficient_val(isl.dim_type.param, column).to_python())
            for column, monomial in enumerate(named)
        }
        terms[()] = int(constraint.get_constant_val().to_python())
        found.append(SizeRelation(Polynomial.of(terms), "==" if constraint.is_equality() else ">="))
    return tuple(found)
