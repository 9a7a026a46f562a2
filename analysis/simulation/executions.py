"""How often the basic blocks of a thread's program run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop
from warplens.analysis.simulation.grid import count


def executions(
    program: tuple[Region, ...], sizes: Mapping[str, int], times: float = 1.0, *, per_warp: bool = True
) -> Iterator[tuple[BasicBlock, float]]:
    """Basic blocks in program order with their average executions by one warp, or by one thread.

    They differ in divergent branches: a warp runs both sides, a thread one of them.
    """
    for region in program:
        match region:
            case BasicBlock():
                yield region, times
            case ThreadLoop():
                inside = times * count(region.trip_count, sizes)
                yield from executions(region.body, sizes, inside, per_warp=per_warp)
            case Branch():
                shares = shares_of(region, per_warp=per_warp)
                for side, share in zip((region.then, region.otherwise), shares, strict=True):
                    yield from executions(side, sizes, times * share, per_warp=per_warp)


def shares_of(branch: Branch, *, per_warp: bool) -> tuple[float, float]:
    """Executions of both sides per execution of the branch: both for a warp whose threads disagree.

    Of a condition on iterators it is known in which share of the warps they do.
    """
    if branch.divergent and per_warp:
        return branch.warp_shares
    return float(branch.then_share), 1.0 - float(branch.then_share)


def busiest_block(program: tuple[Region, ...], sizes: Mapping[str, int]) -> BasicBlock | None:
    """The block that runs most often, the longest of those."""
    weighed = [(times, len(block.instructions), block) for block, times in executions(program, sizes)]
    return max(weighed, key=lambda entry: entry[:2])[2] if weighed else None
