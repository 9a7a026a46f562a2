"""How much memory a nest's arrays need at its sizes, and which random values keep it inside them.

Values are random, but what the nest uses as a subscript (`x[index[i]]`) lies inside the array that it leads into, what
it writes through is a permutation, and what bounds a loop (`row[i]`, `row[i + 1]`) rises from 0 to that loop's array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Literal

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.expression import Access, Expression, Load, walk
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import ArrayObject, Loop, LoopNest, loops_of
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import ArrayOf, CType, Scalar, StructOf
from warplens.analysis.workload.accesses.sites import access_sites
from warplens.analysis.workload.loops.derived_symbols import extend_sizes

Role = Literal["values", "subscripts", "permutation", "rows"]
_MOST_BYTES = 1 << 40
_INTEGERS_BELOW = 100


class NoMemoryPlanError(Exception):
    """No program can be written that hands the nest fitting memory; the message says why."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """Numbers of one type inside an array: `count` of them, `stride_bytes` apart, the first at `offset_bytes`."""

    label: str
    type: Scalar
    offset_bytes: int
    stride_bytes: int
    count: int
    role: Role = "values"
    limit: int = _INTEGERS_BELOW


@dataclass(frozen=True, slots=True)
class PlannedArray:
    """One object that the function reaches by `name`: a parameter, or (`is_global`) a variable of the file."""

    name: str
    elements: int
    element_bytes: int
    is_written: bool
    is_global: bool
    leaves: tuple[Leaf, ...]

    @property
    def bytes(self) -> int:
        """All of it."""
        return self.elements * self.element_bytes


def memory_plan(facts: NestFacts, sizes: Mapping[str, int]) -> tuple[PlannedArray, ...]:
    """Arrays of the nest that are not its own, in the nest's order; raises NoMemoryPlanError."""
    plan = _Plan(facts.nest, extend_sizes(dict(sizes), facts.nest))
    outside = [array for array in facts.nest.arrays if array.scope in {"parameter", "global"}]
    return tuple(plan.array(array) for array in outside)


