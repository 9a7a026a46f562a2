"""Errors by pair of kernel and GPU, then over pairs: a sweep of a thousand launches counts as much as one launch.

`python -m accuracy.ledger.pairs [--launches N] [--by kernel|gpu|family|kind|pair] [MODEL]` prints them; with N only
that many launches of a pair are predicted, evenly picked, which is what a change of the models is tried on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TypeVar

from accuracy.ledger.all_measurements import all_measurements
from accuracy.ledger.kernels import kernel_of
from accuracy.ledger.measured_nests import PredictedNest, measured_nests, predict_nests
from accuracy.ledger.models import MODELS, Expected
from accuracy.ledger.predictions import Predicted, predict
from accuracy.real_c.tables import table
from warplens.analysis.models.choice.launch_kind import kind_of
from warplens.analysis.models.results.kernel_family import family_of

_Launch = TypeVar("_Launch")


@dataclass(frozen=True, slots=True)
class PairLaunch:
    """One launch of a pair: its measured time, and by model predicted / measured and what is expected of that."""

    kernel: str
    gpu: str
    family: str
    measured_s: float
    ratios: Mapping[str, float]
    expected: Mapping[str, Expected]

    @property
    def pair(self) -> tuple[str, str]:
        """Kernel and GPU."""
        return self.kernel, self.gpu


@dataclass(frozen=True, slots=True)
class PairErrors:
    """Over pairs: the mean of the pairs' MAPEs, the factor that is typical, the share within two.

    `typical` is the geometric mean over pairs of the geometric mean of the factors by which launches are off,
    `within_2` the mean over pairs of the share of launches within a factor of two, `ratio` the geometric mean of
    predicted / measured.
    """

    pairs: int
    launches: int
    mape: float
    typical: float
    within_2: float
    ratio: float


def pair_launches(found: Iterable[Predicted], nests: Iterable[PredictedNest]) -> tuple[PairLaunch, ...]:
    """Everything that was predicted, as launches of pairs."""
    launches = [
        PairLaunch(
            one.measured.kernel,
            one.measured.gpu,
            family_of(kernel_of(one.measured)),
            one.measured.time_s,
            {model: time_s / one.measured.time_s for model, time_s in one.times_s},
            one.expected,
        )
        for one in found
    ]
    launches += [
        PairLaunch(
            f"nests/{one.measured.path.removesuffix('.c')}",
            one.measured.profile,
            one.family,
            one.measured_s,
            {model: time_s / one.measured_s for model, time_s in one.times_s.items()},
            one.expected,
        )
        for one in nests
    ]
    return tuple(launches)


def picked(every: Iterable[_Launch], most: int | None, pair: Callable[[_Launch], tuple[str, str]]) -> list[_Launch]:
    """Of each pair `most` launches, evenly over their order; None: all."""
    pairs: dict[tuple[str, str], list[_Launch]] = {}
    for one in every:
        pairs.setdefault(pair(one), []).append(one)
    if most is None:
        return [one for members in pairs.values() for one in members]
    return [
        members[i * len(members) // min(most, len(members))]
        for members in pairs.values()
        for i in range(min(most, len(members)))
    ]


def pair_weights(launches: Iterable[PairLaunch]) -> list[float]:
    """Of each launch its share of its pair: the weights of a pair's launches sum to 1."""
    pairs = [one.pair for one in launches]
    numbers: dict[tuple[str, str], int] = {}
    for pair in pairs:
        numbers[pair] = numbers.get(pair, 0) + 1
    return [1 / numbers[pair] for pair in pairs]


def pair_errors(launches: Sequence[PairLaunch], ratio: Callable[[PairLaunch], float]) -> PairErrors:
    """Sum up; `launches` are not empty, `ratio` is predicted / measured."""
    weights = pair_weights(launches)
    ratios = [ratio(one) for one in launches]

    def mean(of: Callable[[float], float]) -> float:
        return sum(weight * of(each) for weight, each in zip(weights, ratios, strict=True)) / sum(weights)

    return PairErrors(
        pairs=len({one.pair for one in launches}),
        launches=len(launches),
        mape=mean(lambda each: abs(each - 1)),
        typical=exp(mean(lambda each: abs(log(each)))),
        within_2=mean(lambda each: float(0.5 <= each <= 2)),
        ratio=exp(mean(log)),
    )


def errors_cells(found: PairErrors) -> list[object]:
    """MAPE, typical factor, share within two and ratio, behind the numbers of pairs and launches."""
    return [
        found.pairs,
        found.launches,
        f"{100 * found.mape:.0f} %",
        f"{found.typical:.2f}",
        f"{100 * found.within_2:.0f} %",
        f"{found.ratio:.2f}",
    ]


ERRORS_HEAD = ["pairs", "launches", "MAPE", "typical", "within 2x", "ratio"]


def errors_table(
    launches: Sequence[PairLaunch],
    key: Callable[[PairLaunch], str],
    ratio: Callable[[PairLaunch], float],
    head: str,
) -> str:
    """Markdown: a row for each value of `key`, then all of them."""
    groups: dict[str, list[PairLaunch]] = {}
    for one in launches:
        groups.setdefault(key(one), []).append(one)
    rows: list[list[object]] = [
        [name, *errors_cells(pair_errors(members, ratio))]
        for name, members in (*sorted(groups.items()), ("all", [*launches]))
    ]
    return table([head, *ERRORS_HEAD], rows, 1)


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launches", type=int)
    parser.add_argument("--by", choices=("kernel", "gpu", "family", "kind", "pair"), default="family")
    parser.add_argument("model", nargs="?", choices=MODELS, default=MODELS[0])
    options = parser.parse_args()
    most, model = options.launches, options.model
    found = predict(picked(all_measurements(), most, lambda one: (one.kernel, one.gpu)))
    nests, _ = predict_nests(picked(measured_nests(), most, lambda one: (one.path, one.profile)))
    keys: dict[str, Callable[[PairLaunch], str]] = {
        "kernel": lambda one: one.kernel,
        "gpu": lambda one: one.gpu,
        "family": lambda one: one.family,
        "kind": lambda one: kind_of(one.expected[model].traits),
        "pair": lambda one: f"{one.kernel} {one.gpu}",
    }
    print(errors_table(pair_launches(found, nests), keys[options.by], lambda one: one.ratios[model], model))
    return 0


if __name__ == "__main__":
    raise SystemExit(_main())
