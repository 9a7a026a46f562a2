"""Cycles that one core needs for the instructions of an iteration when all data is in registers and L1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType

from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.instruction_costs import InstructionCosts
from warplens.analysis.cpu.lane_widths import LaneWidths
from warplens.analysis.cpu.loop_tree import CoreLoop
from warplens.analysis.cpu.statement_calls import StatementCalls
from warplens.analysis.cpu.vector_accesses import VectorAccess
from warplens.analysis.facts.program import BasicBlock, Instruction
from warplens.analysis.ir.ids import NodeId

_MEMORY_OPS = frozenset(("load", "store", "atomic"))
_DIVIDER_OPS = frozenset(("fp32_div", "fp32_sqrt", "fp64_div", "fp64_sqrt"))
_WIDE = 8
_HIGH_PRODUCT = {"int_add": 3, "shift": 2}
"""Beside the product: its upper half brought down, the sign's correction."""
_HIGH_PRODUCT_IN_LANES = {"vector_mul": 1, "permute": 2, "shift": 1, "logic": 1, "int_add": 3}
"""What the upper half of a product of 32 bits takes in lanes, beside the product: two products of each second lane, put
together; and the sign's correction."""
_FLAG_TO_NUMBER = 2
"""setcc and movzx: the result of a comparison as a number."""
_MASKED_STORE = 2.0
"""Cycles of a store whose lanes a mask chooses, in those of another."""
_COPIES = 0.3
"""Copies of registers per operation where an instruction overwrites one of its operands (all of x86 but AVX)."""


@dataclass(frozen=True, slots=True)
class IterationCycles:
    """Cycles per iteration by what would limit it.

    `calls` are those of library functions, which add to the others. `bytes_l1` are the bytes loaded and stored, `lanes`
    the iterations that one pass of the SIMD code makes, `instructions` what is issued.
    """

    issue: float
    units: float
    memory_ports: float
    branch: float
    calls: float
    bytes_l1: float
    lanes: int
    instructions: float

    @property
    def throughput(self) -> float:
        """The busiest resource, and the calls."""
        return max(self.issue, self.units, self.memory_ports, self.branch) + self.calls


@dataclass(frozen=True, slots=True)
class VectorCode:
    """How a loop is written with vectors: the widths of its lanes, and how its accesses (by id) reach the data."""

    widths: LaneWidths
    accesses: Mapping[NodeId, VectorAccess]


