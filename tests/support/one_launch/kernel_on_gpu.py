"""A kernel under one launch as it is counted for itself, without columns: what `warplens` must equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from support.one_launch.access_costs import CountedAccesses, count_accesses
from support.one_launch.active_warps import mean_active_warps
from support.one_launch.occupancy import occupancy
from support.one_launch.placement import place_threads
from warplens.analysis.facts.nest_facts import Kernel, Registers
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.occupancy import Occupancy
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.models.launch_work.thread_registers import thread_registers
from warplens.analysis.simulation.combining import Combining, combining_of
from warplens.analysis.simulation.grid import Grid, grid


@dataclass(frozen=True)
class OneLaunch:
    """Costs, registers and occupancy of a launch; `warps_per_block` have a thread in the grid, a mean."""

    kernel: Kernel
    launch: LaunchConfig
    accesses: CountedAccesses
    occupancy: Occupancy
    registers: Registers
    sizes: Mapping[str, int]
    gpu: Gpu
    combining: Combining
    grid: Grid
    warps_per_block: float

    @property
    def costs(self) -> tuple[AccessCost, ...]:
        """Of one request of each access, in the kernel's order."""
        return self.accesses.costs


def kernel_on_gpu(kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], gpu: Gpu) -> OneLaunch:
    """Count one launch."""
    registers = thread_registers(kernel, gpu, launch.outputs_per_thread)
    shape = grid(kernel, launch, sizes, gpu.warp_size_threads)
    resident = occupancy(
        gpu, launch.threads_per_block, registers.per_thread, launch.shared_bytes_per_block, max(1, shape.blocks)
    )
    accesses = count_accesses(kernel, launch, sizes, gpu)
    iterations = place_threads(kernel, launch.block, sizes, launch.outputs_per_thread).iterations
    warps = mean_active_warps(iterations, launch.block, launch.outputs_per_thread, gpu.warp_size_threads)
    return OneLaunch(
        kernel, launch, accesses, resident, registers, sizes, gpu, combining_of(gpu), shape, warps_per_block=warps
    )
