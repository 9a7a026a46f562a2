"""References of a nest that walk through one array alike, at one problem size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import inf

from warplens.analysis.cpu.footprint import Walk, walk_of
from warplens.analysis.cpu.loop_tree import CoreLoop, evaluated
from warplens.analysis.cpu.strides import Strides, access_bytes
from warplens.analysis.facts.nest_facts import AccessFacts, NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import loops_of

_TOGETHER = 1.25
"""A walk goes on where the next row begins within a quarter of the last one behind its end."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An access: the loops around it, outer first, and those that move it, by increasing stride.

    `fresh` are loops of which each iteration is assumed to walk through another part of the array: those that lead it
    where data says (`a[row[i] + j]`) and those around a mover that starts there (`k = row[i]`).
    """

    path: tuple[NodeId, ...]
    movers: tuple[NodeId, ...]
    fresh: tuple[NodeId, ...]
    requests: float


@dataclass(frozen=True, slots=True)
class AccessGroup:
    """References with the same strides and trip counts; `main` is the one that runs most often.

    `array_bytes` is the size of the whole array (infinite when unknown), used only where data leads. `is_far`: one
    access is at least a page from the one before, where hardware prefetchers don't follow. `stretches` are how
    often a walk through neighbouring elements goes on elsewhere.
    """

    array: str
    references: tuple[Reference, ...]
    main: Reference
    walk: Walk
    is_gathered: bool
    is_written: bool
    array_bytes: float
    is_far: bool
    stretches: float = 0.0

    def reference_in(self, loop: NodeId | None) -> Reference | None:
        """Return a reference inside the loop, the main one if it is; None when there is none."""
        if loop is None or loop in self.main.path:
            return self.main
        return next((reference for reference in self.references if loop in reference.path), None)


def access_groups(
    facts: NestFacts,
    loops: Mapping[NodeId | None, CoreLoop],
    strides_of: Mapping[NodeId, Strides | None],
    symbols: Mapping[str, int],
    sizes: Mapping[str, int],
    page_bytes: int,
) -> tuple[AccessGroup, ...]:
    """Group the memory accesses of a nest by their strides; private arrays (stack, registers) are left out.

    `symbols` are the `sizes` with what is derived from them (`symbols_of`).
    """
    alike: dict[tuple[object, ...], list[tuple[AccessFacts, Strides]]] = {}
    gathered: list[AccessFacts] = []
    for access in facts.sequential_accesses:
        strides = strides_of[access.access.id]
        if access.is_private:
            continue
        if strides is None:
            gathered.append(access)
            continue
        strides = {loop: stride for loop, stride in strides.items() if loop in loops}
        known = sorted((abs(stride), loops[loop].trips) for loop, stride in strides.items() if stride is not None)
        alike.setdefault((access.access.array, _elsewhere(strides), *known), []).append((access, strides))
    moved_bytes = {t.array: max(evaluated(t.in_bytes, sizes), evaluated(t.out_bytes, sizes)) for t in facts.transfers}
    unanchored = frozenset(loop.id for loop in loops_of(facts.nest) if loop.start is None)
    fixed = {array.name for array in facts.nest.arrays if array.chosen_in is None}
    whole = {array: size for array, size in moved_bytes.items() if array in fixed}
    groups = [_regular(members, loops, unanchored, whole, symbols, sizes, page_bytes) for members in alike.values()]
    for access in gathered:
        reference = _reference(access, (), frozenset(), loops, unanchored, sizes)
        size = moved_bytes.get(access.access.array) or inf
        walk = walk_of((), (0.0,), access_bytes(access))
        groups.append(
            AccessGroup(access.access.array, (reference,), reference, walk, True, access.is_write, size, True)
        )
    return tuple(groups)


def _elsewhere(strides: Strides) -> frozenset[NodeId]:
    """Loops of which each iteration leads to another part of the array."""
    return frozenset(loop for loop, stride in strides.items() if stride is None)


def _regular(
    members: Sequence[tuple[AccessFacts, Strides]],
    loops: Mapping[NodeId | None, CoreLoop],
    unanchored: AbstractSet[NodeId],
    whole_bytes: Mapping[str, float],
    symbols: Mapping[str, int],
    sizes: Mapping[str, int],
    page_bytes: int,
) -> AccessGroup:
    references: list[Reference] = []
    for access, strides in members:
        known = {loop: stride for loop, stride in strides.items() if stride is not None}
        movers = tuple(sorted(known, key=lambda loop: (abs(known[loop]), loops[loop].trips, loop)))
        references.append(_reference(access, movers, _elsewhere(strides), loops, unanchored, sizes))
    first, first_strides = members[0]
    walk = walk_of(
        [abs(first_strides[loop] or 0.0) for loop in references[0].movers],
        [_offset_bytes(access, symbols) for access, _ in members],
        max(access_bytes(access) for access, _ in members),
    )
    main = max(references, key=lambda reference: reference.requests)
    is_written = any(access.is_write for access, _ in members)
    moving = [mover for mover in main.path if mover in main.movers]
    nearest = dict(zip(main.movers, walk.strides, strict=True))[moving[-1]] if moving else 0.0
    array = first.access.array
    size = whole_bytes.get(array) or inf
    is_far = nearest >= page_bytes
    stretches = 0.0 if is_far else _stretches(main, walk, loops)
    return AccessGroup(array, tuple(references), main, walk, False, is_written, size, is_far, stretches)


def _stretches(main: Reference, walk: Walk, loops: Mapping[NodeId | None, CoreLoop]) -> float:
    """How often the innermost mover ends where the next outer one does not go on; 0 where the walk is one stretch."""
    steps = {loop: step for loop, step in zip(main.movers, walk.strides, strict=True) if loop in main.path}
    if len(steps) < 2:
        return 0.0
    shortest = min(steps.values())
    inner = max((loop for loop in steps if steps[loop] == shortest), key=lambda loop: loops[loop].trips)
    covered = shortest * loops[inner].trips
    beyond = [step for step in steps.values() if step > shortest]
    return loops[inner].entries if beyond and min(beyond) > covered * _TOGETHER else 0.0


def _reference(
    access: AccessFacts,
    movers: tuple[NodeId, ...],
    elsewhere: AbstractSet[NodeId],
    loops: Mapping[NodeId | None, CoreLoop],
    unanchored: AbstractSet[NodeId],
    sizes: Mapping[str, int],
) -> Reference:
    path = tuple(loop for loop in access.loops if loop in loops)
    first = next((depth for depth, loop in enumerate(path) if loop in movers and loop in unanchored), 0)
    fresh = tuple(loop for at, loop in enumerate(path) if loop in elsewhere or (at < first and loop not in movers))
    return Reference(path, movers, fresh, evaluated(access.executions_per_thread, sizes))


def _offset_bytes(access: AccessFacts, symbols: Mapping[str, int]) -> float:
    """Distance from the array's start, of what does not move and is known."""
    linear = access.address.linear_index
    elements = linear.without(linear.symbols - symbols.keys()).evaluate(symbols) if linear is not None else 0
    return float(elements * access.access.element_bytes + access.access.member_offset_bytes)
