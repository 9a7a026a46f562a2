"""The words that counters of every profiler and generation are told in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MetricKind = Literal["count", "share", "per", "rate"]
"""`count` grows with the work, `share` is in [0, 1], `per` is one count per another, `rate` per second or cycle."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One quantity: `name` is ours (`shared_replays_per_instruction`), `unit` what its values are in.

    Units: bytes, bytes/s, 1 (counts, shares and quotients), instructions/cycle, warps, cycles.
    """

    name: str
    title: str
    unit: str
    kind: MetricKind
    meaning: str
    restates_time: bool = False
    """It holds the time itself (cycles; anything per second or per cycle): evidence, but no predictor of the time."""
