"""A kernel at one problem size, with what all its launches have in common there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.placement.grid_extents import threads_extent
from warplens.analysis.gpu.placement.walk import Walk, WalkGroup, group_walks, thread_loop_trips, walks_of, windows_of
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.accesses.access_facts import executions_by_access
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.analysis.workload.kernels.work_per_thread import varying_accesses
from warplens.analysis.workload.loops.derived_symbols import Sizes

Shared = TypeVar("Shared")


@dataclass(frozen=True)
class SizedKernel:
    """A kernel and the sizes that it runs at; each part is worked out when the first launch asks for it.

    Symbols without a value in `sizes` are counters of loops around the kernel.
    The parts raise KeyError for a parameter without value.
    """

    kernel: Kernel
    sizes: Sizes
    _shared: dict[Callable[[SizedKernel], object], object] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, kernel: Kernel, sizes: Sizes) -> SizedKernel:
        """The kernel with numbers for its formulas (`kernel_at`)."""
        return cls(kernel_at(kernel, sizes), sizes)

    def shared(self, make: Callable[[SizedKernel], Shared]) -> Shared:
        """What `make` says of the kernel, worked out when it is first asked."""
        if make not in self._shared:
            self._shared[make] = make(self)
        return cast("Shared", self._shared[make])

    @cached_property
    def iterations(self) -> Extent:
        """Iterations of the grid along x, y, z (`threads_extent`)."""
        return threads_extent(self.kernel, self.sizes)

    @cached_property
    def trips(self) -> dict[NodeId, float]:
        """Average trip counts of a thread's loops (`thread_loop_trips`)."""
        return thread_loop_trips(self.kernel, self.sizes)

    @cached_property
    def walks(self) -> tuple[Walk, ...]:
        """All accesses that are not private as they walk through memory."""
        return walks_of(self.kernel, self.trips, self.sizes)

    @cached_property
    def groups(self) -> tuple[WalkGroup, ...]:
        """The walks that walk alike."""
        return group_walks(self.walks)

    @cached_property
    def windows(self) -> frozenset[NodeId]:
        """Loops that are unrolled whole (`windows_of`)."""
        return windows_of(self.kernel)

    @cached_property
    def variations(self) -> dict[NodeId, Variation]:
        """How each access varies along the grid loops (`varying_accesses`)."""
        return varying_accesses(self.kernel)

    @cached_property
    def executions(self) -> dict[NodeId, float]:
        """How often a thread with one output makes each access."""
        accesses = self.kernel.accesses
        return {each.access.id: float(each.executions_per_thread.evaluate(self.sizes)) for each in accesses}

    @cached_property
    def requests(self) -> dict[NodeId, float]:
        """How often a warp asks for each access, per output of its threads: both sides of a branch that divides it."""
        made = executions_by_access(self.kernel.program, self.sizes, per_warp=True)
        return {
            access: float(made[access].evaluate(self.sizes)) if access in made and times else times
            for access, times in self.executions.items()
        }

    @cached_property
    def column_of(self) -> dict[NodeId, int]:
        """Column of each access in tables (launches, accesses)."""
        return {facts.access.id: column for column, facts in enumerate(self.kernel.accesses)}
