"""The rows of hwprofiles/validation.toml: how far each model is off by family of kernels, every pair counting once."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
from accuracy.ledger.fitted_ranges import LEVEL
from accuracy.ledger.models import ESTIMATE, MODELS
from accuracy.ledger.pairs import PairLaunch, pair_errors, pair_weights
from numpy.typing import NDArray
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.machine.range_model import RangeModel

SHOWN_MODELS = tuple(model for model in MODELS if model != ESTIMATE)


def family_errors(launches: Sequence[PairLaunch], ranges: dict[str, RangeModel]) -> tuple[ModelError, ...]:
    """Errors of each model by family, and of all families together as the family "", with the models' ranges."""
    families: dict[str, list[PairLaunch]] = {"": [*launches]}
    for one in launches:
        families.setdefault(one.family, []).append(one)
    return tuple(
        _error(model, family, members, ranges.get(model))
        for model in SHOWN_MODELS
        for family, members in sorted(families.items())
    )


def _error(model: str, family: str, members: Sequence[PairLaunch], ranges: RangeModel | None) -> ModelError:
    found = pair_errors(members, lambda one: one.ratios[model])
    low, high = nine_of_ten([one.ratios[model] for one in members], pair_weights(members))
    gpus = tuple(sorted({one.gpu for one in members}))
    return ModelError(
        model, family, found.ratio, low, high, found.mape, found.typical, found.pairs, found.launches, gpus,
        ranges=ranges,
    )  # fmt: skip


def nine_of_ten(ratios: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """The narrowest range, by the factor between its ends, that has nine of ten of the weights; `ratios` are positive.

    >>> nine_of_ten([0.1, 0.5, 0.6, 0.7], [1.0, 4.0, 4.0, 1.0])
    (0.5, 0.7)
    """
    order = sorted(range(len(ratios)), key=lambda i: ratios[i])
    ordered = np.array([ratios[i] for i in order])
    until: NDArray[np.float64] = np.cumsum([weights[i] for i in order])
    before = until - np.array([weights[i] for i in order])
    ends = np.searchsorted(until, before + LEVEL * until[-1] - 1e-9)
    ranges = [(float(ordered[i]), float(ordered[end])) for i, end in enumerate(ends) if end < len(ordered)]
    return min(ranges, key=lambda each: log(each[1] / each[0]))
