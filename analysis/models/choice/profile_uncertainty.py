"""How far a prediction may be off because values of its GPU were not measured there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, sqrt
from types import MappingProxyType

import numpy as np
from warplens.analysis.facts.program import OP_CLASSES
from warplens.analysis.gpu.machine.value_uncertainty import Resource, ValueUncertainty
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.results.prediction import MemoryLevel, Prediction
from warplens.analysis.simulation.instruction_time import issue_cycles

_DIVISIONS = frozenset(("fp32_div", "fp32_sqrt", "fp64_div", "fp64_sqrt", "int_div", "int64_div"))
_BANDWIDTH: Mapping[MemoryLevel | None, Resource] = MappingProxyType(
    {None: "DRAM bandwidth", "dram": "DRAM bandwidth", "l2": "L2 bandwidth", "load/store": "L1 bandwidth"}
)


@dataclass(frozen=True, slots=True)
class ProfileUncertainty:
    """How far a prediction may be off for what the profile doesn't know: ln(factor) each way, and for which values."""

    half_width: float = 0.0
    values: tuple[ValueUncertainty, ...] = ()


def profile_uncertainty(prediction: Prediction, case: KernelOnGpu) -> ProfileUncertainty:
    """What the values that were not measured on the GPU may do to this prediction.

    Equation: half width = sqrt(Σ (share_r · ln factor_r)²) over the resources r of the prediction's time: a time that
    is bound by a resource for a share of it follows that resource's value by as much; the values are wrong
    independently of each other.
    Not modelled: that another bottleneck takes over where a value is far off.
    """
    shares = resource_shares(prediction, case)
    parts = [(shares.get(each.resource, 0.0) * log(each.factor), each) for each in case.gpu.uncertainties]
    half_width = sqrt(sum(part * part for part, _ in parts))
    return ProfileUncertainty(half_width, _largest_first(parts)) if half_width > 0 else ProfileUncertainty()


def _largest_first(parts: list[tuple[float, ValueUncertainty]]) -> tuple[ValueUncertainty, ...]:
    """What the factor is made of: the values without the largest of which it would be as good as 1 are left out."""
    most = max(part for part, _ in parts)
    kept = [(part, each) for part, each in parts if part > 0.25 * most]
    return tuple(each for _, each in sorted(kept, key=lambda pair: -pair[0]))


def resource_shares(prediction: Prediction, case: KernelOnGpu) -> dict[Resource, float]:
    """Share of the predicted time that each resource stands for, 0..1; synchronisation waits for all of them alike."""
    parts = dict(prediction.breakdown_s)
    total_s = sum(parts.values())
    if total_s <= 0:
        return {}
    computation = parts.get("computation", 0.0) / total_s
    divided = case.shared(division_share)
    shares: dict[Resource, float] = {
        "memory latency": parts.get("memory latency", 0.0) / total_s,
        "arithmetic": computation * (1 - divided),
        "division": computation * divided,
    }
    shares[_BANDWIDTH[prediction.memory_level]] = parts.get("memory bandwidth", 0.0) / total_s
    return shares


def division_share(case: KernelOnGpu) -> float:
    """Of the cycles that a warp's arithmetic occupies its SM, those of divisions and square roots, 0..1."""
    gpu = case.gpu
    cycles = np.array([issue_cycles(gpu.timing(op), gpu.warp_size_threads) for op in OP_CLASSES])
    spent = case.work.arithmetic_per_warp[0] * cycles
    total = float(spent.sum())
    divided = float(spent[[op in _DIVISIONS for op in OP_CLASSES]].sum())
    return divided / total if total > 0 else 0.0
