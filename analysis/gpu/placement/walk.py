"""The accesses of a kernel at one problem size: strides in bytes per loop, grouped by how they walk an array."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from warplens.analysis.facts.computed_index import Level
from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import Scalar

Counts = Mapping[NodeId, float]
"""Iterations of a loop that run together; a loop that is not listed is held."""
Levels = tuple[tuple[NodeId, tuple[Level, ...]], ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """One access: a stride is None where it is not constant or not known; `path` are its thread loops, outer first."""

    facts: AccessFacts
    size_bytes: int
    strides: Mapping[NodeId, int | None]
    offset_bytes: int
    path: tuple[NodeId, ...]
    whole_bytes: float
    """Of the array, or what the nest touches of it; infinite when neither is known."""
    levels: Levels = ()
    """Loops with more than one stride (`AccessFacts.levels`)."""


@dataclass(frozen=True, slots=True)
class WalkGroup:
    """Accesses to one array with the same strides; `spread` is by how many iterations of a loop they lie apart.

    They begin at so many different `starts`, and read or write at most `size_bytes` there.
    """

    walks: tuple[Walk, ...]
    strides: Mapping[NodeId, int | None]
    spread: Mapping[NodeId, int]
    span_bytes: int
    path: tuple[NodeId, ...]
    starts: int
    size_bytes: int
    levels: Levels = ()

    def is_scattered_along(self, loops: Collection[NodeId]) -> bool:
        """Whether one of the loops moves the group by steps that are not known."""
        return any(self.strides.get(loop, 0) is None for loop in loops)


def thread_loop_trips(kernel: Kernel, sizes: Mapping[str, int]) -> dict[NodeId, float]:
    """Average trip count of the loops that a thread runs; raises KeyError for a parameter without value."""
    trips: dict[NodeId, float] = {}

    def visit(regions: Sequence[Region]) -> None:
        for region in regions:
            if isinstance(region, ThreadLoop):
                trips[region.loop] = float(region.trip_count.evaluate(sizes))
                visit(region.body)
            elif isinstance(region, Branch):
                visit(region.then)
                visit(region.otherwise)

    visit(kernel.program)
    return trips


def windows_of(kernel: Kernel) -> frozenset[NodeId]:
    """Innermost loops of constant length that the compiler unrolls whole: nothing is left that controls them."""
    found: set[NodeId] = set()

    def visit(regions: Sequence[Region]) -> None:
        for region in regions:
            match region:
                case ThreadLoop(body=(BasicBlock() as block,)) if region.trip_count.value is not None:
                    if all(instruction.statement != region.loop for instruction in block.instructions):
                        found.add(region.loop)
                case ThreadLoop():
                    visit(region.body)
                case Branch():
                    visit(region.then)
                    visit(region.otherwise)
                case BasicBlock():
                    pass

    visit(kernel.program)
    return frozenset(found)


def walks_of(kernel: Kernel, trips: Mapping[NodeId, float], sizes: Mapping[str, int]) -> tuple[Walk, ...]:
    """Accesses to memory that is not private, in the kernel's order."""
    counts = {loop.loop: evaluated(loop.trip_count, sizes) for loop in kernel.grid} | dict(trips)
    return tuple(_walk(facts, trips, counts, sizes) for facts in kernel.accesses if not facts.is_private)


def group_walks(walks: Sequence[Walk]) -> tuple[WalkGroup, ...]:
    """Group accesses that walk alike; one whose start is not known is a group of its own.

    Those with a stride that is not known walk alike where they differ by a constant: `p[i]` and `p[i + 1]` of a pointer
    that an outer loop moves.
    """
    alike: dict[tuple[object, ...], list[Walk]] = {}
    for number, walk in enumerate(walks):
        facts, linear = walk.facts, walk.facts.address.linear_index
        shape: object = number
        if linear is not None and not facts.is_gathered and not facts.unknown:
            is_known = None not in walk.strides.values()
            moving = None if is_known else linear - linear.constant_term
            strides = tuple((loop, stride) for loop, stride in sorted(walk.strides.items()) if stride != 0)
            shape = (strides, moving, facts.levels)
        alike.setdefault((facts.access.array, shape), []).append(walk)
    return tuple(_group(members) for members in alike.values())


