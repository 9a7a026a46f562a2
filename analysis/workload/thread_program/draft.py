"""A thread's instructions while they are being placed: operands are values, not yet positions in a block."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from warplens.analysis.facts.program import MemoryOp, OpClass, ShareOfSizes, SharesOfWarps, Window
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True)
class Value:
    """Something an instruction can read.

    `number` is its virtual register, -1 for what needs none of its own (constants, parameters, loop counters, which are
    counted apart). `key` makes equal computations equal. `depth` is the innermost scope in which it changes;
    `varies` tells whether threads of one warp may disagree on it.
    """

    number: int
    key: Hashable
    depth: int
    varies: bool
    is_wide: bool = False
    is_constant: bool = False
    """A literal, a parameter or arithmetic on those: known when the kernel is launched."""


@dataclass(slots=True)
class DraftInstruction:
    """An instruction whose operands are values."""

    op: OpClass | MemoryOp
    operands: tuple[Value, ...]
    result: Value | None
    statement: NodeId
    access: NodeId | None = None
    size_bytes: int = 4
    varies: frozenset[NodeId] = frozenset()
    """Grid loops along which a thread runs it once per output (variation.py)."""
    windows: tuple[Window, ...] = ()
    """Where outputs share what they load (windows.py)."""
    is_library: bool = False
    """Part of a sequence that is as it was counted: nothing of it becomes one with others."""


@dataclass(slots=True)
class DraftBlock:
    """Straight-line code that may still grow: code hoisted out of a loop lands before the loop."""

    instructions: list[DraftInstruction] = field(default_factory=list)


@dataclass(slots=True)
class DraftLoop:
    """A loop; `entering` are the registers of values carried from one iteration to the next, `leaving` their last ones.

    `control` are the values that decide how often it runs: its bounds, and the conditions under which it is left.
    `is_unrolled` whole (whole_unrolling.py): there is nothing left of the loop but its iterations one after the other.
    `is_uneven`: threads of a warp disagree on how often it runs (uneven_loops.py).
    """

    loop: NodeId
    trip_count: Formula
    body: list[DraftRegion]
    entering: tuple[Value, ...]
    leaving: tuple[Value, ...] = ()
    control: tuple[Value, ...] = ()
    is_unrolled: bool = False
    is_uneven: bool = False


@dataclass(slots=True)
class DraftBranch:
    """Two sides, taken as `condition` says."""

    statement: NodeId
    divergent: bool
    then: list[DraftRegion]
    otherwise: list[DraftRegion]
    then_share: Fraction
    condition: Value
    counted: ShareOfSizes | None
    in_warps: SharesOfWarps | None = None


DraftRegion = DraftBlock | DraftLoop | DraftBranch

_FUSED: dict[str, tuple[OpClass, OpClass]] = {
    "int_add": ("int_mul", "int_mad"),
    "fp32_add": ("fp32_mul", "fp32_fma"),
    "fp64_add": ("fp64_mul", "fp64_fma"),
}
_PRODUCTS = frozenset(product for product, _ in _FUSED.values())


def draft_blocks(regions: list[DraftRegion]) -> Iterator[DraftBlock]:
    """All blocks in program order."""
    for region in regions:
        match region:
            case DraftBlock():
                yield region
            case DraftLoop():
                yield from draft_blocks(region.body)
            case DraftBranch():
                yield from draft_blocks(region.then)
                yield from draft_blocks(region.otherwise)


_THREE_INPUTS = frozenset({"int_add", "int64_add", "logic", "logic64"})


def fuse_pairs(regions: list[DraftRegion], kept: frozenset[int]) -> None:
    """Turn `a + b + c` and `a & b | c` into one instruction, as GPUs have it, where the inner value is used once.

    Source: PTX ISA, lop3; SASS of nvcc 13 has IADD3 and LOP3 for these, also for halves of 64 bits.
    """
    uses: dict[int, int] = dict.fromkeys(kept, 2)
    for block in draft_blocks(regions):
        for instruction in block.instructions:
            for operand in instruction.operands:
                uses[operand.number] = uses.get(operand.number, 0) + 1
    for block in draft_blocks(regions):
        alone: dict[int, DraftInstruction] = {}
        dropped: set[int] = set()
        for instruction in block.instructions:
            if instruction.op not in _THREE_INPUTS or instruction.result is None or instruction.is_library:
                continue
            inner = next(
                (o for o in instruction.operands if o.number in alone and alone[o.number].op == instruction.op), None
            )
            if inner is None:
                if uses.get(instruction.result.number) == 1:
                    alone[instruction.result.number] = instruction
                continue
            others = tuple(o for o in instruction.operands if o is not inner)
            instruction.operands = (*alone[inner.number].operands, *others)
            dropped.add(inner.number)
        if dropped:
            block.instructions = [i for i in block.instructions if i.result is None or i.result.number not in dropped]


def fuse_multiply_add(regions: list[DraftRegion], kept: frozenset[int]) -> None:
    """Turn `a*b + c` into one instruction where the product is used once (and is not one of `kept`)."""
    uses: dict[int, int] = dict.fromkeys(kept, 2)
    for block in draft_blocks(regions):
        for instruction in block.instructions:
            for operand in instruction.operands:
                uses[operand.number] = uses.get(operand.number, 0) + 1
    for block in draft_blocks(regions):
        products: dict[int, DraftInstruction] = {}
        dropped: set[int] = set()
        for instruction in block.instructions:
            if instruction.is_library:
                continue
            if instruction.op in _PRODUCTS and instruction.result is not None:
                products[instruction.result.number] = instruction
            elif instruction.op in _FUSED:
                multiply, fused = _FUSED[instruction.op]
                for operand in instruction.operands:
                    product = products.get(operand.number)
                    if product is not None and product.op == multiply and uses[operand.number] == 1:
                        others = tuple(o for o in instruction.operands if o is not operand)
                        instruction.op = fused
                        instruction.operands = (*product.operands, *others)
                        dropped.add(operand.number)
                        break
        if dropped:
            block.instructions = [i for i in block.instructions if i.result is None or i.result.number not in dropped]
