"""What Warplens predicts for runs of a measured kernel: the job for the analysis process."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.server.measure.counters.linked_kernel import LinkedKernel
from warplens.server.worker.job import Job


@dataclass(frozen=True, slots=True)
class StaticTimes:
    """Predicted seconds of one launch for each of the `measured` runs of a linked kernel, None where there is none.

    `source` says by which model and profile, `notes` what is otherwise than in the runs, or why nothing is predicted.
    """

    times_s: tuple[float | None, ...]
    source: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StaticTimesJob(Job[tuple[StaticTimes, ...]]):
    """The packed nest at the sizes, on the GPU and with the blocks of measured runs; a result for each kernel."""

    packed: bytes
    kernels: tuple[LinkedKernel, ...]
    roots: tuple[str, ...]
    time_limit_s: float

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        return self.time_limit_s
