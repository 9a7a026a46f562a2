"""What the device compiler gains by unrolling an innermost loop in part: less control, and iterations that overlap.

Assumes: straight-line innermost loops are unrolled as `UNROLLED` says, also where the trip count is not known, and the
loads of the copies are issued together but for those that a store of the loop keeps back (store_order.py). That is what
nvcc 13 does, whose SASS for sm_80 and sm_90 has these factors: 16 copies of products, sums, distances, sparse rows (up
to three loads and two operations with their addresses), of sums of exponentials, 4 of all pairs and of products with
four outputs, 2 with 16 outputs, 1 with more.
Of a loop that is unrolled whole (whole_unrolling.py) as many iterations overlap: more loads together need registers.
Not modelled: that long bodies are unrolled less, address arithmetic that the copies of a part share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce

from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.instructions.ilp import SLOW_PATHS
from warplens.analysis.workload.thread_program.draft import DraftBlock, DraftInstruction, DraftLoop
from warplens.analysis.workload.thread_program.promotion import MOST_COMPARED
from warplens.analysis.workload.thread_program.store_order import StoreOrder

_Level = tuple[int, int]
"""Instructions on the longest path to one, itself included, and loads on that with most."""

UNROLL_FACTOR = 4
UNROLLED: tuple[tuple[int, int], ...] = ((16, 10), (UNROLL_FACTOR, 32), (2, 64))
"""Copies, and the longest body, addresses included, that is unrolled so often."""

MOST_WORDS_IN_FLIGHT = 12
"""32-bit registers that loads are on their way to when the first of them is waited for. With 32 registers to a thread,
which keep its occupancy, nvcc 13 has 16 loads of floats of one array in front of the first use, 16 of two where their
addresses are simple and 4 to 8 where they are not, 8 of doubles, 12 of three arrays."""


def unroll_factor(loop: DraftLoop) -> int:
    """Copies of the body that run between two tests for the end: 1 where there is a loop, branch or call inside.

    A constant trip count that is smaller is the factor itself.
    """
    match loop.body:
        case [DraftBlock() as block] if all(_is_control(i, loop) or i.op != "branch" for i in block.instructions):
            factor = copies_of(sum(not _is_control(instruction, loop) for instruction in block.instructions))
            return max(1, min(factor, _constant(loop.trip_count, factor)))
    return 1


def copies_of(instructions: float) -> int:
    """Copies of a straight-line body of so many instructions, its loop's control left out.

    >>> [copies_of(size) for size in (5, 20, 40, 100)]
    [16, 4, 2, 1]
    """
    return next((copies for copies, longest in UNROLLED if instructions <= longest), 1)


@dataclass(frozen=True, slots=True)
class Unrolled:
    """`ilp` of the copies (Resios eq. 6.1), and loads that a thread waits for one after the other, per iteration."""

    ilp: Fraction
    load_chain: Fraction


@dataclass(slots=True)
class _Stores:
    """The stores so far of a piece of code by array: which, in which copy of the loop's body, behind what."""

    order: StoreOrder
    loop: NodeId | None
    by_array: dict[str, list[tuple[NodeId, int, _Level]]] = field(default_factory=dict)

    def add(self, store: NodeId, copy: int, level: _Level) -> None:
        access = self.order.accesses.get(store)
        self.by_array.setdefault("" if access is None else access.array, []).append((store, copy, level))

    def before(self, load: NodeId, copy: int) -> _Level:
        """What a load in a copy stays behind."""
        access = self.order.accesses.get(load)
        found = (0, 0)
        for array, stores in self.by_array.items():
            if access is None or array != access.array:  # one answer for all stores to another array
                if self.order.waits(load, stores[0][0]):
                    found = _latest(found, (level for _, _, level in stores))
            elif len(stores) > MOST_COMPARED:
                found = _latest(found, (level for _, _, level in stores))
            else:
                waits = self.order.waits
                found = _latest(
                    found, (level for store, at, level in stores if waits(load, store, copy - at, self.loop))
                )
        return found


def unrolled(
    block: DraftBlock, loop: DraftLoop | None, same: Mapping[int, int], factor: int, order: StoreOrder
) -> Unrolled:
    """Parallelism of `factor` copies of a loop's body; of one block that is none's, in itself.

    A copy waits for the one before where it reads what that one carries on; its loads wait for the stores that `order`
    says, and where it has an operation of `SLOW_PATHS` for those of the copy before.
    """
    carried = {_register(value.number, same) for value in loop.entering} if loop is not None else set()
    control = sum(_is_control(instruction, loop) for instruction in block.instructions)
    is_cut = any(instruction.op in SLOW_PATHS for instruction in block.instructions)
    stores = _Stores(order, None if loop is None else loop.loop)
    levels: dict[int, _Level] = {}
    entering: dict[int, _Level] = {}
    longest: _Level = (0, 0)
    cut = 0
    for copy in range(factor):
        leaving = dict(entering)
        for instruction in block.instructions:
            if _is_control(instruction, loop):
                continue
            waits = [
                levels.get(o.number, entering.get(_register(o.number, same), (0, 0))) for o in instruction.operands
            ]
            is_load = int(instruction.op in {"load", "atomic"})
            if is_load:
                waits.append((0, copy if is_cut else 0))
                if instruction.access is not None and stores.by_array:
                    waits.append(stores.before(instruction.access, copy))
            level = 1 + max(cut, *(all_ for all_, _ in waits), 0), is_load + max((n for _, n in waits), default=0)
            if instruction.op in SLOW_PATHS:
                cut = level[0]
            if instruction.op == "store" and instruction.access is not None:
                stores.add(instruction.access, copy, level)
            longest = _later(longest, level)
            if instruction.result is not None:
                levels[instruction.result.number] = level
                register = _register(instruction.result.number, same)
                if register in carried:
                    leaving[register] = level
        entering = leaving
        levels.clear()
    total = factor * (len(block.instructions) - control) + control
    chain, loads = longest
    return Unrolled(max(Fraction(1), Fraction(total, max(1, chain, control))), Fraction(loads, factor))


def _latest(one: _Level, others: Iterable[_Level]) -> _Level:
    return reduce(_later, others, one)


def _later(one: _Level, other: _Level) -> _Level:
    return max(one[0], other[0]), max(one[1], other[1])


def _is_control(instruction: DraftInstruction, loop: DraftLoop | None) -> bool:
    """Counter, test and jump of the loop itself."""
    return loop is not None and instruction.statement == loop.loop


def _register(number: int, same: Mapping[int, int]) -> int:
    while number in same:
        number = same[number]
    return number


def _constant(trip_count: Formula, otherwise: int) -> int:
    return otherwise if trip_count.value is None else int(trip_count.value)
