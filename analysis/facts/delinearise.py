"""`a[i*n + j]` as `a[i][j]` with rows of n: the dimensions behind a linear subscript with parametric strides.

The strides of one array's accesses are ordered by divisibility (1, n, n*m); their quotients are the extents. A
dimension is right when its subscript stays in its row, `0 <= j < n`: proved on the iteration domain, or else a
condition of the access.

Source: Grosser, Ramanujam, Pouchet, Sadayappan, Pop, Optimistic delinearization of parametrically sized arrays,
ICS 2015, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from math import gcd

from warplens.analysis.facts.bounded_sets import TooComplexError
from warplens.analysis.facts.isl_conflict import ConflictSolver
from warplens.analysis.facts.iteration_domain import Place, Reference, references
from warplens.analysis.facts.polynomial_division import divide
from warplens.analysis.facts.quasi_affine import Choice
from warplens.analysis.ir.expression import Access, Binary, Constant, Expression, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rewrite_accesses import rewrite_accesses
from warplens.analysis.ir.types import CType

_ONE = Polynomial.constant(1)


def delinearise(nest: LoopNest) -> LoopNest:
    """The nest with linear subscripts of parametric stride split into dimensions; node ids are kept.

    All accesses of an array get the same shape, or none does. A bound that isn't proved is a condition of the access,
    in C syntax. Subscripts with constant strides are affine already and stay. Never raises.
    """
    groups: dict[str, dict[NodeId, Reference]] = {}
    for reference in references(nest):
        if reference.access is not None:
            groups.setdefault(reference.variable, {})[reference.id] = reference
    solver = ConflictSolver()
    replaced: dict[NodeId, Access] = {}
    for group in groups.values():
        replaced.update(_split_array(tuple(group.values()), solver))
    return rewrite_accesses(nest, lambda access: replaced.get(access.id, access)) if replaced else nest


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
        slopes += [index.coefficient(name) for name in iterators & index.symbols]
        if any(not iterators.isdisjoint(slope.symbols) for slope in slopes):
            return {}
    if all(slope.is_constant for slope in slopes):
        return {}
    chain = _stride_chain(slopes)
    found: dict[NodeId, Access] = {}
    for reference, index in linear:
        access = reference.access
        dimensions = _split_index(index, _iterators(reference.place), chain)
        if dimensions is None or access is None:
            return {}
        extents = [divide(outer, inner)[0] for inner, outer in pairwise(chain)][::-1]
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


def _stride_chain(slopes: Iterable[Polynomial]) -> list[Polynomial]:
    """1 and the strides that divide each other, smallest first; others must be sums of them (a diagonal's n + 1)."""
    strides = {_primitive(slope) for slope in slopes if not slope.is_constant}
    chain = [_ONE]
    for stride in sorted(strides, key=lambda s: (s.degree, len(s.terms), s.terms)):
        quotient, remainder = divide(stride, chain[-1])
        if not remainder.terms and not quotient.is_constant:
            chain.append(stride)
    return chain


def _primitive(polynomial: Polynomial) -> Polynomial:
    """The polynomial without its integer content, leading term positive."""
    content = gcd(*(c for _, c in polynomial.terms))
    leading = max(polynomial.terms, key=lambda t: (len(t[0]), t[0]))[1]
    divisor = content if leading > 0 else -content
    return Polynomial(tuple((m, c // divisor) for m, c in polynomial.terms))


def _split_index(index: Polynomial, iterators: frozenset[str], chain: list[Polynomial]) -> list[Polynomial] | None:
    """Subscript per dimension, outer first; None where an iterator would get a symbolic coefficient."""
    dimensions = _digits(index.without(iterators), chain)
    for name in sorted(iterators & index.symbols):
        slope = _digits(index.coefficient(name), chain)
        if not all(digit.is_constant for digit in slope):
            return None
        symbol = Polynomial.symbol(name)
        dimensions = [d + digit * symbol for d, digit in zip(dimensions, slope, strict=True)]
    return dimensions


def _digits(value: Polynomial, chain: list[Polynomial]) -> list[Polynomial]:
    digits = []
    for stride in reversed(chain[1:]):
        quotient, value = divide(value, stride)
        digits.append(quotient)
    return [*digits, value]


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
        shift = next((k for k in (0, 1, -1) if _in_row(indices[d] + extent * k, extent, place, solver)), None)
        if shift is None:
            missing = {k: _row_conditions(indices[d] + extent * k, extent, place) for k in (0, 1, -1)}
            possible = [(len(found), abs(k), k, found) for k, found in missing.items() if found is not None]
            if not possible:
                return None
            *_, shift, found = min(possible)
            conditions += found
        indices[d] = indices[d] + extent * shift
        indices[d - 1] = indices[d - 1] - shift
    return indices, conditions


def _in_row(index: Polynomial, extent: Polynomial, place: Place, solver: ConflictSolver) -> bool:
    try:
        return solver.holds(place, index) and solver.holds(place, extent - 1 - index)
    except TooComplexError:
        return False


def _row_conditions(index: Polynomial, extent: Polynomial, place: Place) -> list[str] | None:
    """`0 <= index < extent` over the whole domain in C syntax; None when it fails once the sizes are large."""
    lowest, highest = _extreme(index, place, -1), _extreme(index, place, 1)
    if lowest is None or highest is None:
        if _is_stretched(index, place):
            return None
        return [f"0 <= {index} && {index} < {extent}"]
    found = []
    for difference in (lowest, extent - 1 - highest):
        if not difference.is_constant:
            if all(c < 0 for monomial, c in difference.terms if monomial):
                return None
            found.append(_at_least_zero(difference))
        elif difference.constant_term < 0:
            return None
    return found


def _is_stretched(index: Polynomial, place: Place) -> bool:
    """Whether a loop runs to the larger of two ends: then one of them is hardly ever within the row."""
    larger = {d.name: d.sign for d in place.definitions if isinstance(d, Choice)}
    return any(
        larger[name] * coefficient.constant_term * loop.step > 0
        for loop in place.loops
        if loop.iterator in index.symbols
        for limit in loop.limits
        for name in limit.symbols & larger.keys()
        if (coefficient := limit.coefficient(name)).is_constant
    )


def _extreme(index: Polynomial, place: Place, sign: int) -> Polynomial | None:
    """Largest (`sign` 1) or smallest (-1) value over the loops' own bounds; None where a bound isn't known."""
    for loop in reversed(place.loops):
        slope = index.coefficient(loop.iterator)
        if slope.is_constant and not slope.constant_term:
            continue
        bound = _bound(loop, at_end=(slope.constant_term * sign > 0) == (loop.step > 0))
        if bound is None or not slope.is_constant or any(name.startswith("%") for name in bound.symbols):
            return None
        index = index.substitute({loop.iterator: bound})
    return index


def _bound(loop: Loop, *, at_end: bool) -> Polynomial | None:
    if not at_end:
        return loop.start
    if not loop.limits:
        return None
    return loop.limits[0] - (1 if loop.step > 0 else -1)


def _at_least_zero(polynomial: Polynomial) -> str:
    positive = Polynomial(tuple((m, c) for m, c in polynomial.terms if c > 0))
    return f"{positive - polynomial} <= {positive}"


def expression_of(polynomial: Polynomial, kind: CType) -> Expression:
    """The polynomial as an expression, all of one integer type."""
    total: Expression | None = None
    for monomial, coefficient in polynomial.terms:
        factors: list[Expression] = [ScalarRef(name, kind) for name in monomial]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, Constant(abs(coefficient), kind))
        term = factors[0]
        for factor in factors[1:]:
            term = Binary("*", term, factor, kind)
        if total is None:
            total = term if coefficient > 0 else Binary("-", Constant(0, kind), term, kind)
        else:
            total = Binary("+" if coefficient > 0 else "-", total, term, kind)
    return Constant(0, kind) if total is None else total
