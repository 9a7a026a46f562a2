"""A kernel on a GPU under one launch: costs, registers and occupancy, which every model starts from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

from warplens.analysis.facts.nest_facts import Kernel, Registers
from warplens.analysis.gpu.access_cost import AccessCost
from warplens.analysis.gpu.access_costs import access_costs
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.kernel_walks import KernelWalks
from warplens.analysis.gpu.launch import LaunchConfig
from warplens.analysis.gpu.occupancy import Occupancy, occupancy
from warplens.analysis.models.work.kernel_work import KernelWork
from warplens.analysis.models.work.thread_registers import thread_registers
from warplens.analysis.models.work.work_of_launch import work_of
from warplens.analysis.simulation.combining import Combining, combining_of, with_combining
from warplens.analysis.simulation.grid import Grid, grid
from warplens.analysis.simulation.machine import machine_for
from warplens.analysis.simulation.operation import Trace
from warplens.analysis.simulation.prologue import with_prologue
from warplens.analysis.simulation.result import SimulationResult, View
from warplens.analysis.simulation.simulate import simulate
from warplens.analysis.simulation.trace import build_trace

Shared = TypeVar("Shared")


@dataclass(frozen=True)
class KernelOnGpu:
    """What a prediction needs to know of a kernel, its launch and what the GPU makes of both.

    What models share beyond that is worked out once, when the first of them asks.
    """

    kernel: Kernel
    launch: LaunchConfig
    costs: tuple[AccessCost, ...]
    occupancy: Occupancy
    registers: Registers
    sizes: Mapping[str, int]
    gpu: Gpu
    combining: Combining
    grid: Grid
    """Threads, blocks and warps."""
    _shared: dict[Callable[[KernelOnGpu], object], object] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def shared(self, make: Callable[[KernelOnGpu], Shared]) -> Shared:
        """What `make` says of this launch, worked out when it is first asked: models and their benefits ask alike."""
        if make not in self._shared:
            self._shared[make] = make(self)
        return cast("Shared", self._shared[make])

    @cached_property
    def trace(self) -> Trace:
        """What one warp does."""
        trace = build_trace(self.kernel, self.launch, self.costs, self.registers, self.sizes, self.gpu)
        outputs = self.launch.outputs_per_thread[: len(self.kernel.grid)]
        started = with_prologue(trace, len(self.kernel.grid), self.gpu, sum(outputs))
        return with_combining(started, self.kernel, self.gpu, self.combining)

    @cached_property
    def work(self) -> KernelWork:
        """The launch as one row of what the closed-form models read."""
        return work_of(self)

    def simulate(self, trace: Trace, *views: View) -> SimulationResult:
        """The trace on this GPU's SM at this occupancy."""
        machine = machine_for(self.gpu, self.occupancy.warps_per_sm, self.occupancy.blocks_per_sm, trace)
        return simulate(trace, machine, views)


def kernel_on_gpu(
    kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], gpu: Gpu, walks: KernelWalks | None = None
) -> KernelOnGpu:
    """Costs, registers and occupancy of a launch; `walks` as `access_costs` has it."""
    registers = thread_registers(kernel, gpu, launch.outputs_per_thread)
    shape = grid(kernel, launch, sizes, gpu.warp_size_threads)
    resident = occupancy(
        gpu, launch.threads_per_block, registers.per_thread, launch.shared_bytes_per_block, max(1, shape.blocks)
    )
    costs = access_costs(kernel, launch, sizes, gpu, walks)
    return KernelOnGpu(kernel, launch, costs, resident, registers, sizes, gpu, combining_of(gpu), shape)


CaseOf = Callable[[LaunchConfig], KernelOnGpu]
"""The launches of one kernel at one problem size on one GPU."""
