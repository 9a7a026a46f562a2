"""How far predictions are from measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log


@dataclass(frozen=True, slots=True)
class Errors:
    """Of ratios predicted / measured: their geometric mean, and the factor that nine of ten stay within.

    `mape` is the mean of |ratio - 1|. `rank` is Spearman's correlation of predicted with measured times, the mean over
    the groups in which only the launch changes; None where no group has three launches.
    """

    count: int
    ratio: float
    within: float
    mape: float
    rank: float | None


def errors(ratios: Sequence[float], ranks: Sequence[float]) -> Errors:
    """Sum up; `ratios` are not empty and positive.

    >>> errors([0.5, 2.0], [1.0])
    Errors(count=2, ratio=1.0, within=2.0, mape=0.75, rank=1.0)
    """
    logs = [log(ratio) for ratio in ratios]
    factors = sorted(exp(abs(value)) for value in logs)
    return Errors(
        len(ratios),
        exp(sum(logs) / len(logs)),
        factors[ceil(0.9 * len(factors)) - 1],
        sum(abs(ratio - 1) for ratio in ratios) / len(ratios),
        sum(ranks) / len(ranks) if ranks else None,
    )


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Rank correlation, equal values sharing their mean rank; None when all values of one are equal.

    >>> spearman([1, 2, 3], [10, 30, 20])
    0.5
    """
    a, b = _ranks(one), _ranks(other)
    mean = (len(a) + 1) / 2
    products = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    spread = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return None if spread == 0 else products / spread**0.5


def _ranks(values: Sequence[float]) -> list[float]:
    return [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]
