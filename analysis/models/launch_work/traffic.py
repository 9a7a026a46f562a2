"""What a launch computes and moves, whatever the time it takes: the same numbers in every model's prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.facts.program import Instruction
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.request_latency import l2_bytes_per_warp
from warplens.analysis.models.results.quantity import only
from warplens.analysis.simulation.executions import executions


@dataclass(frozen=True, slots=True)
class Traffic:
    """Of the whole grid. `useful_bytes` are what the program asks for, each access once per execution."""

    flops: float
    useful_bytes: float
    bytes_moved: float
    """Between the SMs and L2 or beyond: what L1 and shared memory do not serve, staging and spills included."""


def traffic_of(case: KernelOnGpu) -> Traffic:
    """Floating-point operations and bytes of one launch."""
    costs = {cost.access: cost for cost in case.costs}
    flops = useful = 0.0
    for block, times in executions(case.kernel.program, case.sizes, per_warp=False):
        each = [(i, case.grid.copies_per_thread(i.variation)) for i in block.instructions]
        flops += times * sum(instruction.flops * copies for instruction, copies in each)
        useful += times * sum(i.size_bytes * copies for i, copies in each if _is_global(i, costs))
    moved = only(l2_bytes_per_warp(case.work) * case.work.warps)
    return Traffic(flops * case.grid.threads, useful * case.grid.threads, moved)


def _is_global(instruction: Instruction, costs: Mapping[NodeId, AccessCost]) -> bool:
    if instruction.access is None:
        return False
    cost = costs.get(instruction.access)
    return cost is None or cost.served_by != "register"
