"""`a[i*n + j]` as `a[i][j]` with rows of n: the dimensions behind a linear subscript with parametric strides.

The strides of one array's accesses are ordered by divisibility (1, n, n*m); their quotients are the extents. A
dimension is right when its subscript stays in its row, `0 <= j < n`: proved on the iteration domain, or else a
condition of the access. Dimensions that the type declares are held to the same (declared_rows.py).

Source: Grosser, Ramanujam, Pouchet, Sadayappan, Pop, Optimistic delinearization of parametrically sized arrays,
ICS 2015, sections 3 and 4.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from warplens.analysis.algebra.byte_strides import split_index, stride_chain, widest_chain
from warplens.analysis.algebra.polynomial_expression import expression_of
from warplens.analysis.dependence.array_rows.declared_rows import conditional_accesses, in_one_dimension, keep_rows
from warplens.analysis.dependence.array_rows.row_bounds import in_row, row_conditions
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.subscripts.iteration_domain import Place, Reference
from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rewrite_accesses import Change, rewrite_accesses


def delinearise(nest: LoopNest, budget: NestBudget | None = None) -> LoopNest:
    """The nest with linear subscripts of parametric stride split into dimensions; node ids are kept.

    All accesses of an array get the same shape, or none does. A bound that isn't proved is a condition of the access,
    in C syntax. Subscripts with constant strides are affine already and stay. What is not proved within the
    `budget` of the nest, a fresh one unless given, is such a condition too. Never raises.
    """
    groups: dict[str, dict[NodeId, Reference]] = {}
    written: set[str] = set()
    for reference in references(nest):
        if reference.access is not None:
            groups.setdefault(reference.variable, {})[reference.id] = reference
            written |= {reference.variable} if reference.is_write else set()
    solver = ConflictSolver(budget)
    arrays = {array.name: array for array in nest.arrays}
    conditional = conditional_accesses(nest)
    split: dict[NodeId, Access] = {}
    kept: dict[NodeId, Change] = {}
    for name, group in groups.items():
        every = tuple(group.values())
        rows = keep_rows(every, arrays.get(name), conditional, solver) if name in written else {}
        if in_one_dimension not in rows.values():
            split.update(_split_array(every, solver))
        kept.update(rows)
    if not split and not kept:
        return nest

    def change(access: Access) -> Access:
        found = split.get(access.id, access)
        return kept[access.id](found) if access.id in kept else found

    return rewrite_accesses(nest, change)


def _split_array(group: tuple[Reference, ...], solver: ConflictSolver) -> dict[NodeId, Access]:
    """New accesses of one array, none when its subscripts are affine or have no common shape.

    Dimensions that the type has (`double (*a)[2]`) stay behind those of the outermost subscript.
    """
    linear: list[tuple[Reference, Polynomial]] = []
    for reference in group:
        index = reference.indices[0] if reference.indices else None
        if index is None:
            return {}
        linear.append((reference, index))
    if len({(r.access.element_bytes, r.access.extents[1:]) for r in group if r.access is not None}) != 1:
        return {}
    slopes = []
    for reference, index in linear:
        iterators = _iterators(reference.place)
        own = [index.coefficient(name) for name in iterators & index.symbols]
        if any(not iterators.isdisjoint(slope.symbols) for slope in own):
            return {}
        slopes += own
    if all(slope.is_constant for slope in slopes):
        return {}
    # Rows of pixels (`3*(y*w + x) + c`) have three numbers each where all slopes of the row have the factor.
    chains = [stride_chain(slopes), widest_chain(slopes)]
    best = _split(linear, chains[0], solver)
    if chains[1] != chains[0] and (not best or any(access.conditions for access in best.values())):
        other = _split(linear, chains[1], solver)
        if other and (not best or _number_of_conditions(other) <= _number_of_conditions(best)):
            return other  # longer rows: less is assumed
    return best


def _number_of_conditions(split: dict[NodeId, Access]) -> int:
    return len({condition for access in split.values() for condition in access.conditions})


def _split(
    linear: list[tuple[Reference, Polynomial]], chain: list[Polynomial], solver: ConflictSolver
) -> dict[NodeId, Access]:
    """New accesses with the strides of a chain; none where a subscript does not fit it, or certainly leaves its row."""
    found: dict[NodeId, Access] = {}
    for reference, index in linear:
        access = reference.access
        dimensions = split_index(index, _iterators(reference.place), chain)
        if dimensions is None or access is None:
            return {}
        extents = [divmod(outer, inner)[0] for inner, outer in pairwise(chain)][::-1]
        bounded = _bounded(dimensions, extents, reference.place, solver)
        if bounded is None:
            return {}
        indices, conditions = bounded
        kind = access.subscripts[0].type
        found[reference.id] = replace(
            access,
            subscripts=(*(expression_of(p, kind) for p in indices), *access.subscripts[1:]),
            indices=(*indices, *access.indices[1:]),
            extents=(None, *extents, *access.extents[1:]),
            conditions=(*access.conditions, *conditions),
        )
    return found


def _iterators(place: Place) -> frozenset[str]:
    return frozenset(loop.iterator for loop in place.loops)


def _bounded(
    dimensions: list[Polynomial], extents: list[Polynomial], place: Place, solver: ConflictSolver
) -> tuple[list[Polynomial], list[str]] | None:
    """Subscripts moved into their rows where one extent more or less does it, and what is left to assume.

    None when a subscript certainly leaves its row.
    """
    indices = list(dimensions)
    conditions: list[str] = []
    for d in range(len(indices) - 1, 0, -1):
        extent = extents[d - 1]
        shift = next((k for k in (0, 1, -1) if in_row(indices[d] + extent * k, extent, place, solver)), None)
        if shift is None:
            missing = {k: row_conditions(indices[d] + extent * k, extent, place) for k in (0, 1, -1)}
            possible = [(len(found), abs(k), k, found) for k, found in missing.items() if found is not None]
            if not possible:
                return None
            *_, shift, found = min(possible)
            conditions += found
        indices[d] = indices[d] + extent * shift
        indices[d - 1] = indices[d - 1] - shift
    return indices, conditions
