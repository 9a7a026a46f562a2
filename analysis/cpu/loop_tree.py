"""The loops of a nest as one core runs them at given sizes: trips, entries, straight-line code, complete unrolling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId

UNROLL_MAX_TRIPS = 16
"""gcc --param max-completely-peel-times."""
UNROLL_MAX_INSTRUCTIONS = 200
"""gcc --param max-completely-peeled-insns."""

_LARGEST = 1e60
"""Counts are cut here so that products of 64-bit trip counts stay finite."""


@dataclass(frozen=True, slots=True)
class WeightedBlock:
    """Straight-line code and how often it runs per iteration of the loop it was given to.

    `in_lanes` is how often it runs where conditions are masks: both sides of each.
    """

    block: BasicBlock
    per_iteration: float
    in_lanes: float


@dataclass(frozen=True, slots=True)
class CoreLoop:
    """A loop at one problem size. `trips` per entry, `entries` in the whole nest.

    `loop` is None for the outermost level, which is no loop (one trip, one entry). `fixed_trips`: the compiler knows
    the trip count. `unrolled` are the loops whose code was copied into `blocks`; `branches`: some code is conditional.
    """

    loop: NodeId | None
    trips: float
    entries: float
    fixed_trips: bool
    blocks: tuple[WeightedBlock, ...]
    children: tuple[CoreLoop, ...]
    unrolled: tuple[NodeId, ...] = ()
    branches: bool = False

    @property
    def iterations(self) -> float:
        """Iterations in the whole nest."""
        return bounded(self.trips * self.entries)

    def walk(self) -> Iterator[CoreLoop]:
        """Yield the loop and those inside, outer before inner."""
        yield self
        for child in self.children:
            yield from child.walk()


def bounded(count: float) -> float:
    """Cut a count to [0, 1e60]."""
    return min(max(count, 0.0), _LARGEST)


def evaluated(formula: Formula, sizes: Mapping[str, int]) -> float:
    """Value of a count, cut to [0, 1e60]; 0 where it divides by zero or a parameter has no value."""
    try:
        value = formula.evaluate(sizes)
    except (KeyError, ZeroDivisionError):
        return 0.0
    return bounded(float(min(value, Fraction(int(_LARGEST)))))


def core_tree(program: tuple[Region, ...], sizes: Mapping[str, int]) -> CoreLoop:
    """Evaluate a sequential program at `sizes`; nothing is unrolled yet."""
    return _level(program, None, 1.0, 1.0, True, sizes)


def unroll(loop: CoreLoop, max_trips: int = UNROLL_MAX_TRIPS) -> CoreLoop:
    """Replace small innermost loops of constant trip count by copies of their code, as gcc -O3 does.

    `max_trips` is smaller where the code must not grow (-O2).

    Source: gcc's pass_complete_unrolli and its parameters max-completely-peel-times and max-completely-peeled-insns; an
    outermost loop is not unrolled there.
    """
    children: list[CoreLoop] = []
    blocks = list(loop.blocks)
    copied: list[NodeId] = []
    branches = loop.branches
    for child in (unroll(child, max_trips) for child in loop.children):
        size = sum(_copied(b.block, child) * b.per_iteration for b in child.blocks) * child.trips
        is_small = child.trips <= max_trips and size <= UNROLL_MAX_INSTRUCTIONS
        if loop.loop is None or child.children or not child.fixed_trips or not is_small or child.loop is None:
            children.append(child)
            continue
        per_iteration = child.iterations / loop.iterations if loop.iterations else child.trips
        blocks += [
            WeightedBlock(b.block, b.per_iteration * per_iteration, b.in_lanes * child.trips) for b in child.blocks
        ]
        copied += [child.loop, *child.unrolled]
        branches |= child.branches
    return replace(
        loop, blocks=tuple(blocks), children=tuple(children), unrolled=(*loop.unrolled, *copied), branches=branches
    )


def _copied(block: BasicBlock, loop: CoreLoop) -> float:
    """Instructions of a copy: counting and addresses become constants, and a third of the rest is taken to simplify."""
    left = [i for i in block.instructions if i.statement != loop.loop and i.op != "int_mad"]
    return len(left) * 2.0 / 3.0


def _level(
    body: tuple[Region, ...], loop: NodeId | None, trips: float, entries: float, fixed: bool, sizes: Mapping[str, int]
) -> CoreLoop:
    blocks: list[WeightedBlock] = []
    children: list[CoreLoop] = []
    branches = False
    pending: list[tuple[Region, float]] = [(region, 1.0) for region in reversed(body)]
    while pending:
        region, share = pending.pop()
        match region:
            case BasicBlock():
                blocks.append(WeightedBlock(region, share, 1.0))
            case ThreadLoop(inner, count, inner_body):
                inner_entries = bounded(trips * entries * share)
                children.append(
                    _level(inner_body, inner, evaluated(count, sizes), inner_entries, not count.parameters, sizes)
                )
            case Branch():
                branches = True
                then_share = float(region.share_at(sizes))
                pending += [(r, share * (1.0 - then_share)) for r in reversed(region.otherwise)]
                pending += [(r, share * then_share) for r in reversed(region.then)]
    return CoreLoop(loop, trips, entries, fixed, tuple(blocks), tuple(children), (), branches)
