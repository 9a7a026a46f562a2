"""Values alive at the same time in a thread's program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.facts.draft import DraftBlock, DraftBranch, DraftInstruction, DraftLoop, DraftRegion, Value


@dataclass(frozen=True, slots=True)
class Liveness:
    """Virtual registers in program order and their peak.

    `live_values`: per instruction what it reads (numbers) and writes (`~number`), a loop-carried value's entry into its
    loop included; a 64-bit value is two numbers. `pressure` counts 32-bit registers, those for indices included.
    """

    live_values: tuple[tuple[int, ...], ...]
    pressure: int


def liveness(regions: Sequence[DraftRegion], same: Mapping[int, int], index_registers: int) -> Liveness:
    """Peak of simultaneously live values in program order.

    A value defined outside a loop and used in it lives to the loop's end. `index_registers` are those that hold thread
    indices and loop counters, which are no values here. Addresses are 64-bit values.

    Assumes instructions stay in source order: a scheduler that moves loads up needs more registers.
    """
    walk = _Walk(same)
    walk.visit(regions)
    return Liveness(tuple(walk.entries), index_registers + walk.peak())


def loop_depth(regions: Sequence[DraftRegion]) -> int:
    """Largest number of loops inside each other: each holds a counter."""
    depth = 0
    for region in regions:
        if isinstance(region, DraftLoop):
            depth = max(depth, 1 + loop_depth(region.body))
        elif isinstance(region, DraftBranch):
            depth = max(depth, loop_depth(region.then), loop_depth(region.otherwise))
    return depth


class _Walk:
    def __init__(self, same: Mapping[int, int]) -> None:
        self.entries: list[tuple[int, ...]] = []
        self._same = same
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._read: set[int] = set()

    def visit(self, regions: Sequence[DraftRegion]) -> None:
        for region in regions:
            match region:
                case DraftBlock():
                    for instruction in region.instructions:
                        self._instruction(instruction)
                case DraftLoop():
                    self._loop(region)
                case DraftBranch():
                    self.visit(region.then)
                    self.visit(region.otherwise)

    def peak(self) -> int:
        change = [0] * (len(self.entries) + 2)
        for number, first in self._first.items():
            change[first] += 1
            change[self._last[number]] -= 1
        alive = peak = 0
        for delta in change:
            alive += delta
            peak = max(peak, alive)
        return peak

    def _instruction(self, instruction: DraftInstruction) -> None:
        reads = [n for value in instruction.operands for n in self._numbers(value)]
        writes = [] if instruction.result is None else self._numbers(instruction.result)
        self._entry(reads, writes)

    def _loop(self, loop: DraftLoop) -> None:
        read = _reads(loop.body)
        carried = [n for value in loop.entering if value.number in read for n in self._numbers(value)]
        if carried:
            self._entry([], list(dict.fromkeys(carried)))
        start = len(self.entries)
        self.visit(loop.body)
        end = len(self.entries)
        for number, first in self._first.items():
            if first < start < self._last[number]:
                self._last[number] = end

    def _entry(self, reads: Sequence[int], writes: Sequence[int]) -> None:
        position = len(self.entries)
        for number in reads:
            self._first.setdefault(number, 0)
            self._last[number] = position
        for number in writes:
            self._first.setdefault(number, position)
            self._last[number] = max(self._last.get(number, 0), position + 1)
        self.entries.append((*dict.fromkeys(reads), *(~number for number in writes)))

    def _numbers(self, value: Value) -> tuple[int, ...]:
        if value.number < 0:
            return ()
        number = value.number
        while number in self._same:
            number = self._same[number]
        return (2 * number, 2 * number + 1) if value.is_wide else (2 * number,)


def _reads(regions: Sequence[DraftRegion]) -> set[int]:
    found: set[int] = set()
    for region in regions:
        match region:
            case DraftBlock():
                for instruction in region.instructions:
                    found.update(operand.number for operand in instruction.operands)
            case DraftLoop():
                found |= _reads(region.body)
            case DraftBranch():
                found |= _reads(region.then) | _reads(region.otherwise)
    return found
