"""Blocks of a grid, the waves they run in, and the tail of the last one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, prod

from warplens.analysis.facts.nest_facts import GridLoop, Kernel
from warplens.analysis.ir.ids import NodeId

Extent = tuple[int, int, int]
"""Along x, y, z."""


@dataclass(frozen=True, slots=True)
class Waves:
    """`wave_blocks` run at a time (resident blocks on all SMs); the last wave has `tail_blocks` of them.

    `efficiency` is the work of all waves over the room they had: 1.0 when the last wave is full.
    """

    blocks: int
    wave_blocks: int
    waves: int
    tail_blocks: int

    @property
    def efficiency(self) -> float:
        """Share of block slots used, 0..1."""
        return self.blocks / (self.waves * self.wave_blocks) if self.waves else 0.0


def waves(blocks: int, blocks_per_sm: int, sm_count: int) -> Waves:
    """Waves of a grid of `blocks`.

    Assumes: all blocks take equally long, so that a wave ends at once.

    >>> waves(250, 1, 108)
    Waves(blocks=250, wave_blocks=108, waves=3, tail_blocks=34)
    """
    wave_blocks = max(1, blocks_per_sm * sm_count)
    count = -(-blocks // wave_blocks)
    return Waves(blocks, wave_blocks, count, blocks - (count - 1) * wave_blocks if count else 0)


def threads_extent(kernel: Kernel, sizes: Mapping[str, int]) -> Extent:
    """Threads of the grid along x, y, z (1 where there is no loop; an average trip count is rounded up).

    Raises KeyError for a parameter without value.
    """
    counts = [max(0, ceil(loop.trip_count.evaluate(sizes))) for loop in loops_in_thread_order(kernel)]
    x, y, z = (*counts, 1, 1, 1)[:3]
    return x, y, z


def blocks_extent(threads: Extent, block: Extent) -> Extent:
    """Blocks of the grid along x, y, z."""
    x, y, z = (-(-count // size) for count, size in zip(threads, block, strict=True))
    return x, y, z


def wave_extent(blocks: Extent, wave_blocks: int) -> Extent:
    """Blocks along x, y, z of the box that holds one wave: blocks are handed out x fastest.

    >>> wave_extent((32, 32, 1), 216)
    (32, 7, 1)
    """
    x = min(blocks[0], wave_blocks)
    y = min(blocks[1], ceil(wave_blocks / blocks[0])) if blocks[0] else 0
    z = min(blocks[2], ceil(wave_blocks / (blocks[0] * blocks[1]))) if prod(blocks[:2]) else 0
    return x, y, z


def loops_in_thread_order(kernel: Kernel) -> tuple[GridLoop, ...]:
    """Grid loops as x, y, z."""
    by_id = {loop.loop: loop for loop in kernel.grid}
    return tuple(by_id[loop] for loop in kernel.thread_order)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the threads of a launch are: extents along x, y, z, and the loops they come from."""

    loops: tuple[NodeId, ...]
    threads: Extent
    block: Extent
    blocks: Extent

    @property
    def filled_blocks(self) -> tuple[float, ...]:
        """Blocks along x, y, z, the last one by the share of it that lies inside the grid; at least 1."""
        return tuple(max(1.0, count / size) for count, size in zip(self.threads, self.block, strict=True))

    def counts(self, blocks: Extent) -> dict[NodeId, float]:
        """Iterations of the grid loops that a box of blocks covers."""
        box = (min(n, b * size) for n, b, size in zip(self.threads, blocks, self.block, strict=True))
        return dict(zip(self.loops, box, strict=False))


def place_threads(kernel: Kernel, block: Extent, sizes: Mapping[str, int]) -> Placement:
    """Place the threads of a launch; raises KeyError for a parameter without value."""
    threads = threads_extent(kernel, sizes)
    return Placement(kernel.thread_order, threads, block, blocks_extent(threads, block))
