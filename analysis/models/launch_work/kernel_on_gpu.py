"""A kernel on a GPU under one launch: what every model starts from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel, Registers
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.occupancy import Occupancy, occupancy
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.access_cost import AccessCost, RequestCount
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.launch_work.access_costs import access_costs, array_copies, request_counts
from warplens.analysis.models.launch_work.counted_launches import CountedLaunches, count_launch
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.work_of_launches import work_of_launches
from warplens.analysis.models.results.quantity import only
from warplens.analysis.simulation.combining import Combining, combining_of, with_combining
from warplens.analysis.simulation.grid import Grid, grid
from warplens.analysis.simulation.launch_counts import ArrayCopy, LaunchCounts
from warplens.analysis.simulation.machine import machine_for
from warplens.analysis.simulation.operation import Trace
from warplens.analysis.simulation.prologue import with_prologue
from warplens.analysis.simulation.result import SimulationResult, View
from warplens.analysis.simulation.simulate import simulate
from warplens.analysis.simulation.spill_time import reloads_hit_l1
from warplens.analysis.simulation.team_exchanges import with_exchanges
from warplens.analysis.simulation.trace import build_trace

Shared = TypeVar("Shared")


@dataclass(frozen=True)
class KernelOnGpu:
    """What a prediction needs to know of a kernel, its launch and what the GPU makes of both.

    `counted` has the launch as its one row. What models share beyond that is worked out once, when the first of them
    asks.
    """

    counted: CountedLaunches
    launch: LaunchConfig
    combining: Combining
    _shared: dict[Callable[[KernelOnGpu], object], object] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def shared(self, make: Callable[[KernelOnGpu], Shared]) -> Shared:
        """What `make` says of this launch, worked out when it is first asked: models and their benefits ask alike."""
        if make not in self._shared:
            self._shared[make] = make(self)
        return cast("Shared", self._shared[make])

    @property
    def kernel(self) -> Kernel:
        """The kernel at its sizes."""
        return self.counted.sized.kernel

    @property
    def sizes(self) -> Mapping[str, int]:
        """The sizes that the kernel runs at."""
        return self.counted.sized.sizes

    @property
    def gpu(self) -> Gpu:
        """The GPU that it runs on."""
        return self.counted.gpu

    @cached_property
    def grid(self) -> Grid:
        """Threads, blocks and warps."""
        return grid(self.kernel, self.launch, self.sizes, self.gpu.warp_size_threads)

    @cached_property
    def registers(self) -> Registers:
        """Registers of a thread."""
        registers = self.counted.registers
        return registers.found[int(registers.number[0])]

    @cached_property
    def occupancy(self) -> Occupancy:
        """Resident blocks and warps of an SM, and what limits them."""
        launch = self.launch
        return occupancy(
            self.gpu,
            launch.threads_per_block,
            self.registers.per_thread,
            launch.shared_bytes_per_block,
            max(1, self.grid.blocks),
        )

    @property
    def _resident(self) -> tuple[int, int]:
        """Blocks and warps of an SM."""
        blocks = int(self.counted.resident[0])
        return blocks, blocks * self.grid.simulated_warps_per_block

    @cached_property
    def requests(self) -> dict[NodeId, RequestCount]:
        """What a request of each access asks for."""
        return request_counts(self.counted)

    @cached_property
    def copies(self) -> tuple[ArrayCopy, ...]:
        """What blocks copy to shared memory, in the order of the launch."""
        found = array_copies(self.counted)
        return tuple(found[choice.array] for choice in self.launch.shared)

    @cached_property
    def costs(self) -> tuple[AccessCost, ...]:
        """The same in words, in the kernel's order."""
        return access_costs(self.counted)

    @cached_property
    def trace(self) -> Trace:
        """What one warp does."""
        registers, shared = self.registers, self.launch.shared_bytes_per_block
        blocks, warps = self._resident
        slots = registers.spill_slots + registers.local_words
        in_l1 = slots > 0 and reloads_hit_l1(self.gpu, slots, warps, blocks, shared)
        beyond = only(self.work.spill_dram_share)
        counts = LaunchCounts(self.grid, self.requests, self.copies, registers, bool(in_l1), beyond)
        trace = build_trace(self.counted.sized, self.launch, counts, self.gpu)
        outputs = self.launch.outputs_per_thread[: len(self.kernel.grid)]
        started = with_prologue(trace, len(self.kernel.grid), self.gpu, sum(outputs))
        exchanged = with_exchanges(started, self.counted.sized, self.gpu)
        return with_combining(exchanged, self.kernel, self.gpu, self.combining)

    @cached_property
    def work(self) -> KernelWork:
        """The launch as one row of what the closed-form models read."""
        work = work_of_launches(self.counted, self.combining)
        # Whole numbers: columns of floating point round those of the largest grids.
        threads, blocks = np.array([float(self.grid.threads)]), np.array([float(self.grid.blocks)])
        return replace(work, threads=threads, blocks=blocks)

    def simulate(self, trace: Trace, *views: View) -> SimulationResult:
        """The trace on this GPU's SM at this occupancy."""
        blocks, warps = self._resident
        machine = machine_for(self.gpu, warps, blocks, trace)
        return simulate(trace, machine, views)


def kernel_on_gpu(sized: SizedKernel, launch: LaunchConfig, gpu: Gpu) -> KernelOnGpu:
    """Count one launch for the models."""
    return counted_on_gpu(count_launch(sized, launch, gpu), launch)


def counted_on_gpu(counted: CountedLaunches, launch: LaunchConfig) -> KernelOnGpu:
    """A launch that is counted, as the one row of `counted`, for the models."""
    return KernelOnGpu(counted, launch, combining_of(counted.gpu))
