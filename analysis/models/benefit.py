"""What removing one bottleneck would gain (GPUPerf's potential benefits)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BenefitKind = Literal["instruction parallelism", "serialisation", "other instructions", "memory parallelism"]
"""GPUPerf's B_itilp, B_serial, B_fp and B_memlp, in the words that a user reads."""


@dataclass(frozen=True, slots=True)
class Benefit:
    """One bottleneck: `cycles` of an SM, `time_s` of the launch, `share` of its predicted time (0..1).

    `how` is a sentence that says what would get it in this kernel; `finding` is the code of the rule that speaks of it
    here (empty: none does), `has_fix` whether a quick fix writes it.
    """

    kind: BenefitKind
    cycles: float
    time_s: float
    share: float
    how: str
    finding: str = ""
    has_fix: bool = False
