"""Which elements of an array a tile may be filled from: those that the nest touches are all that the device has.

A block at the edge of the grid covers more than that. In each dimension of the array the touched elements are from one
index to another; a star (`a[i-1][j]`, `a[i][j+1]`) leaves out corners of this box, of which the first and last in
memory may not be on the device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.ir.expression import Access, row_major
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import DerivedSymbol, Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.cuda.device_memory import known_symbols
from warplens.analysis.ports.cuda.followed_conditions import Followed, NestConditions
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.sections.hull import hull_of, is_implied
from warplens.analysis.ports.sections.touched_range import (
    HostValues,
    NeverTouchedError,
    RangeUnknownError,
    TouchedRange,
    least_values,
    touched_range,
)
from warplens.analysis.workload.accesses.sites import access_sites
from warplens.analysis.workload.loops.derived_symbols import formula_of

Bounds = tuple[Polynomial, Polynomial]
"""First and last, inclusive."""


@dataclass(frozen=True, slots=True)
class TileSection:
    """Touched elements: per dimension, and as offsets from the array's start where the box has others outside.

    `values` are what the bounds are made of besides the nest's own symbols. Unless all `conditions` are >= 0 nothing is
    touched. `least` are least values of the sizes wherever the tile is filled.
    """

    dimensions: tuple[Bounds, ...]
    offset: Bounds | None
    least: Mapping[str, int]
    values: tuple[DerivedSymbol, ...]
    conditions: tuple[Polynomial, ...]


@dataclass(frozen=True, slots=True)
class NestSites:
    """Loops around each access of a nest, outer to inner, and the affine conditions under which it is read.

    `granted` are >= 0 whenever the nest runs.
    """

    known: frozenset[str]
    loops: Mapping[NodeId, tuple[Loop, ...]]
    conditions: Mapping[NodeId, Followed]
    granted: frozenset[Polynomial]

    @staticmethod
    def of(nest: LoopNest) -> NestSites:
        """All accesses of a nest."""
        known = known_symbols(nest)
        every = NestConditions(nest, known)
        conditions = {one.access.id: every.of(one) for one in references(nest) if one.access is not None}
        granted = frozenset(one.value for one in nest.known)
        return NestSites(known, {site.access.id: site.loops for site in access_sites(nest)}, conditions, granted)

    def holds_in(self, loops: Sequence[Loop], values: HostValues) -> frozenset[Polynomial]:
        """What is >= 0 in every iteration of loops, outer to inner, as far as sizes decide it."""
        try:
            return self.granted | touched_range(Polynomial(()), loops, (), self.known, values).conditions
        except (RangeUnknownError, NeverTouchedError):
            return self.granted


def tile_section(accesses: Sequence[Access], sites: NestSites, around: Sequence[Loop]) -> TileSection:
    """What accesses to one array touch together, in a tile that is filled inside of the loops `around`.

    Raises PortRefusedError where that has no name in the kernel.
    """
    indices = [tuple(index for index in access.indices if index is not None) for access in accesses]
    linear = [access.linear_index for access in accesses]
    known = [index for index in linear if index is not None]
    if len(known) < len(linear):
        raise PortRefusedError(f"the row length of `{c_name(accesses[0].array)}` is not known")
    values = HostValues()
    touched = _Touched(accesses, sites, values, sites.holds_in(around, values))
    dimensions = tuple(touched.bounds([index[dimension] for index in indices]) for dimension in range(len(indices[0])))
    offset = touched.bounds(known)
    _check_extents(accesses, sites, dimensions, touched.granted | touched.conditions)
    corners = tuple(row_major([bounds[end] for bounds in dimensions], accesses[0].extents) for end in (0, 1))
    bounds = dimensions if corners == offset else (*dimensions, offset)
    used = frozenset(name for pair in bounds for bound in pair for name in bound.symbols)
    used |= frozenset(name for condition in touched.conditions for name in condition.symbols)
    derived = tuple(value for value in _derived(values) if value.name in used)
    least = least_values((*touched.granted, *touched.conditions))
    conditions = tuple(sorted(touched.conditions, key=str))
    return TileSection(dimensions, None if corners == offset else offset, least, derived, conditions)


def _check_extents(
    accesses: Sequence[Access], sites: NestSites, dimensions: Sequence[Bounds], granted: frozenset[Polynomial]
) -> None:
    """Where data decides what is read of an array, the device may have no more than its declaration says."""
    extents = accesses[0].extents
    if extents[0] is None or not any(sites.conditions[access.id].by_data for access in accesses):
        return
    for (first, last), extent in zip(dimensions, extents, strict=True):
        if extent is None or not all(is_implied(room, granted) for room in (first, extent - 1 - last)):
            raise PortRefusedError(f"whether `{c_name(accesses[0].array)}` is read beyond its ends is decided by data")


def extreme_low(
    low: Polynomial, first_values: Mapping[str, tuple[Polynomial, Polynomial | None, int]], *, largest: bool
) -> Polynomial | None:
    """Least (largest) value of where boxes start, None where it is not known.

    `first_values` has, per symbol and inner ones first, its first value, its last (None: not known) and its step.
    """
    for symbol, (first, last, step) in first_values.items():
        slope = low.coefficient(symbol)
        if not slope.terms:
            continue
        if not slope.is_constant:
            return None
        rises = (slope.constant_term > 0) == (step > 0)
        end = last if rises == largest else first
        if end is None:
            return None
        low = low.substitute({symbol: end})
    return low


@dataclass(slots=True)
class _Touched:
    """Ranges of the accesses of one tile; `granted` are >= 0 wherever it is filled, `conditions` where any is read."""

    accesses: Sequence[Access]
    sites: NestSites
    values: HostValues
    granted: frozenset[Polynomial]
    conditions: frozenset[Polynomial] = frozenset()

    def bounds(self, indices: Sequence[Polynomial]) -> Bounds:
        """First and last of an index of each access, which must be the same whichever accesses are made."""
        hull = hull_of([*self._ranges(indices)], self.granted)
        array = c_name(self.accesses[0].array)
        if hull is None:
            raise PortRefusedError("it is never read")
        if not hull.is_exact:
            raise PortRefusedError(f"which elements of `{array}` are read is not known from the loops' bounds")
        for ends, what in ((hull.firsts, "first"), (hull.ends, "last")):
            if len(ends) > 1:
                values = [end.value - (1 if what == "last" else 0) for end in ends]
                if len(set(values)) == 1 or any(value.symbols & self.values.names.keys() for value in values):
                    raise PortRefusedError(f"which element of `{array}` is read {what} depends on sizes and conditions")
                shown = " or ".join(f"`{c_name(str(value))}`" for value in values)
                raise PortRefusedError(f"the {what} element of `{array}` that is read may be {shown}")
            needed = (condition for end in ends for condition in end.conditions)
            self.conditions |= {condition for condition in needed if not is_implied(condition, self.granted)}
        return hull.firsts[0].value, hull.ends[0].value - 1

    def _ranges(self, indices: Sequence[Polynomial]) -> Iterator[TouchedRange]:
        sites = self.sites
        for access, index in zip(self.accesses, indices, strict=True):
            followed = sites.conditions[access.id]
            for way in followed.ways:
                try:
                    found = touched_range(index, sites.loops[access.id], (way,), sites.known, self.values)
                except NeverTouchedError:
                    continue
                except RangeUnknownError as error:
                    raise PortRefusedError(
                        f"how far `{c_name(access.written)}` reaches is not known from the bounds of the loop over "
                        f"`{c_name(error.iterator)}`"
                    ) from error
                yield replace(found, is_exact=found.is_exact and not (found.is_guarded or followed.is_lossy))


def _derived(values: HostValues) -> Iterator[DerivedSymbol]:
    """The numbers as values that the kernel computes where it needs them."""
    formulas: dict[str, Formula] = {}
    for value in values.names.values():
        operands = [formula_of(operand, formulas) for operand in value.operands]
        if value.kind == "last":
            start, end, step = value.operands
            size, distance = abs(step.constant_term), (end - start) * (1 if step.constant_term > 0 else -1)
            steps = (formula_of(distance, formulas) / size).floor()
            formulas[value.name] = operands[0] + steps * step.constant_term
            sign = "+" if step.constant_term > 0 else "-"
            text = (
                f"{start} {sign} ({distance}) / {size} * {size}" if start.terms else f"({distance}) / {size} * {size}"
            )
            is_plain = all(name.isidentifier() for name in distance.symbols) and (bool(start.terms) or sign == "+")
            yield DerivedSymbol(value.name, formulas[value.name], text if is_plain else "")
        else:
            chosen = operands[0]
            for other in operands[1:]:
                chosen = chosen.at_most(other) if value.kind == "min" else chosen.at_least(other)
            formulas[value.name] = chosen
            yield DerivedSymbol(value.name, chosen, "")
