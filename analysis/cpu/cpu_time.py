"""How long a nest takes on the CPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True)
class CpuTime:
    """Seconds on one core and on all cores; `vectorised` when the innermost loops are assumed to run in SIMD lanes.

    `loops_s` has, for the code that stands directly in each loop, the loops around it (outer first, that loop last) and
    its seconds on one core, which sum to `one_core_s`.
    """

    one_core_s: float
    all_cores_s: float
    bound_by: Literal["computation", "L1", "L2", "L3", "memory bandwidth", "memory latency"]
    vectorised: bool
    breakdown_s: tuple[tuple[str, float], ...]
    assumptions: tuple[Assumption, ...]
    loops_s: tuple[tuple[tuple[NodeId, ...], float], ...] = ()
