"""Values alive at the same time in a thread's program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.thread_program.draft import (
    DraftBlock,
    DraftBranch,
    DraftInstruction,
    DraftLoop,
    DraftRegion,
    Value,
)
from warplens.analysis.workload.thread_program.unrolling import UNROLL_FACTOR, unroll_factor
from warplens.analysis.workload.thread_program.variation import Copies

Rows = tuple[tuple[int, ...], ...]
"""Counts of registers, a row per point of the program, a column per set of axes (`Kernel.live_by_axes`)."""


@dataclass(frozen=True, slots=True)
class Liveness:
    """Virtual registers in program order and their peak.

    `live_values`: per instruction what it reads (numbers) and writes (`~number`), a loop-carried value's entry into its
    loop included; a 64-bit value is two numbers. `by_axes` are the registers alive together at the points where most
    are, those for indices included: `Kernel.live_by_axes`; `hoisted_by_axes` where the loads of a loop's body come
    before the rest of it, `together_by_axes` where those of all copies do that a compiler makes of it. `updates` are
    the statements by which a loop's body changes what it carries on: two where the source unrolls by two.
    """

    live_values: tuple[tuple[int, ...], ...]
    by_axes: Rows
    hoisted_by_axes: Rows
    together_by_axes: Rows
    updates: int

    @property
    def pressure(self) -> int:
        """Most 32-bit registers alive together in a thread with one output."""
        return max(sum(row) for row in self.by_axes)


def liveness(
    regions: Sequence[DraftRegion],
    same: Mapping[int, int],
    index_registers: int,
    axes: Sequence[NodeId],
    copies: Copies,
) -> Liveness:
    """Peak of simultaneously live values in program order.

    A value defined outside a loop and used in it lives to the loop's end. `index_registers` are those that hold thread
    indices and loop counters, which are no values here: one each, as outputs are a known distance apart. Addresses are
    64-bit values. `copies` says along which of the grid loops `axes` a register has a copy for each output.

    Assumes: instructions stay in source order, which needs the fewest registers. Where they are issued together, a
    block begins with its addresses, held as pointers that each copy of the body moves on, and with all its loads.
    """
    walk = _Walk(same, axes, copies)
    walk.visit(regions)
    return Liveness(tuple(walk.entries), *walk.peaks(index_registers), walk.updates)


def loop_depth(regions: Sequence[DraftRegion]) -> int:
    """Largest number of loops inside each other that hold a counter: one that is unrolled whole has none."""
    depth = 0
    for region in regions:
        if isinstance(region, DraftLoop):
            depth = max(depth, loop_depth(region.body) + (not region.is_unrolled))
        elif isinstance(region, DraftBranch):
            depth = max(depth, loop_depth(region.then), loop_depth(region.otherwise))
    return depth


@dataclass(frozen=True, slots=True)
class _Burst:
    """Values that the block at a position brings into registers at its beginning: addresses and loads.

    `further` are the loads of the copies that the compiler makes of a loop's body, each number as often as there are.
    """

    position: int
    numbers: tuple[int, ...]
    further: tuple[int, ...]
    is_loop_body: bool


@dataclass(slots=True)
class _Uses:
    """Blocks in which a value is written or read, and the grid loops along which its readers vary."""

    blocks: set[int]
    readers: set[frozenset[NodeId]]


class _Walk:
    def __init__(self, same: Mapping[int, int], axes: Sequence[NodeId], copies: Copies) -> None:
        self.entries: list[tuple[int, ...]] = []
        self.updates = 1
        self._same = same
        self._axes = axes
        self._copies = copies
        self._bursts: list[_Burst] = []
        self._used: dict[int, _Uses] = {}
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._members: dict[int, set[int]] = {}

    def visit(self, regions: Sequence[DraftRegion]) -> None:
        for region in regions:
            match region:
                case DraftBlock():
                    self._block(region)
                case DraftLoop():
                    self._loop(region)
                case DraftBranch():
                    self.visit(region.then)
                    self.visit(region.otherwise)

    def peaks(self, index_registers: int) -> tuple[Rows, Rows, Rows]:
        """Counts of values alive together by axes, at the points that no other exceeds in each count.

        In source order, with the loads of each loop's body first, and with the loads of each block and copy first.
        """
        kinds = {number: self._kind(number) for number in self._first}
        held = {number: 0 if self._has_turns(number) else kind for number, kind in kinds.items()}
        changes: dict[int, list[int]] = {}
        for number, first in self._first.items():
            changes.setdefault(first, [0] * self._kinds)[held[number]] += 1
            changes.setdefault(self._last[number], [0] * self._kinds)[held[number]] -= 1
        alive = [index_registers, *(0,) * (self._kinds - 1)]
        in_order, hoisted, together = _Peaks(alive), _Peaks(alive), _Peaks(alive)
        bursts = {burst.position: burst for burst in self._bursts}
        for position, change in sorted({**{p: [0] * self._kinds for p in bursts}, **changes}.items()):
            if (burst := bursts.get(position)) is not None:
                loaded = list(alive)
                for number in burst.numbers:
                    loaded[kinds[number]] += 1
                if burst.is_loop_body:
                    hoisted.add(loaded)
                for number in burst.further:
                    loaded[kinds[number]] += 1
                together.add(loaded)
            alive = [count + delta for count, delta in zip(alive, change, strict=True)]
            for peaks in (in_order, hoisted, together):
                peaks.add(alive)
        return in_order.rows, hoisted.rows, together.rows

    @property
    def _kinds(self) -> int:
        return 1 << len(self._axes)

    def _kind(self, number: int) -> int:
        """Axes along which a value has a copy per output, as bits."""
        varies = self._copies(self._members[number // 2])
        return sum(1 << bit for bit, axis in enumerate(self._axes) if axis in varies)

    def _has_turns(self, number: int) -> bool:
        """Whether the outputs can use the register one after the other.

        They can where one block writes and reads it, once per output each time: nothing in it waits for all of them.
        """
        uses = self._used[number // 2]
        varies = self._copies(self._members[number // 2])
        return len(uses.blocks) == 1 and uses.readers == {varies}

    def _note(self, block: DraftBlock, value: Value, readers: Iterable[frozenset[NodeId]]) -> None:
        for number in self._numbers(value)[:1]:
            uses = self._used.setdefault(number // 2, _Uses(set(), set()))
            uses.blocks.add(id(block))
            uses.readers.update(readers)

    def _block(self, block: DraftBlock, loop: DraftLoop | None = None) -> None:
        """Enter a block; `loop` where it is the whole body of one."""
        start = len(self.entries)
        for instruction in block.instructions:
            self._instruction(instruction)
            for operand in instruction.operands:
                self._note(block, operand, (instruction.varies,))
            if instruction.result is not None:
                self._note(block, instruction.result, ())
        memory = [i for i in block.instructions if i.op in {"load", "store", "atomic"}]
        used = {instruction.operands[-1].number for instruction in memory}
        copies = 1 if loop is None else min(UNROLL_FACTOR, unroll_factor(loop))
        found: list[int] = []
        further: list[int] = []
        for instruction in block.instructions:
            result = instruction.result
            if result is not None and (instruction.op == "load" or result.number in used):
                found += self._numbers(result)
                further += self._numbers(result) * (copies - 1 if instruction.op == "load" else 0)
        self._bursts.append(_Burst(start, tuple(found), tuple(further), loop is not None))

    def _instruction(self, instruction: DraftInstruction) -> None:
        reads = [n for value in instruction.operands for n in self._numbers(value)]
        writes = [] if instruction.result is None else self._numbers(instruction.result)
        self._entry(reads, writes)

    def _loop(self, loop: DraftLoop) -> None:
        read = _reads(loop.body)
        carried = [n for value in loop.entering if value.number in read for n in self._numbers(value)]
        if carried:
            self._entry([], list(dict.fromkeys(carried)))
        for value in loop.entering:
            self._numbers(value)
            self._used.setdefault(self._canonical(value.number), _Uses(set(), set())).readers.add(frozenset())
        start = len(self.entries)
        match loop.body:
            case [DraftBlock() as block]:
                self._block(block, loop)
                self.updates = max(self.updates, self._updates(block, loop))
            case body:
                self.visit(body)
        end = len(self.entries)
        for number, first in self._first.items():
            if first < start < self._last[number]:
                self._last[number] = end

    def _updates(self, block: DraftBlock, loop: DraftLoop) -> int:
        """Statements between a carried value's entry into the body and the last write of it, the most of any."""
        carried = {self._canonical(value.number) for value in loop.entering}
        passed: dict[int, frozenset[NodeId | None]] = dict.fromkeys(carried, frozenset())
        most = 0
        for instruction in block.instructions:
            read = [passed[n] for n in (self._canonical(o.number) for o in instruction.operands) if n in passed]
            if read and instruction.result is not None:
                written = self._canonical(instruction.result.number)
                passed[written] = frozenset({instruction.statement}).union(*read)
                if written in carried:
                    most = max(most, len(passed[written]))
        return most

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
        number = self._canonical(value.number)
        self._members.setdefault(number, set()).add(value.number)
        return (2 * number, 2 * number + 1) if value.is_wide else (2 * number,)

    def _canonical(self, number: int) -> int:
        while number in self._same:
            number = self._same[number]
        return number


class _Peaks:
    """Rows of counts that no other row exceeds in each count."""

    def __init__(self, first: Sequence[int]) -> None:
        self.rows: Rows = (tuple(first),)

    def add(self, counts: Sequence[int]) -> None:
        if not any(_covers(row, counts) for row in self.rows):
            self.rows = (*(row for row in self.rows if not _covers(counts, row)), tuple(counts))


def _covers(peak: Iterable[int], other: Iterable[int]) -> bool:
    return all(count >= less for count, less in zip(peak, other, strict=True))


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
