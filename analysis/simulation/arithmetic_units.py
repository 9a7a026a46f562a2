"""How long a warp's arithmetic occupies the units of an SM, which work beside each other.

Since Volta (compute capability 7.0) a scheduler sends one instruction per cycle to one of several units: integers,
logic and comparisons, floats and integer products, doubles, special functions. A program is as slow as the unit that it
keeps busiest, or as its issue slots. Older GPUs, and those of other makers, run integers where they run floats: there
each instruction takes its time from all others but the special functions.

Source: Nsight Compute documentation, pipelines (ALU, FMA, FMAheavy, FMAlite, FP64, XU); throughputs are the profile's.
A division or root of floats has two instructions of the special-function unit, ten in all (SASS of nvcc 13).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from warplens.analysis.facts.program import OP_CLASSES, OpClass
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.simulation.instruction_time import issue_cycles

_INTEGER = frozenset({"int_add", "int64_add", "logic", "logic64", "shift", "shift64", "compare"})
_PRODUCTS = frozenset({"int_mul", "int_mad", "int64_mul"})
_ROOTS = frozenset({"fp32_div", "fp32_sqrt"})
_SLOTS: dict[OpClass, int] = {
    "fp32_div": 10,
    "fp32_sqrt": 10,
    "fp64_div": 16,
    "fp64_sqrt": 17,
    "int64_add": 2,
    "logic64": 2,
    "shift64": 2,
    "int64_mul": 4,
}
"""Instructions that a class stands for, where it is more than one."""

_FLOATS_OF_ROOTS = 5
"""Float operations of a division or root."""


@dataclass(frozen=True, slots=True)
class Occupied:
    """Cycles of the SM for which one warp's instruction occupies each unit; `special` is the special-function unit.

    Shape: `units` is as long for all classes of a GPU: issue slots, integers, floats with products, products, doubles;
    or one that runs them all.
    """

    units: tuple[float, ...]
    special: float = 0.0

    @property
    def busy(self) -> float:
        """Cycles at the unit that is occupied longest, the special-function unit left out."""
        return max(self.units)


def occupied_units(gpu: Gpu) -> Mapping[str, Occupied]:
    """What one instruction of each class occupies; classes that the GPU has no timing for are left out."""
    of_gpu = _units_apart if gpu.has_units_apart else _one_unit
    return {op: of_gpu(op, gpu) for op in OP_CLASSES if gpu.has_timing(op)}


def occupied_together(instructions: Iterable[tuple[Occupied, float]]) -> float:
    """Cycles for which instructions, each so often, occupy the unit that they keep busiest."""
    totals: list[float] = []
    for occupied, often in instructions:
        if not totals:
            totals = [0.0] * len(occupied.units)
        for place, cycles in enumerate(occupied.units):
            totals[place] += cycles * often
    return max(totals, default=0.0)


def _one_unit(op: OpClass, gpu: Gpu) -> Occupied:
    busy = issue_cycles(gpu.timing(op), gpu.warp_size_threads)
    if op in gpu.special_unit_ops:
        return Occupied((1 / gpu.issue_warps_per_cycle_per_sm,), busy)
    return Occupied((busy,))


def _units_apart(op: OpClass, gpu: Gpu) -> Occupied:
    warp = gpu.warp_size_threads
    busy = issue_cycles(gpu.timing(op), warp)
    float_cycles = issue_cycles(gpu.timing("fp32_fma"), warp)
    slots = _SLOTS.get(op, 1) / gpu.issue_warps_per_cycle_per_sm
    if op in gpu.special_unit_ops:
        return Occupied((slots, 0.0, 0.0, 0.0, 0.0), busy)
    if op in _ROOTS:
        floats = _FLOATS_OF_ROOTS * float_cycles
        return Occupied((slots, 0.0, floats, 0.0, 0.0), busy)
    if op in _INTEGER:
        return Occupied((slots, busy, 0.0, 0.0, 0.0))
    if op in _PRODUCTS:
        return Occupied((slots, 0.0, min(busy, float_cycles), busy, 0.0))
    if op.startswith("fp64") or op in {"compare64", "convert64"}:
        return Occupied((slots, 0.0, 0.0, 0.0, busy))
    if op.startswith("fp32"):
        return Occupied((slots, 0.0, busy, 0.0, 0.0))
    return Occupied((max(slots, busy), 0.0, 0.0, 0.0, 0.0))
