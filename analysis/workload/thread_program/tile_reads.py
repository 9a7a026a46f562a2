"""What the device compiler saves where a loop reads tiles in shared memory: addresses, and control of the loop.

The shape of a tile is known to the compiler. Each read lies at a constant distance from one address per thread, which
the instruction itself holds, and the iterations over one filling are a constant number, so that they are unrolled
whole. Of a matrix product with tiles of 32 x 32 nvprof counts 2.8 instructions per iteration on a K20 and 2.9 on a GTX
980, staging included (gpuperfpredict, CC-BY-4.0): a load of each tile and the multiply-add, with some loads of four
words at once.

Not modelled: the requests that loads of four words save (how they conflict is in wide_reads.py); the
instruction-level parallelism of more copies than `UNROLL_FACTOR`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from warplens.analysis.facts.program import BasicBlock, Instruction
from warplens.analysis.ir.ids import NodeId


def addresses_of_loads(block: BasicBlock) -> Iterator[tuple[int, frozenset[NodeId]]]:
    """Instructions that compute nothing but an address that is loaded from, by their place, with what is loaded."""
    users: dict[int, list[Instruction]] = {}
    for instruction in block.instructions:
        for operand in instruction.operands:
            users.setdefault(operand, []).append(instruction)
    for place, reading in users.items():
        if block.instructions[place].op == "int_mad" and all(user.op == "load" for user in reading):
            yield place, frozenset(user.access for user in reading if user.access is not None)


def addresses_in_tiles(block: BasicBlock, staged: Collection[NodeId]) -> frozenset[int]:
    """Of the block's instructions, by their place, those that only compute addresses of staged accesses."""
    if not reads_tile(block, staged):
        return frozenset()
    return frozenset(place for place, loaded in addresses_of_loads(block) if all(read in staged for read in loaded))


def reads_tile(block: BasicBlock, staged: Collection[NodeId]) -> bool:
    """Whether a block has one of the staged accesses."""
    return bool(staged) and any(instruction.access in staged for instruction in block.instructions)
