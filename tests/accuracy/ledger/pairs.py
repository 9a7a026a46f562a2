"""Errors by pair of kernel and GPU, then over pairs: a sweep of a thousand launches counts as much as one launch.

`python -m accuracy.ledger.pairs [--launches N] [--by kernel|gpu|family] [MODEL]` prints them; with N only that many
launches of a pair are predicted, evenly picked, which is what a change of the models is tried on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TypeVar

from accuracy.ledger.all_measurements import all_measurements
from accuracy.ledger.kernels import kernel_of
from accuracy.ledger.measured_nests import measured_nests, predict_nests
from accuracy.ledger.measurement import Measurement
from accuracy.ledger.models import MODELS
from accuracy.ledger.predictions import predict
from accuracy.real_c.tables import table
from warplens.analysis.models.results.kernel_family import family_of
from warplens.server.measure.kernel_times.measured_nest import MeasuredNest

_Launch = TypeVar("_Launch", Measurement, MeasuredNest)


@dataclass(frozen=True, slots=True)
class PairLaunch:
    """One launch of a pair: the kernel's family, the measured time and predicted / measured by model."""

    kernel: str
    gpu: str
    family: str
    measured_s: float
    ratios: dict[str, float]


@dataclass(frozen=True, slots=True)
class PairErrors:
    """Of one model over pairs: the mean of the pairs' MAPEs, the factor that is typical, the share within two.

    `typical` is the geometric mean over pairs of the geometric mean of the factors by which launches are off,
    `within_2` the mean over pairs of the share of launches within a factor of two, `ratio` the geometric mean of
    predicted / measured, and `nine_of_ten` the ratio between the ends of the narrowest range that has nine of ten
    pairs' ratios.
    """

    pairs: int
    launches: int
    mape: float
    typical: float
    within_2: float
    ratio: float


def pair_launches(launches: int | None = None) -> tuple[PairLaunch, ...]:
    """Everything that was measured on a GPU with a profile; of each pair `launches` at most."""
    found = [
        PairLaunch(
            one.measured.kernel,
            one.measured.gpu,
            family_of(kernel_of(one.measured)),
            one.measured.time_s,
            dict(one.times_s),
        )
        for one in predict(_picked(all_measurements(), launches, lambda one: (one.kernel, one.gpu)))
    ]
    nests, _ = predict_nests(_picked(measured_nests(), launches, lambda one: (one.path, one.profile)))
    found += [
        PairLaunch(_nest_name(one.measured), one.measured.profile, one.family, one.measured_s, one.times_s)
        for one in nests
    ]
    return tuple(
        PairLaunch(
            one.kernel, one.gpu, one.family, one.measured_s, {m: t / one.measured_s for m, t in one.ratios.items()}
        )
        for one in found
    )


def _picked(every: Iterable[_Launch], most: int | None, pair: Callable[[_Launch], tuple[str, str]]) -> list[_Launch]:
    """Of each pair `most` launches, evenly over their order."""
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


def _nest_name(one: MeasuredNest) -> str:
    return f"nests/{one.path.removesuffix('.c')}"


def by_pair(launches: Iterable[PairLaunch]) -> dict[tuple[str, str], list[PairLaunch]]:
    """Launches of each kernel on each GPU."""
    pairs: dict[tuple[str, str], list[PairLaunch]] = {}
    for one in launches:
        pairs.setdefault((one.kernel, one.gpu), []).append(one)
    return pairs


def pair_errors(launches: Sequence[PairLaunch], model: str) -> PairErrors:
    """Sum up; `launches` are not empty."""
    pairs = [[one.ratios[model] for one in members] for members in by_pair(launches).values()]
    return PairErrors(
        pairs=len(pairs),
        launches=len(launches),
        mape=_mean([_mean([abs(ratio - 1) for ratio in ratios]) for ratios in pairs]),
        typical=exp(_mean([_mean([abs(log(ratio)) for ratio in ratios]) for ratios in pairs])),
        within_2=_mean([_mean([float(0.5 <= ratio <= 2) for ratio in ratios]) for ratios in pairs]),
        ratio=exp(_mean([_mean([log(ratio) for ratio in ratios]) for ratios in pairs])),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def errors_table(launches: Sequence[PairLaunch], key: Callable[[PairLaunch], str], model: str) -> str:
    """Markdown: a row for each value of `key`, then all of them."""
    groups: dict[str, list[PairLaunch]] = {}
    for one in launches:
        groups.setdefault(key(one), []).append(one)
    rows: list[list[object]] = [
        [name, *_row(pair_errors(members, model))] for name, members in (*sorted(groups.items()), ("all", [*launches]))
    ]
    return table([model, "pairs", "launches", "MAPE", "typical", "within 2x", "ratio"], rows, 1)


def _row(found: PairErrors) -> list[object]:
    return [
        found.pairs,
        found.launches,
        f"{100 * found.mape:.0f} %",
        f"{found.typical:.2f}",
        f"{100 * found.within_2:.0f} %",
        f"{found.ratio:.2f}",
    ]


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launches", type=int)
    parser.add_argument("--by", choices=("kernel", "gpu", "family", "pair"), default="family")
    parser.add_argument("model", nargs="?", choices=MODELS, default=MODELS[0])
    options = parser.parse_args()
    launches = pair_launches(options.launches)
    keys: dict[str, Callable[[PairLaunch], str]] = {
        "kernel": lambda one: one.kernel,
        "gpu": lambda one: one.gpu,
        "family": lambda one: one.family,
        "pair": lambda one: f"{one.kernel} {one.gpu}",
    }
    print(errors_table(launches, keys[options.by], options.model))
    return 0


if __name__ == "__main__":
    raise SystemExit(_main())
