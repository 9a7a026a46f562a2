"""What the costs of a kernel's accesses at one problem size have in common, whatever its launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.walk import Walk, WalkGroup, group_walks, thread_loop_trips, walks_of, windows_of
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.work.kernels.work_per_thread import varying_accesses


@dataclass(frozen=True)
class KernelWalks:
    """A kernel's accesses as they walk through memory; each part is worked out when the first launch asks for it."""

    kernel: Kernel
    sizes: Mapping[str, int]

    @cached_property
    def trips(self) -> dict[NodeId, float]:
        """Of a thread's loops (`thread_loop_trips`)."""
        return thread_loop_trips(self.kernel, self.sizes)

    @cached_property
    def walks(self) -> tuple[Walk, ...]:
        """Of all accesses that are not private."""
        return walks_of(self.kernel, self.trips, self.sizes)

    @cached_property
    def groups(self) -> tuple[WalkGroup, ...]:
        """Of these, those that walk alike."""
        return group_walks(self.walks)

    @cached_property
    def windows(self) -> frozenset[NodeId]:
        """Loops that are unrolled whole (`windows_of`)."""
        return windows_of(self.kernel)

    @cached_property
    def variations(self) -> dict[NodeId, Variation]:
        """How each access varies along the grid loops (`varying_accesses`)."""
        return varying_accesses(self.kernel)
