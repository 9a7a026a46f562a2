"""Cycles that one core needs for the instructions of an iteration when all data is in registers and L1."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.cpu.cpu import CoreTiming, Cpu
from warplens.analysis.cpu.loop_tree import CoreLoop
from warplens.analysis.facts.program import BasicBlock, Instruction
from warplens.analysis.ir.ids import NodeId

_MEMORY_OPS = frozenset(("load", "store", "atomic"))
_DIVIDER_OPS = frozenset(("fp32_div", "fp32_sqrt", "fp64_div", "fp64_sqrt"))


@dataclass(frozen=True, slots=True)
class IterationCycles:
    """Cycles per iteration by what would limit it.

    `bytes_l1` are the bytes loaded and stored, `lanes` the iterations that one pass of the SIMD code makes.
    """

    issue: float
    units: float
    memory_ports: float
    bytes_l1: float
    lanes: int

    @property
    def throughput(self) -> float:
        """The busiest resource."""
        return max(self.issue, self.units, self.memory_ports)


def fuses_multiply_add(cpu: Cpu, op: Literal["fp32", "fp64"]) -> bool:
    """Whether the profile's compile target has fused multiply-add for a type.

    A profile of a target without gives the class the latency of a multiplication and an addition together.
    """
    timings: dict[str, float] = {timing.op: timing.latency_cycles for timing in cpu.instructions}
    fused = timings.get(f"{op}_fma")
    return fused is not None and fused < timings.get(f"{op}_mul", 0.0) + timings.get(f"{op}_add", 0.0)


def iteration_cycles(
    loop: CoreLoop, cpu: Cpu, *, vectorised: bool, in_register: AbstractSet[NodeId]
) -> IterationCycles:
    """Throughput of the code of one iteration (inner loops apart), the loop's own control included.

    Equation: max(instructions / issue width, per class count / per cycle, loads / ports, stores / ports); in SIMD code
    an instruction serves vector_bytes / operand bytes iterations.
    Units: cycles per iteration. Source: the in-core part of the roofline model (Williams, Waterman and Patterson, CACM
    52(4), 2009: its ceilings for instruction mix and SIMD).
    Assumes: out-of-order execution hides latencies inside an iteration; addresses are folded into the memory
    instructions; compare and branch are one instruction; divisions and square roots share a unit. `in_register` are
    accesses that the loop does not move and that stay in a register.
    Not modelled: other ports shared by classes, branch misprediction, decoding, instruction cache.
    """
    timings: dict[str, CoreTiming] = {timing.op: timing for timing in cpu.instructions}
    by_class: dict[str, float] = {}
    bytes_l1 = control = 0.0
    smallest = cpu.vector_bytes
    for weighted in loop.blocks:
        addresses = _addresses(weighted.block)
        for index, instruction in enumerate(weighted.block.instructions):
            if index in addresses or instruction.access in in_register or instruction.statement in loop.unrolled:
                continue
            if instruction.statement == loop.loop:
                control += weighted.per_iteration * (instruction.op != "compare")
                continue
            for op in _pieces(instruction, cpu):
                size = operand_bytes(op, instruction.size_bytes)
                has_lanes = vectorised and (op in _MEMORY_OPS or _vectorises(timings.get(op)))
                smallest = min(smallest, size)
                count = weighted.per_iteration / (max(cpu.vector_bytes // size, 1) if has_lanes else 1)
                by_class[op] = by_class.get(op, 0.0) + count
            if instruction.op in _MEMORY_OPS:
                bytes_l1 += weighted.per_iteration * instruction.size_bytes
    lanes = max(cpu.vector_bytes // smallest, 1) if vectorised else 1
    busy = {op: count / _per_cycle(timings.get(op), cpu) for op, count in by_class.items()}
    divider = sum(cycles for op, cycles in busy.items() if op in _DIVIDER_OPS)
    loads = by_class.get("load", 0.0) + by_class.get("atomic", 0.0)
    stores = by_class.get("store", 0.0) + by_class.get("atomic", 0.0)
    ports = max(loads / cpu.loads_per_cycle, stores / cpu.stores_per_cycle)
    issue = (sum(by_class.values()) + control / lanes) / cpu.issue_per_cycle
    return IterationCycles(issue, max(divider, *busy.values(), 0.0), ports, bytes_l1, lanes)


def _addresses(block: BasicBlock) -> frozenset[int]:
    """Address computations of a block, by index: multiply-adds that memory instructions wait for last."""
    used = {i.operands[-1] for i in block.instructions if i.op in _MEMORY_OPS and i.operands}
    return frozenset(index for index in used if block.instructions[index].op == "int_mad")


def _pieces(instruction: Instruction, cpu: Cpu) -> tuple[str, ...]:
    """Machine instructions of one operation on the profile's target."""
    match instruction.op:
        case "fp32_fma" if not fuses_multiply_add(cpu, "fp32"):
            return ("fp32_mul", "fp32_add")
        case "fp64_fma" if not fuses_multiply_add(cpu, "fp64"):
            return ("fp64_mul", "fp64_add")
        case "int_mad":
            return ("int_mul", "int_add")
        case op:
            return (op,)


def operand_bytes(op: str, memory_bytes: int) -> int:
    """Bytes of one operand, which set how many fit in a vector."""
    if op in _MEMORY_OPS:
        return max(memory_bytes, 1)
    return 8 if op.startswith(("fp64", "int64")) or (op in {"convert", "compare", "logic"} and memory_bytes == 8) else 4


def _vectorises(timing: CoreTiming | None) -> bool:
    return timing is not None and timing.vectorises


def _per_cycle(timing: CoreTiming | None, cpu: Cpu) -> float:
    return timing.instructions_per_cycle if timing is not None else cpu.issue_per_cycle
