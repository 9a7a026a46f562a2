"""What alike runs of a kernel took."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.gpu.launch.extent import Extent


@dataclass(frozen=True, slots=True)
class MeasuredRuns:
    """Runs of one kernel that were alike; the median of their times, in seconds."""

    problem: tuple[tuple[str, float], ...]
    block: Extent | None
    time_s: float
    runs: int
