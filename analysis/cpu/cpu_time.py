"""How long a nest takes on the CPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.assumption import Assumption


@dataclass(frozen=True, slots=True)
class CpuTime:
    """Seconds on one core and on all cores; `vectorised` when the innermost loops are taken to run in SIMD lanes."""

    one_core_s: float
    all_cores_s: float
    bound_by: Literal["computation", "L1", "L2", "L3", "memory bandwidth", "memory latency"]
    vectorised: bool
    breakdown_s: tuple[tuple[str, float], ...]
    assumptions: tuple[Assumption, ...]
