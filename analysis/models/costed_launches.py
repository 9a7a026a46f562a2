"""Launches with the times that a model gives them, and the launch behind a row where it is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.launches import Column, Flags
from warplens.analysis.gpu.shared_memory import shared_opportunities
from warplens.analysis.models.cost_models import CostModel
from warplens.analysis.models.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.kernel_work import KernelWork
from warplens.analysis.models.launch_ranking import RankedLaunch

Rows = NDArray[np.int64]
Shape = tuple[int, int, int]


class CostedLaunches:
    """Times of all launches of a kernel under one model; infinite for those that can't be launched.

    Rows that are simulated get the simulation's time, and all others their estimate times the mean ratio of both over
    the simulated ones of their kind: one output or several, staged or not.
    """

    def __init__(self, work: KernelWork, model: CostModel) -> None:
        self.work = work
        self.possible: Flags = work.is_launchable.copy()
        self._model = model
        self._estimated_s: Column = np.where(self.possible, model.times_s(work), np.inf)
        self._simulated_s: dict[int, float] = {}
        self._choices: dict[tuple[Shape, Shape], tuple[SharedChoice, ...]] = {}
        several = work.launches.outputs_per_thread.prod(axis=1) > 1
        self._kind = 2 * several + work.launches.staged.any(axis=1)
        self.times_s: Column = self._estimated_s

    @property
    def simulates(self) -> bool:
        """Whether the model has a simulation."""
        return self._model.simulated_s is not None

    def simulate(self, rows: Iterable[int]) -> bool:
        """Simulate the rows that have not been; whether anything changed."""
        work, changed = self.work, False
        for row in rows:
            if row in self._simulated_s or not self.possible[row]:
                continue
            changed = True
            launch = self.launch(row)
            case = None if launch is None else kernel_on_gpu(work.kernel, launch, work.sizes, work.gpu)
            if case is None or not case.occupancy.blocks_per_sm:
                self.possible[row] = False
            else:
                self._simulated_s[row] = self._model.time_s(case)
        if changed:
            self._rescale()
        return changed

    def keep_simulated_in_front(self, tolerance: float) -> None:
        """Let no row that is not simulated be alike the best one that is."""
        if self._simulated_s:
            least = min(self._simulated_s.values()) * (1 + 2 * tolerance)
            self.times_s = np.maximum(self.times_s, least)
            self._set_simulated()

    def ranked(self, rows: Rows, most: int | None) -> list[tuple[int, RankedLaunch]]:
        """The first rows as launches, with their numbers; rows whose staging would not save anything are left out."""
        found: list[tuple[int, RankedLaunch]] = []
        for row in rows.tolist():
            if most is not None and len(found) >= most:
                break
            launch = self.launch(row)
            if launch is not None:
                found.append((row, self._ranked(row, launch)))
        return found

    def launch(self, row: int) -> LaunchConfig | None:
        """The launch of a row; None where an array has no region worth staging in these blocks."""
        launches = self.work.launches
        block, outputs = _shape(launches.block[row]), _shape(launches.outputs_per_thread[row])
        wanted = {array for array, staged in zip(launches.arrays, launches.staged[row], strict=True) if staged}
        if not wanted:
            return LaunchConfig(block, (), outputs)
        if (block, outputs) not in self._choices:
            work = self.work
            self._choices[block, outputs] = shared_opportunities(work.kernel, block, work.sizes, work.gpu, outputs)
        chosen = tuple(choice for choice in self._choices[block, outputs] if choice.array in wanted)
        return LaunchConfig(block, chosen, outputs) if len(chosen) == len(wanted) else None

    def _ranked(self, row: int, launch: LaunchConfig) -> RankedLaunch:
        work = self.work
        return RankedLaunch(
            launch,
            float(self.times_s[row]),
            float(work.resident_warps_per_sm[row]) / work.gpu.occupancy.max_warps_per_sm,
            int(work.registers_per_thread[row]),
            bool(work.spill_requests_per_warp[row] > 0),
        )

    def _rescale(self) -> None:
        """Give each kind of launch the ratio of its simulated ones, or that of all where none of its kind is."""
        ratios: dict[int, list[float]] = {}
        for row, time in self._simulated_s.items():
            if time > 0 and self._estimated_s[row] > 0:
                ratios.setdefault(int(self._kind[row]), []).append(log(time / self._estimated_s[row]))
        everything = [ratio for some in ratios.values() for ratio in some]
        self.times_s = self._estimated_s * _mean_factor(everything)
        for kind, some in ratios.items():
            rows = self._kind == kind
            self.times_s[rows] = self._estimated_s[rows] * _mean_factor(some)
        self._set_simulated()

    def _set_simulated(self) -> None:
        self.times_s = np.where(self.possible, self.times_s, np.inf)
        for row, time_s in self._simulated_s.items():
            self.times_s[row] = time_s


def _mean_factor(logarithms: Sequence[float]) -> float:
    """Geometric mean, 1 of nothing."""
    return exp(sum(logarithms) / len(logarithms)) if logarithms else 1.0


def _shape(row: Rows) -> Shape:
    x, y, z = row.tolist()
    return x, y, z
