"""A kernel under one launch as it is counted for itself, without columns: what `warplens` must equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from support.one_launch.access_costs import access_costs
from support.one_launch.occupancy import occupancy
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
    """Costs, registers and occupancy of a launch."""

    kernel: Kernel
    launch: LaunchConfig
    costs: tuple[AccessCost, ...]
    occupancy: Occupancy
    registers: Registers
    sizes: Mapping[str, int]
    gpu: Gpu
    combining: Combining
    grid: Grid


def kernel_on_gpu(kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], gpu: Gpu) -> OneLaunch:
    """Count one launch."""
    registers = thread_registers(kernel, gpu, launch.outputs_per_thread)
    shape = grid(kernel, launch, sizes, gpu.warp_size_threads)
    resident = occupancy(
        gpu, launch.threads_per_block, registers.per_thread, launch.shared_bytes_per_block, max(1, shape.blocks)
    )
    costs = access_costs(kernel, launch, sizes, gpu)
    return OneLaunch(kernel, launch, costs, resident, registers, sizes, gpu, combining_of(gpu), shape)
