"""The time on a GPU that was hardly run on, from the runs on another one (hardware scaling, sec. 6.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from warplens.analysis.counters.error_band import ErrorBand
from warplens.analysis.counters.machine import RatioOf
from warplens.analysis.counters.predict import PredictedTime
from warplens.analysis.counters.predictors import Scale
from warplens.analysis.counters.trained_points import TrainedPoints

Verdict = Literal["transfer", "mix", "refuse", "untested"]

FEWEST_FOR_BAND = 5


@dataclass(frozen=True, slots=True)
class Ranking:
    """The importance of each counter on one GPU, and which of them say more than chance.

    Without sizes and the launch: those matter everywhere, and would make any two rankings alike.
    """

    importance: Mapping[str, float]
    telling: frozenset[str]


@dataclass(frozen=True, slots=True)
class Similarity:
    """`tau` is the weighted rank correlation of the importances over the `shared` counters, in [-1, 1].

    `transfer`: the one's model serves the other; `mix`: the important counters of both are needed; `refuse`: neither.
    """

    tau: float
    shared: tuple[str, ...]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Transfer:
    """`log_ratio` is log2(time on the target / time on the source), of `calibration_runs`.

    Without any it is that of the machines, of what `ratio_of` says; else `runs` are where they were. `band` is between
    what calibration runs lay of each other's prediction, None with fewer than five of them.
    """

    target: str
    log_ratio: float
    calibration_runs: int
    band: ErrorBand | None
    ratio_of: RatioOf | None = None
    runs: TrainedPoints | None = None


def transferred(
    predicted: PredictedTime, transfer: Transfer, scales: Sequence[Scale], given: Mapping[str, float]
) -> PredictedTime:
    """A time predicted for the source, on the target; without an interval away from the runs there.

    `scales` are those of the given quantities.
    """
    known = np.array([float(scale.of(np.array(given[scale.name]))) for scale in scales])
    outside = transfer.runs.outside(scales, known, f" on {transfer.target}") if transfer.runs else ()
    factor = float(np.exp2(transfer.log_ratio))
    time_s = predicted.time_s * factor
    low = high = None
    if not outside and transfer.band is not None and predicted.low_s is not None and predicted.high_s is not None:
        low = predicted.low_s * factor * float(np.exp2(transfer.band.low))
        high = predicted.high_s * factor * float(np.exp2(transfer.band.high))
    return PredictedTime(time_s, low, high, predicted.counters, (*predicted.beyond, *outside))
