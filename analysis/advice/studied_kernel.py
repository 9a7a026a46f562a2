"""A measured kernel as it was fitted, with what holds it back: what a model file keeps and the editor shows."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from warplens.analysis.advice.bottlenecks import Bottleneck
from warplens.analysis.advice.measured_runs import MeasuredRuns
from warplens.analysis.counters.counter_table import CounterTable
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.counters.levels import Level
from warplens.analysis.gpu.launch.extent import Extent


@dataclass(frozen=True, slots=True, eq=False)
class StudiedKernel:
    """A kernel on one GPU. `gpu` is the name in the file, `profile` the id of its profile where there is one."""

    fit: KernelFit
    gpu: str
    profile: str | None
    levels: tuple[Level, ...]
    bottlenecks: tuple[Bottleneck, ...]
    table: CounterTable
    """The runs themselves."""

    @property
    def measured(self) -> tuple[MeasuredRuns, ...]:
        """Runs of one size and launch put together, by rising time."""
        found: dict[tuple[tuple[tuple[str, float], ...], Extent | None], list[float]] = {}
        for run in self.table.runs:
            if run.time_s is not None:
                found.setdefault((run.problem, run.block), []).append(run.time_s)
        alike = (MeasuredRuns(problem, block, median(times), len(times)) for (problem, block), times in found.items())
        return tuple(sorted(alike, key=lambda one: one.time_s))
