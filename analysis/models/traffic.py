"""What a launch computes and moves, whatever the time it takes: the same numbers in every model's prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.facts.program import Instruction
from warplens.analysis.gpu.access_cost import AccessCost
from warplens.analysis.gpu.staged_copy import copy_of_choice
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.kernel_on_gpu import KernelOnGpu
from warplens.analysis.simulation.executions import executions
from warplens.analysis.simulation.memory_time import sector_bytes


@dataclass(frozen=True, slots=True)
class Traffic:
    """Of the whole grid. `useful_bytes` are what the program asks for, each access once per execution."""

    flops: float
    useful_bytes: float
    bytes_moved: float
    """Between the SMs and L2 or beyond: what L1 and shared memory do not serve, staging included."""


def traffic_of(case: KernelOnGpu) -> Traffic:
    """Floating-point operations and bytes of one launch."""
    costs = {cost.access: cost for cost in case.costs}
    flops = useful = moved_per_warp = 0.0
    shape = case.grid
    for block, times in executions(case.kernel.program, case.sizes, per_warp=False):
        each = [(i, shape.copies_per_thread(i.variation)) for i in block.instructions]
        flops += times * sum(instruction.flops * copies for instruction, copies in each)
        useful += times * sum(i.size_bytes * copies for i, copies in each if _is_global(i, costs))
    for block, times in executions(case.kernel.program, case.sizes):
        for instruction in block.instructions:
            cost = costs.get(instruction.access) if instruction.access is not None else None
            if cost is not None:
                copies = shape.copies_per_warp(instruction.variation)
                moved_per_warp += times * copies * cost.l2_sectors * sector_bytes(case.gpu)
    threads, gpu = case.launch.threads_per_block, case.gpu
    for choice in case.launch.shared:
        sectors = copy_of_choice(choice, threads, gpu).sectors * choice.stagings_per_block
        moved_per_warp += sectors * gpu.l2.sector_bytes / shape.warps_per_block
    return Traffic(flops * shape.threads, useful * shape.threads, moved_per_warp * shape.warps)


def _is_global(instruction: Instruction, costs: Mapping[NodeId, AccessCost]) -> bool:
    if instruction.access is None:
        return False
    cost = costs.get(instruction.access)
    return cost is None or cost.served_by != "register"
