"""Memory-level parallelism of a warp: how many of its loads are in flight together."""

from __future__ import annotations

from warplens.analysis.facts.program import BasicBlock
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.launch_work.instruction_counts import counted_blocks, private_accesses


def load_chain_per_warp(sized: SizedKernel, staged: frozenset[NodeId]) -> float:
    """Loads from global memory that a warp waits for one after the other, over its life.

    The loads of the warp over this number are its MLP, as far as there are registers for them. Of a block, or the
    copies of an unrolled loop's body, those are issued together that wait for no other and for no store (unrolling.py);
    those of a thread's outputs always.
    Assumes: `staged` accesses read shared memory, and wait as the others do.
    """
    elsewhere = staged | private_accesses(sized.kernel)
    chain = 0.0
    for counted in counted_blocks(sized.kernel.program, sized.sizes):
        deepest = longest_load_chain(counted.block, frozenset())
        if deepest:
            waited = longest_load_chain(counted.block, elsewhere) / deepest * float(counted.block.load_chain)
            chain += counted.per_warp * waited
    return chain


def longest_load_chain(block: BasicBlock, elsewhere: frozenset[NodeId]) -> int:
    """Most loads on one path of dependences; those of `elsewhere` don't count.

    Atomics count: their result comes back from L2.
    """
    depth: list[int] = []
    for instruction in block.instructions:
        before = max((depth[operand] for operand in instruction.operands), default=0)
        is_load = instruction.op in {"load", "atomic"} and instruction.access not in elsewhere
        depth.append(before + is_load)
    return max(depth, default=0)