def requested_bytes(facts: AccessFacts) -> int:
    """Bytes that one thread reads or writes."""
    kind = facts.access.type
    return kind.size_bytes if isinstance(kind, Scalar) else facts.access.element_bytes


def _walk(facts: AccessFacts, trips: Mapping[NodeId, float], counts: Counts, sizes: Mapping[str, int]) -> Walk:
    strides = {loop: evaluate_known(polynomial, sizes) for loop, polynomial in facts.stride_bytes}
    linear = facts.address.linear_index
    constant = linear.partial(sizes).constant_term if linear is not None else 0
    return Walk(
        facts,
        requested_bytes(facts),
        strides,
        constant * facts.access.element_bytes + facts.access.member_offset_bytes,
        tuple(loop for loop in facts.loops if loop in trips),
        _whole_bytes(facts, strides, counts, sizes),
        facts.levels,
    )


def evaluate_known(polynomial: Polynomial | None, sizes: Mapping[str, int]) -> int | None:
    """Value, or None when a symbol has none."""
    if polynomial is None:
        return None
    try:
        return polynomial.evaluate(sizes)
    except KeyError:
        return None


def evaluated(formula: Formula, sizes: Mapping[str, int]) -> float:
    """Value of a count, infinite where a name has none."""
    try:
        return float(formula.evaluate(sizes))
    except (KeyError, ZeroDivisionError):
        return inf


def _whole_bytes(
    facts: AccessFacts, strides: Mapping[NodeId, int | None], counts: Counts, sizes: Mapping[str, int]
) -> float:
    touched = inf
    if facts.array_bytes is not None:
        touched = float(facts.array_bytes.evaluate(sizes)) or inf
        touched = max(touched, min(_with_gaps(touched, facts, strides), _span_bytes(facts, strides, counts)))
    total = facts.access.element_bytes
    for extent in facts.access.extents:
        value = evaluate_known(extent, sizes)
        if value is None:
            return touched
        total *= max(1, value)
    return min(total, touched)


def _with_gaps(touched: float, facts: AccessFacts, strides: Mapping[NodeId, int | None]) -> float:
    """Bytes of the elements that are touched with those between them: of `x[s * i]` one in s is."""
    if None in strides.values():
        return touched
    shortest = min((abs(stride) for stride in strides.values() if stride), default=0)
    return touched * max(1.0, shortest / facts.access.element_bytes)


def _span_bytes(facts: AccessFacts, strides: Mapping[NodeId, int | None], counts: Counts) -> float:
    """Bytes from the first to the last element that one access touches."""
    ways = (abs(stride) * (counts.get(loop, inf) - 1) for loop, stride in strides.items() if stride)
    return sum(ways) + facts.access.element_bytes


def _group(members: Sequence[Walk]) -> WalkGroup:
    """Box of the members: their offsets, counted in iterations of the loop with the nearest smaller stride."""
    main = max(members, key=lambda walk: len(walk.path))
    strides = main.strides
    spread: dict[NodeId, int] = {}
    low = high = 0
    if len(members) > 1:
        base = members[0].offset_bytes
        rests = [walk.offset_bytes - base for walk in members]
        for loop, stride in sorted(strides.items(), key=lambda item: -abs(item[1] or 0)):
            if stride:
                steps = [round(rest / abs(stride)) for rest in rests]
                spread[loop] = max(steps) - min(steps)
                rests = [rest - step * abs(stride) for rest, step in zip(rests, steps, strict=True)]
        low, high = min(rests), max(rests)
    size = max(walk.size_bytes for walk in members)
    starts = len({walk.offset_bytes for walk in members})
    return WalkGroup(tuple(members), strides, spread, size + high - low, main.path, starts, size, main.levels)
