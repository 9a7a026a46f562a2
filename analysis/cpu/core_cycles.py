"""Cycles that one core needs for the instructions of an iteration when all data is in registers and L1."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.cpu.cpu import CoreTiming, Cpu
from warplens.analysis.cpu.loop_tree import CoreLoop
from warplens.analysis.facts.program import Instruction, OpClass
from warplens.analysis.ir.ids import NodeId

_SPLIT: dict[str, tuple[OpClass, OpClass]] = {
    "fp32_fma": ("fp32_mul", "fp32_add"),
    "fp64_fma": ("fp64_mul", "fp64_add"),
    "int_mad": ("int_mul", "int_add"),
}
_MEMORY_OPS = frozenset(("load", "store", "atomic"))
LOOP_CONTROL_INSTRUCTIONS = 2.0
"""Increment, and compare-and-branch as one: what a loop adds to the code of its body."""


@dataclass(frozen=True, slots=True)
class IterationCycles:
    """Cycles per iteration by what would limit it; `bytes_l1` are the bytes loaded and stored."""

    issue: float
    units: float
    memory_ports: float
    bytes_l1: float

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
    every instruction counts for vector_bytes / operand bytes iterations.
    Units: cycles per iteration. Source: the in-core part of the roofline model (Williams, Waterman and Patterson, CACM
    52(4), 2009, its instruction-mix and SIMD ceilings).
    Assumes: out-of-order execution hides latencies inside an iteration. `in_register` are accesses that the loop does
    not move and that stay in a register.
    Not modelled: execution ports shared by classes, branch misprediction, decoding, instruction cache.
    """
    timings: dict[str, CoreTiming] = {timing.op: timing for timing in cpu.instructions}
    by_class: dict[str, float] = {}
    bytes_l1 = 0.0
    control = LOOP_CONTROL_INSTRUCTIONS if loop.loop is not None else 0.0
    smallest = cpu.vector_bytes
    for weighted in loop.blocks:
        for instruction in weighted.block.instructions:
            if instruction.access is not None and instruction.access in in_register:
                continue
            for op in (
                _SPLIT.get(instruction.op, (instruction.op,)) if _is_split(instruction, cpu) else (instruction.op,)
            ):
                size = operand_bytes(op, instruction.size_bytes)
                has_lanes = vectorised and (op in _MEMORY_OPS or _vectorises(timings.get(op)))
                lanes = max(cpu.vector_bytes // size, 1) if has_lanes else 1
                smallest = min(smallest, size)
                by_class[op] = by_class.get(op, 0.0) + weighted.per_iteration / lanes
            if instruction.op in _MEMORY_OPS:
                bytes_l1 += weighted.per_iteration * instruction.size_bytes
    if vectorised:
        control /= max(cpu.vector_bytes // max(smallest, 1), 1)
    units = max((count / _per_cycle(timings.get(op), cpu) for op, count in by_class.items()), default=0.0)
    loads = by_class.get("load", 0.0) + by_class.get("atomic", 0.0)
    stores = by_class.get("store", 0.0) + by_class.get("atomic", 0.0)
    ports = max(loads / cpu.loads_per_cycle, stores / cpu.stores_per_cycle)
    return IterationCycles((sum(by_class.values()) + control) / cpu.issue_per_cycle, units, ports, bytes_l1)


def operand_bytes(op: str, memory_bytes: int) -> int:
    """Bytes of one operand, which set how many fit in a vector."""
    if op in _MEMORY_OPS:
        return max(memory_bytes, 1)
    return 8 if op.startswith(("fp64", "int64")) or (op in {"convert", "compare", "logic"} and memory_bytes == 8) else 4


def _is_split(instruction: Instruction, cpu: Cpu) -> bool:
    match instruction.op:
        case "fp32_fma":
            return not fuses_multiply_add(cpu, "fp32")
        case "fp64_fma":
            return not fuses_multiply_add(cpu, "fp64")
        case op:
            return op == "int_mad"


def _vectorises(timing: CoreTiming | None) -> bool:
    return timing is not None and timing.vectorises


def _per_cycle(timing: CoreTiming | None, cpu: Cpu) -> float:
    return timing.instructions_per_cycle if timing is not None else cpu.issue_per_cycle