class _Plan:
    def __init__(self, nest: LoopNest, sizes: Mapping[str, int]) -> None:
        self._nest = nest
        self._sizes = dict(sizes)
        self._accesses: dict[str, list[Access]] = {array.name: [] for array in nest.arrays}
        self._written: set[str] = set()
        for site in access_sites(nest):
            self._accesses[site.access.array].append(site.access)
            if site.is_write:
                self._written.add(site.access.array)
        self._ranges = dict(self._iterator_ranges())

    def array(self, array: ArrayObject) -> PlannedArray:
        name = c_name(array.name)
        if MemoryPath.of(array.name).is_in_structure or array.chosen_in is not None:
            raise NoMemoryPlanError(f"`{name}` is reached through a structure or chosen while the nest runs")
        elements = self._elements(array)
        if elements * array.element_bytes > _MOST_BYTES:
            raise NoMemoryPlanError(f"`{name}` would need {elements * array.element_bytes} bytes at these sizes")
        leaves = tuple(self._leaves(array, elements))
        is_written = array.name in self._written
        return PlannedArray(name, elements, array.element_bytes, is_written, array.scope == "global", leaves)

    def _elements(self, array: ArrayObject) -> int:
        """As declared, or as far as the subscripts reach: at least one."""
        declared = [self._value(extent) for extent in array.extents]
        reached = 1
        for access in self._accesses[array.name]:
            inner = [self._value(extent) for extent in access.extents[1:]]
            highest = self._highest(access.indices[0])
            if highest is None and None not in declared:
                continue
            if highest is None or None in inner:
                raise NoMemoryPlanError(
                    f"how far `{access.written}` reaches is not known: declare the array's size, as in `x[n]`"
                )
            rows = prod(extent for extent in inner if extent is not None)
            bytes_per_row = rows * access.element_bytes
            if access.element_bytes != array.element_bytes:  # inner dimensions may be those of a member
                bytes_per_row = array.element_bytes * prod(
                    extent for extent in inner[: len(array.extents) - 1] if extent is not None
                )
            reached = max(reached, -(-(highest + 1) * bytes_per_row // array.element_bytes))
        known = prod(extent for extent in declared if extent is not None) if None not in declared else 0
        return max(reached, known)

    def _highest(self, index: Polynomial | None) -> int | None:
        found = None if index is None else _interval(index, self._ranges, self._sizes)
        return None if found is None else max(0, found[1])

    def _iterator_ranges(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Values that iterators can have, wider than they are where bounds move."""
        known: dict[str, tuple[int, int]] = {}
        for loop in loops_of(self._nest):
            bounds = [*loop.limits, *(() if loop.start is None else (loop.start,))]
            found = [_interval(bound, known, self._sizes) for bound in bounds]
            ranges = [each for each in found if each is not None]
            if loop.start is None or not loop.limits or len(ranges) != len(found):
                continue
            start = ranges[-1]
            if loop.step > 0:
                values = (start[0], max(start[0], min(high for _, high in ranges[:-1]) - 1))
            else:
                values = (min(start[1], max(low for low, _ in ranges[:-1]) + 1), start[1])
            known[loop.iterator] = values
            yield loop.iterator, values

    def _value(self, extent: Polynomial | None) -> int | None:
        if extent is None or not extent.symbols <= self._sizes.keys():
            return None
        return max(0, extent.evaluate(self._sizes))

    def _leaves(self, array: ArrayObject, elements: int) -> Iterator[Leaf]:
        name = c_name(array.name)
        role, limit = self._role(array, elements)
        for label, scalar, offset, repeats in _scalars(array.element, ""):
            if scalar.lanes != 1 or scalar.kind == "complex" or scalar.size_bytes not in {1, 2, 4, 8}:
                raise NoMemoryPlanError(f"`{name}` holds `{scalar.name}`, for which no values are made")
            if repeats != 1 and elements != 1:
                for at in range(repeats):
                    yield Leaf(f"{name}{label}", scalar, offset + at * scalar.size_bytes, array.element_bytes, elements)
                continue
            stride = scalar.size_bytes if repeats != 1 else array.element_bytes
            yield Leaf(f"{name}{label}", scalar, offset, stride, elements * repeats, role, limit)

    def _role(self, array: ArrayObject, elements: int) -> tuple[Role, int]:
        bounded = [loop for loop in loops_of(self._nest) if array.name in _read_in(loop.bound_reads)]
        limits = [self._bounded_extent(loop) for loop in bounded]
        if limits:
            return "rows", min(limits)
        written = False
        for access in (access for accesses in self._accesses.values() for access in accesses):
            for subscript, extent in zip(access.subscripts, access.extents, strict=True):
                if array.name not in _read_in((subscript,)):
                    continue
                if not isinstance(subscript, Load):
                    name = c_name(array.name)
                    raise NoMemoryPlanError(f"no values of `{name}` are known that keep `{access.written}` inside")
                limits.append(self._extent_of(access, extent))
                written |= access.array in self._written
        if not limits:
            return "values", 1 << 8 if array.element_bytes == 1 else _INTEGERS_BELOW
        if written and min(limits) >= elements:
            return "permutation", elements
        return "subscripts", max(1, min(limits))

    def _extent_of(self, access: Access, extent: Polynomial | None) -> int:
        value = self._value(extent)
        if value is None and access.extents[0] is extent:
            array = next(each for each in self._nest.arrays if each.name == access.array)
            value = self._value(array.extents[0])
        if value is None:
            raise NoMemoryPlanError(
                f"how far `{access.written}` may reach is not known: declare the array's size, as in `x[n]`"
            )
        return value

    def _bounded_extent(self, loop: Loop) -> int:
        """The least extent that the iterator of a loop is a subscript of."""
        own = Polynomial.symbol(loop.iterator)
        found = [
            self._extent_of(access, extent)
            for accesses in self._accesses.values()
            for access in accesses
            for index, extent in zip(access.indices, access.extents, strict=True)
            if index == own
        ]
        if not found:
            raise NoMemoryPlanError(f"the bounds of the loop over `{c_name(loop.iterator)}` are read from memory")
        return min(found)


def _read_in(expressions: tuple[Expression, ...]) -> set[str]:
    return {part.access.array for expression in expressions for part in walk(expression) if isinstance(part, Load)}


def _interval(
    polynomial: Polynomial, ranges: Mapping[str, tuple[int, int]], sizes: Mapping[str, int]
) -> tuple[int, int] | None:
    """Values that a polynomial can have at most, None where a name in it has no known range."""
    low = high = 0
    for monomial, coefficient in polynomial.terms:
        least = most = coefficient
        for name in monomial:
            known = ranges.get(name) or ((sizes[name], sizes[name]) if name in sizes else None)
            if known is None:
                return None
            corners = [a * b for a, b in product((least, most), known)]
            least, most = min(corners), max(corners)
        low, high = low + least, high + most
    return low, high


def _scalars(ctype: CType, label: str, offset: int = 0, repeats: int = 1) -> Iterator[tuple[str, Scalar, int, int]]:
    """Numbers in a type: label, type, offset, and how many follow each other."""
    match ctype:
        case Scalar():
            yield label, ctype, offset, repeats
        case StructOf(fields=fields, is_union=is_union):
            for field in fields[:1] if is_union else fields:
                yield from _scalars(field.type, f"{label}.{field.name}", offset + field.offset_bytes)
        case ArrayOf(element=element, extent=extent) if extent is not None and extent.is_constant:
            inner = list(_scalars(element, label, offset, repeats * extent.constant_term))
            if len(inner) == 1:
                yield from inner
            else:
                raise NoMemoryPlanError("a structure holds an array of structures, for which no values are made")
        case _:
            raise NoMemoryPlanError("an array holds what no values are made for: pointers, or a type of unknown size")
