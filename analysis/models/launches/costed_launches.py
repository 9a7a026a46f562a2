"""Launches with the times that a model gives them, and the launch behind a row where it is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.launch.launches import Column, Flags
from warplens.analysis.models.choice.cost_models import CostModel
from warplens.analysis.models.launch_work.counted_launches import CountedLaunches
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.launch_cases import LaunchCases
from warplens.analysis.models.launch_work.whole_launch import whole_launches_s
from warplens.analysis.models.results.launch_ranking import RankedLaunch

Rows = NDArray[np.int64]

FEW_OUTPUTS = 8
"""With more outputs per thread few warps are resident and the closed form is further from the simulation: for a
15 x 15 convolution on an RTX 2080 Ti by 21 to 33 % with 16 outputs, by 8 to 12 % with 8."""


class CostedLaunches:
    """Times of all launches of a kernel under one model; infinite for those that can't be launched.

    Rows that are simulated get the simulation's time, and all others their estimate times the mean ratio of both over
    the simulated ones of their kind: one output, a few or many, staged or not.
    """

    def __init__(self, counted: CountedLaunches, work: KernelWork, model: CostModel, cases: LaunchCases) -> None:
        self.work = work
        self._counted = counted
        self.possible: Flags = work.is_launchable
        self.regroups: Flags = counted.staging.regroups & work.is_launchable
        """Those that stage an array for the order of its accesses alone."""
        self._model = model
        self._cases = cases
        self._estimated_s: Column = np.where(self.possible, whole_launches_s(work, model.times_s(work)), np.inf)
        self._simulated_s: dict[int, float] = {}
        outputs = work.launches.outputs_per_thread.prod(axis=1)
        number = 1 * (outputs > 1) + 1 * (outputs > FEW_OUTPUTS)
        self._kind = 2 * number + work.launches.staged.any(axis=1)
        self.times_s: Column = self._estimated_s

    @property
    def simulates(self) -> bool:
        """Whether the model has a simulation."""
        return self._model.simulated_s is not None

    def simulate(self, rows: Iterable[int]) -> bool:
        """Simulate the rows that have not been; whether there were any."""
        new = [row for row in rows if row not in self._simulated_s]
        for row in new:
            self._simulated_s[row] = self._model.time_s(self._cases.of_row(self._counted, row))
        if new:
            self._rescale()
        return bool(new)

    def keep_simulated_in_front(self, tolerance: float) -> None:
        """Let no row that is not simulated be alike the best one that is."""
        if self._simulated_s:
            least = min(self._simulated_s.values()) * (1 + 2 * tolerance)
            self.times_s = np.maximum(self.times_s, least)
            self._set_simulated()

    def ranked(self, rows: Rows) -> tuple[RankedLaunch, ...]:
        """The launches of rows that are possible."""
        work = self.work
        columns = (
            map(self._counted.launch, rows.tolist()),
            self.times_s[rows].tolist(),
            (work.resident_warps_per_sm[rows] / work.gpu.occupancy.max_warps_per_sm).tolist(),
            work.registers_per_thread[rows].astype(np.int64).tolist(),
            (work.spill_requests_per_warp[rows] > 0).tolist(),
        )
        return tuple(map(RankedLaunch, *columns))

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
