"""A kernel on a GPU under one launch: costs, registers and occupancy, which every model starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.facts.nest_facts import Kernel, Registers
from warplens.analysis.gpu.access_cost import AccessCost
from warplens.analysis.gpu.access_costs import access_costs
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launch import LaunchConfig
from warplens.analysis.gpu.occupancy import Occupancy, occupancy
from warplens.analysis.models.thread_registers import thread_registers
from warplens.analysis.simulation.combining import with_combining
from warplens.analysis.simulation.grid import Grid, grid
from warplens.analysis.simulation.machine import machine_for
from warplens.analysis.simulation.operation import Trace
from warplens.analysis.simulation.prologue import with_prologue
from warplens.analysis.simulation.result import SimulationResult, View
from warplens.analysis.simulation.simulate import simulate
from warplens.analysis.simulation.trace import build_trace


@dataclass(frozen=True, slots=True)
class KernelOnGpu:
    """What a prediction needs to know of a kernel, its launch and what the GPU makes of both."""

    kernel: Kernel
    launch: LaunchConfig
    costs: tuple[AccessCost, ...]
    occupancy: Occupancy
    registers: Registers
    sizes: Mapping[str, int]
    gpu: Gpu

    @property
    def grid(self) -> Grid:
        """Threads, blocks and warps."""
        return grid(self.kernel, self.launch, self.sizes, self.gpu.warp_size_threads)

    @property
    def trace(self) -> Trace:
        """What one warp does."""
        trace = build_trace(self.kernel, self.launch, self.costs, self.registers, self.sizes, self.gpu)
        outputs = self.launch.outputs_per_thread[: len(self.kernel.grid)]
        started = with_prologue(trace, len(self.kernel.grid), self.gpu, sum(outputs))
        return with_combining(started, self.kernel, self.gpu)

    def simulate(self, trace: Trace, *views: View) -> SimulationResult:
        """The trace on this GPU's SM at this occupancy."""
        machine = machine_for(self.gpu, self.occupancy.warps_per_sm, self.occupancy.blocks_per_sm, trace)
        return simulate(trace, machine, views)


def kernel_on_gpu(kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], gpu: Gpu) -> KernelOnGpu:
    """Costs, registers and occupancy of a launch."""
    registers = thread_registers(kernel, gpu, launch.outputs_per_thread)
    blocks = grid(kernel, launch, sizes, gpu.warp_size_threads).blocks
    resident = occupancy(
        gpu, launch.threads_per_block, registers.per_thread, launch.shared_bytes_per_block, max(1, blocks)
    )
    costs = access_costs(kernel, launch, sizes, gpu)
    return KernelOnGpu(kernel, launch, costs, resident, registers, sizes, gpu)
