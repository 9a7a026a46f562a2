"""Resios' model end to end: what one launch of a kernel takes on a GPU."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.access_costs import access_costs
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launch import LaunchConfig
from warplens.analysis.gpu.occupancy import occupancy
from warplens.analysis.models.kernel_time import KernelOnGpu, predict_kernel
from warplens.analysis.models.prediction import Prediction
from warplens.analysis.models.thread_registers import thread_registers
from warplens.analysis.simulation.grid import grid


def predict(kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], gpu: Gpu) -> Prediction:
    """Time of one launch of a kernel, what bounds it and where its idle time comes from.

    Units: seconds, launch overhead and transfers not included. A launch without threads takes 0. Where the
    block does not fit on an SM (occupancy 0) the time is that of one block at a time.
    Source: Resios chapters 4 and 5; see `predict_kernel` for the equation and what is not modelled.
    """
    return predict_kernel(kernel_on_gpu(kernel, launch, sizes, gpu))


def kernel_on_gpu(kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], gpu: Gpu) -> KernelOnGpu:
    """Costs, registers and occupancy of a launch: the input of `predict_kernel` and `kernel_time_s`."""
    registers = thread_registers(kernel, gpu)
    blocks = grid(kernel, launch, sizes, gpu.warp_size_threads).blocks
    resident = occupancy(
        gpu, launch.threads_per_block, registers.per_thread, launch.shared_bytes_per_block, max(1, blocks)
    )
    costs = access_costs(kernel, launch, sizes, gpu)
    return KernelOnGpu(kernel, launch, costs, resident, registers, sizes, gpu)
