"""What removing one bottleneck would gain (GPUPerf's potential benefits)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BenefitKind = Literal["instruction parallelism", "serialisation", "other instructions", "memory parallelism"]
"""GPUPerf's B_itilp, B_serial, B_fp and B_memlp, in the words that a user reads."""

BenefitCause = Literal[
    "uncoalesced", "fetched again", "shared memory", "spills", "memory latency", "barriers", "special functions",
    "divergence", "bank conflicts", "few warps", "other instructions",
]  # fmt: skip
"""What makes most of the bottleneck in this kernel."""

MOST_GAIN = 50.0
"""What a model that leaves one bottleneck out may claim at most: something else is in the way then."""


@dataclass(frozen=True, slots=True)
class Benefit:
    """One bottleneck: what the launch gets shorter by when it alone is removed, by the model's own overlap.

    `cycles` of an SM, `time_s` of the launch, `share` of its predicted time (0..1). `potential_cycles` is GPUPerf's
    B_x, a term of its stack: of computation that memory hides it is more than `cycles`.
    `how` is a sentence that says what would get it in this kernel, by its `cause`; `finding` is the code of the rule
    that speaks of it here (empty: none does), `has_fix` whether a quick fix writes it.
    """

    kind: BenefitKind
    cycles: float
    time_s: float
    share: float
    how: str
    finding: str = ""
    has_fix: bool = False
    potential_cycles: float = 0.0
    cause: BenefitCause | None = None

    @property
    def gain(self) -> float:
        """How many times faster the launch is without the bottleneck, as every view has it."""
        return 1 / max(1 - self.share, 1 / MOST_GAIN)
