"""The chain from size to time with how far it is off, between the sizes that were run and beyond them."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.counters.chain import Chain, TrendKind
from warplens.analysis.counters.error_band import ErrorBand
from warplens.analysis.counters.predictors import Scale
from warplens.analysis.counters.trained_points import TrainedPoints


@dataclass(frozen=True, slots=True)
class Accuracy:
    """On unseen runs: explained variance of the time, mean absolute percentage error as a share, number of runs."""

    explained: float
    mape: float
    runs: int


@dataclass(frozen=True, slots=True)
class Tested:
    """How far off times were of runs that the model had not seen."""

    band: ErrorBand
    accuracy: Accuracy


@dataclass(frozen=True, slots=True, eq=False)
class TimeModel:
    """`scales` of the chain's columns, the given ones first; `trained` are the given ones of the runs.

    `inside` is the error at sizes left out between others, `beyond` above all others, None with too few sizes.
    `main_size` is the place among the given columns of the size along which `beyond` was tested.
    """

    scales: tuple[Scale, ...]
    trained: TrainedPoints
    chain: Chain
    trend: TrendKind
    main_size: int | None
    inside: Tested | None
    beyond: Tested | None
