"""The comparison's job for the analysis process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.advice.worth import BestCpu
from warplens.server.worker.job import Job


@dataclass(frozen=True, slots=True)
class ComparedGpu:
    """A row: the nest on one GPU, in words and numbers.

    Times in seconds; `range_s` of its kernels, `cpu_s` of the best of the CPU: `against` says which, one of its
    `core_count` cores or all. `break_even` is None until it was looked for.
    `caveat` says what to know of predictions for such a GPU. `has_ground`: a speedup may be shown (grounds.py).
    """

    gpu: str
    name: str
    is_current: bool
    cold_s: float
    resident_s: float
    kernels_s: float
    range_s: tuple[float, float] | None
    one_core_s: float
    cpu_s: float
    against: BestCpu
    core_count: int
    bound: str
    model: str
    launch: str
    values_assumed: int
    profile_factor: float
    gpu_size: float
    break_even: tuple[str, ...] | None = None
    caveat: str = ""
    has_ground: bool = True


def smallest_row(rows: Iterable[ComparedGpu], limit_s: float, data: str) -> ComparedGpu | None:
    """The smallest GPU whose time is at most the limit."""
    reaching = [row for row in rows if (row.cold_s if data == "cold" else row.resident_s) <= limit_s]
    return min(reaching, key=lambda row: row.gpu_size, default=None)


@dataclass(frozen=True, slots=True)
class CompareJob(Job[tuple[ComparedGpu, ...]]):
    """The packed nest on GPUs by what they are loaded by, fastest first (cold or resident)."""

    packed: bytes
    gpus: tuple[str, ...]
    data: Literal["cold", "resident"]
    time_limit_s: float
    with_break_even: bool = False

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        return self.time_limit_s