def iteration_cycles(
    loop: CoreLoop,
    cpu: Cpu,
    compilation: Compilation,
    *,
    vectors: VectorCode | None,
    calls: StatementCalls,
    in_register: AbstractSet[NodeId],
    pointers: int = 0,
    shared: Mapping[NodeId, float] = MappingProxyType({}),
) -> IterationCycles:
    """Throughput of the code of one iteration (inner loops apart), the loop's own control included.

    Equation: max(instructions / issue width, per class count / per cycle, loads / ports, stores / ports, taken
    branches / per cycle); in SIMD code (`vectors`) an instruction serves vector_bytes / bytes of a lane iterations.
    Units: cycles per iteration. Source: the in-core part of the roofline model (Williams, Waterman and Patterson, CACM
    52(4), 2009: its ceilings for instruction mix and SIMD).
    Assumes: out-of-order execution hides latencies inside an iteration; addresses are folded into the memory
    instructions; compare and branch are one instruction; divisions and square roots share a unit. `in_register` are
    accesses that the loop does not move and that stay in a register, `pointers` those that are counted on by
    themselves, `shared` says how many copies of an inner loop's load are one.
    A taken branch ends what is issued together in a cycle: between that and no such limit the mean is taken.
    Not modelled: other ports shared by classes, branch misprediction, decoding, instruction cache.
    """
    costs = InstructionCosts(cpu, compilation, is_vector=vectors is not None)
    counts = _counted(loop, compilation, costs, vectors, calls, in_register, shared)
    by_class, width = counts.by_class, compilation.vector_bytes
    lanes, call_cycles = 1, calls.call_cycles
    if vectors is not None:
        lanes = max(width // vectors.widths.smallest, 1)
        call_cycles = sum(cycles * size / width for cycles, size in calls.vector_calls)
    busy = {op: count / costs.per_cycle(op) for op, count in by_class.items() if op not in _MEMORY_OPS}
    moves = busy.get("shuffle", 0.0) + busy.get("permute", 0.0)
    divider = sum(cycles for op, cycles in busy.items() if op in _DIVIDER_OPS)
    loads = by_class.get("load", 0.0) + by_class.get("atomic", 0.0)
    stores = by_class.get("store", 0.0) + by_class.get("atomic", 0.0)
    ports = max(loads / cpu.loads_per_cycle, stores / costs.stores_per_cycle)
    operations = sum(count for op, count in by_class.items() if op not in _MEMORY_OPS)
    floating = sum(count for op, count in by_class.items() if op.startswith("fp"))
    overwritten = operations - (floating if compilation.has("avx2") else 0.0)
    if vectors is not None and compilation.has("avx2"):
        overwritten = 0.0
    first = 1.0 / (width / _WIDE if vectors is not None else 1.0)
    folded = max(min(by_class.get("load", 0.0), floating) - first, 0.0)
    control = (counts.control + pointers) / lanes
    instructions = sum(by_class.values()) + _COPIES * overwritten - folded + control
    branch = 1.0 / costs.per_cycle("branch") / lanes if loop.loop is not None else 0.0
    units = max(divider, moves, *busy.values(), 0.0)
    issue = instructions / cpu.issue_per_cycle
    if loop.loop is not None:
        issue = (issue + ceil(instructions * lanes / round(cpu.issue_per_cycle)) / lanes) / 2.0
    return IterationCycles(issue, units, ports, branch, call_cycles, counts.bytes_l1, lanes, instructions)


@dataclass(frozen=True, slots=True)
class _Counts:
    """Machine instructions of an iteration by class, its bytes of loads and stores, and the loop's own control."""

    by_class: dict[str, float]
    bytes_l1: float
    control: float


def _counted(
    loop: CoreLoop,
    compilation: Compilation,
    costs: InstructionCosts,
    vectors: VectorCode | None,
    calls: StatementCalls,
    in_register: AbstractSet[NodeId],
    shared: Mapping[NodeId, float],
) -> _Counts:
    by_class: dict[str, float] = {}
    bytes_l1 = control = 0.0
    spared = dict(calls.spared)

    def add(op: str, count: float) -> None:
        by_class[op] = by_class.get(op, 0.0) + count

    for weighted in loop.blocks:
        addresses = _addresses(weighted.block)
        for index, instruction in enumerate(weighted.block.instructions):
            if index in addresses or instruction.access in in_register or instruction.statement in loop.unrolled:
                continue
            if instruction.statement == loop.loop:
                control += weighted.per_iteration * (instruction.op != "compare")
                continue
            if vectors is not None and instruction.op == "branch":
                continue  # a mask
            times = weighted.in_lanes if vectors is not None else weighted.per_iteration
            if instruction.op in _MEMORY_OPS:
                bytes_l1 += times * instruction.size_bytes
                is_masked = vectors is not None and weighted.per_iteration < weighted.in_lanes
                for op, count in _requests(instruction, vectors, shared, is_masked=is_masked):
                    add(op, times * count)
                continue
            less = min(spared.get(instruction.op, 0.0), times)
            spared[instruction.op] = spared.get(instruction.op, 0.0) - less
            size = lane_bytes(instruction, vectors.widths if vectors else None)
            for op, count in costs.pieces(instruction.op, size):
                share = size / compilation.vector_bytes if vectors is not None and costs.has_lanes(op) else 1.0
                add(op, (times - less) * count * share)
    for op, count in _unseen(compilation, costs, vectors, calls):
        add(op, count)
    return _Counts(by_class, bytes_l1, control)


def _requests(
    instruction: Instruction, vectors: VectorCode | None, shared: Mapping[NodeId, float], *, is_masked: bool
) -> tuple[tuple[str, float], ...]:
    """Instructions of a load or store, each with how many there are per iteration."""
    access = instruction.access
    reached = vectors.accesses.get(access) if vectors is not None and access is not None else None
    requests = reached.requests if reached is not None else 1.0
    copies = shared.get(access, 1.0) if access is not None and instruction.op == "load" else 1.0
    requests /= copies
    if is_masked and instruction.op != "load":
        requests *= _MASKED_STORE
    permutes = reached.shuffles / copies if reached is not None else 0.0
    return ((instruction.op, requests), ("permute", permutes))


def _unseen(
    compilation: Compilation, costs: InstructionCosts, vectors: VectorCode | None, calls: StatementCalls
) -> Iterator[tuple[str, float]]:
    """Instructions that operations of the source don't show: for the widths of lanes, and for divisions."""
    width = compilation.vector_bytes
    for op, count in calls.products.items():
        yield op, count * ((4 if op.startswith("fp32") else 8) / width if vectors is not None else 1.0)
    if vectors is None:
        yield from ((op, calls.constant_divisions * count) for op, count in _HIGH_PRODUCT.items())
        yield "logic", _FLAG_TO_NUMBER * calls.comparisons
        return
    yield "shuffle", vectors.widths.moved_bytes * costs.crossing / width
    wide = vectors.widths.wide_divisions * 4 / width
    yield from ((op, wide * count) for op, count in _HIGH_PRODUCT_IN_LANES.items())


def lane_bytes(instruction: Instruction, widths: LaneWidths | None) -> float:
    """Bytes of a lane of an operation: those of its type, or as many as the values of whole numbers need."""
    op = instruction.op
    if op.startswith("fp"):
        return 4 if op.startswith("fp32") else _WIDE
    own = float(_WIDE if op.startswith("int64") or instruction.size_bytes == _WIDE else 4)
    return widths.bytes_of.get(instruction.statement, own) if widths is not None else own


def _addresses(block: BasicBlock) -> frozenset[int]:
    """Address computations of a block, by index: multiply-adds that memory instructions wait for last."""
    used = {i.operands[-1] for i in block.instructions if i.op in _MEMORY_OPS and i.operands}
    return frozenset(index for index in used if block.instructions[index].op == "int_mad")
