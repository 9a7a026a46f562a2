"""A launch configuration: block shape and what is staged in shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True)
class SharedChoice:
    """An array region that a block stages: the accesses it serves, its size (padding included) and what it saves.

    `benefit` is Resios 6.2's: reads served / size, per block; `saved_bytes` the global traffic saved per block.
    """

    array: str
    accesses: tuple[NodeId, ...]
    size_bytes: int
    reads_per_block: float
    benefit: float
    saved_bytes: float
    stagings_per_block: float = 1.0
    """How often a block fills the region (once per chunk of the sequential loops), with a barrier before and after."""
    row_bytes: int | None = None
    """Bytes of the region that follow each other in memory; None: all of them."""
    alignment_bytes: int = 256
    """What the addresses of these rows are multiples of."""
    element_bytes: int = 4
    is_written: bool = False
    """The block writes the region, and copies it out at its end after a barrier, instead of filling it."""
    pad_elements: int = 0
    """Elements behind each row of the region, against bank conflicts."""
    pad_bytes: int = 0
    """What they take of `size_bytes` in all."""

    @property
    def moved_bytes(self) -> int:
        """Bytes that one filling moves (staged_copy.py has what it takes)."""
        return self.size_bytes - self.pad_bytes

    @property
    def is_read_again(self) -> bool:
        """Whether a block reads elements more often than it fills them."""
        return not self.is_written and self.reads_per_block * self.element_bytes > self.staged_bytes_per_block

    @property
    def staged_bytes_per_block(self) -> float:
        """Bytes that a block moves over its life."""
        return self.moved_bytes * self.stagings_per_block


@dataclass(frozen=True, slots=True)
class LaunchConfig:
    """`block` is (x, y, z) threads; `shared` what is staged.

    `outputs_per_thread` are the iterations that a thread runs along x, y, z. Along x they lie a block apart (Haigh &
    McCreath's F, round robin), so that neighbouring threads stay neighbours in memory; along y and z they are next to
    each other, so that what neighbouring iterations both read (rows of a stencil) is read once. A block covers
    block · outputs iterations along each axis either way.

    Raises ValueError: an extent below 1. A block too large for a GPU can be said: its occupancy is 0.
    """

    block: tuple[int, int, int]
    shared: tuple[SharedChoice, ...] = ()
    outputs_per_thread: tuple[int, int, int] = (1, 1, 1)

    def __post_init__(self) -> None:
        """Refuse a block without threads, and threads without outputs."""
        if min(self.block) < 1 or min(self.outputs_per_thread) < 1:
            raise ValueError(f"a launch of {self.block} threads, {self.outputs_per_thread} outputs each")

    @property
    def threads_per_block(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def shared_bytes_per_block(self) -> int:
        """Shared memory asked for by a block."""
        return sum(choice.size_bytes for choice in self.shared)
