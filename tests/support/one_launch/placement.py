"""Where the threads of one launch are: blocks of a grid, the waves they run in, and the tail of the last one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.placement.grid_extents import ONE_OUTPUT, threads_extent, tile_extent
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.kernels.work_per_thread import times_run


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


def blocks_extent(iterations: Extent, tile: Extent) -> Extent:
    """Blocks of the grid along x, y, z; `tile` is what one covers (the block, where a thread has one output)."""
    x, y, z = (-(-count // size) for count, size in zip(iterations, tile, strict=True))
    return x, y, z


def wave_extent(blocks: Extent, wave_blocks: int) -> tuple[float, float, float]:
    """Blocks along x, y, z of the box that holds one wave: blocks are handed out x fastest.

    A wave that fills a part of its last row or plane counts with that part: the others go on where it ends.

    >>> wave_extent((32, 32, 1), 216)
    (32.0, 6.75, 1.0)
    """
    row, plane = max(1, blocks[0]), max(1, blocks[0] * blocks[1])
    wanted = wave_blocks, max(1.0, wave_blocks / row), max(1.0, wave_blocks / plane)
    x, y, z = (float(min(most, extent)) for most, extent in zip(blocks, wanted, strict=True))
    return x, y, z


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the threads of a launch are: iterations along x, y, z, and the loops they come from.

    `outputs` are those of a thread along x, y, z; a block covers `tile` iterations.
    """

    loops: tuple[NodeId, ...]
    iterations: Extent
    block: Extent
    blocks: Extent
    outputs: Extent = ONE_OUTPUT

    @property
    def tile(self) -> Extent:
        """Iterations along x, y, z that a block covers."""
        return tile_extent(self.block, self.outputs)

    @property
    def threads(self) -> Extent:
        """Threads along x, y, z with an iteration to run, as far as one can tell in the first block."""
        x, y, z = self.iterations
        return x, -(-y // self.outputs[1]), -(-z // self.outputs[2])

    @property
    def output_steps(self) -> Extent:
        """Iterations along x, y, z between neighbouring threads: side by side along x."""
        return 1, self.outputs[1], self.outputs[2]

    @property
    def filled_blocks(self) -> tuple[float, ...]:
        """Blocks along x, y, z, the last one by the share of it that lies inside the grid; at least 1."""
        return tuple(max(1.0, count / size) for count, size in zip(self.iterations, self.tile, strict=True))

    def counts(self, blocks: tuple[float, float, float]) -> dict[NodeId, float]:
        """Iterations of the grid loops that a box of blocks covers."""
        box = (min(n, b * size) for n, b, size in zip(self.iterations, blocks, self.tile, strict=True))
        return dict(zip(self.loops, box, strict=False))

    def warp_counts(self, warp_size_threads: int) -> dict[NodeId, float]:
        """Iterations of the grid loops that the first warp of a block covers, its threads' outputs included."""
        lanes_left = warp_size_threads
        covered: list[float] = []
        for count, size, outputs in zip(self.iterations, self.block, self.outputs, strict=True):
            lanes = min(size, lanes_left)
            lanes_left = max(1, lanes_left // size)
            covered.append(min(count, lanes * outputs))
        return dict(zip(self.loops, covered, strict=False))

    def full_copies(self, variation: Variation) -> float:
        """How often a thread of a full block runs an instruction that varies so along the loops."""
        axes = zip(self.iterations, self.block, self.outputs, strict=True)
        outputs = [float(min(each, max(1, -(-n // size)))) for n, size, each in axes]
        return times_run(variation, self.loops, outputs, 1.0)


def place_threads(kernel: Kernel, block: Extent, sizes: Mapping[str, int], outputs: Extent = ONE_OUTPUT) -> Placement:
    """Place the threads of a launch; raises KeyError for a parameter without value."""
    iterations = threads_extent(kernel, sizes)
    blocks = blocks_extent(iterations, tile_extent(block, outputs))
    return Placement(kernel.thread_order, iterations, block, blocks, outputs)
