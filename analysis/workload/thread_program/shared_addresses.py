"""Addresses that the copies of an unrolled loop share: where an iteration moves them by a constant.

The copies' distance from one address is in their instructions, so that it is computed once for all copies, as the
loop's control. An address that moves by a size is one multiply-add per copy.

Source: SASS of nvcc 13 for sm_86: `s += a[i*n + k] * b[k*n + j]`, unrolled 16 times, has 32 loads and 17 address
instructions: one per load of b, one for all of a's; a sparse row has 16 for the gathered elements and 4 for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.workload.thread_program.draft import DraftBlock, DraftBranch, DraftLoop, DraftRegion
from warplens.analysis.workload.thread_program.whole_unrolling import is_known_distance


def shared_addresses(
    regions: list[DraftRegion], addresses: Mapping[int, Access], loops: Mapping[NodeId, Loop]
) -> frozenset[int]:
    """Registers of addresses in innermost loops that each iteration moves by a constant."""
    return frozenset(_found(regions, addresses, loops))


def _found(regions: list[DraftRegion], addresses: Mapping[int, Access], loops: Mapping[NodeId, Loop]) -> Iterator[int]:
    for region in regions:
        match region:
            case DraftLoop(loop=loop, body=[DraftBlock() as block]) if loop in loops:
                inside = {i.result.number for i in block.instructions if i.result is not None}
                for instruction in block.instructions:
                    if instruction.result is not None and is_known_distance(
                        instruction, loops[loop], addresses, inside
                    ):
                        yield instruction.result.number
            case DraftLoop():
                yield from _found(region.body, addresses, loops)
            case DraftBranch():
                yield from _found(region.then, addresses, loops)
                yield from _found(region.otherwise, addresses, loops)
