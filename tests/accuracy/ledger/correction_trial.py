"""One correction for all GPUs and kernels, tried: a ridge of ln(predicted / measured) on what launches do.

It is kept only where it lowers the mean error (MAPE) by a tenth both of families and of GPUs that it was not fitted to,
and nothing in the analysis applies it: docs/accuracy.md says how the trial went with the models as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log

import numpy as np
from accuracy.ledger.pairs import ERRORS_HEAD, PairErrors, PairLaunch, errors_cells, pair_errors, pair_weights
from accuracy.real_c.tables import table
from numpy.typing import NDArray

Column = NDArray[np.float64]

MODEL = "resios"
MOST_FACTOR = 2.0
LEAST_GAIN = 0.1
_RIDGE, _CLIPPED, _HUBER = 20.0, 1.5, 0.4
_ROUNDS = 15


def correction_table(launches: Sequence[PairLaunch], unfitted: Sequence[PairLaunch]) -> str:
    """Markdown: errors with and without the correction where it was fitted, and where it was not."""
    trials = {
        "nothing left out": _corrected(launches, launches, lambda _one: ""),
        "family left out": _corrected(launches, launches, lambda one: one.family),
        "GPU left out": _corrected(launches, _as_left_out(launches, unfitted), lambda one: one.gpu),
    }
    rows: list[list[object]] = []
    gains = {}
    for name, found in trials.items():
        asked = [one for one, _ in found]
        factors = {id(one): factor for one, factor in found}
        before = pair_errors(asked, lambda one: one.ratios[MODEL])
        after = pair_errors(asked, lambda one, factors=factors: one.ratios[MODEL] * factors[id(one)])  # type: ignore[misc]
        gains[name] = _gain(before, after)
        rows += [[name, "no", *errors_cells(before)], [name, "yes", *errors_cells(after)]]
    helps = min(gains["family left out"], gains["GPU left out"]) >= LEAST_GAIN
    verdict = "It would help: nothing applies it yet." if helps else "It does not help what it was not fitted to."
    return f"{table(['', 'corrected', *ERRORS_HEAD], rows, 2)}\n\n{verdict}"


def _gain(before: PairErrors, after: PairErrors) -> float:
    return 1 - after.mape / before.mape


def _as_left_out(launches: Sequence[PairLaunch], unfitted: Sequence[PairLaunch]) -> list[PairLaunch]:
    without_fit = {one.gpu for one in unfitted}
    return [*unfitted, *(one for one in launches if one.gpu not in without_fit)]


def _corrected(
    launches: Sequence[PairLaunch], asked: Sequence[PairLaunch], group: Callable[[PairLaunch], str]
) -> list[tuple[PairLaunch, float]]:
    """The launches that are asked for with their factors, each by a fit to the other groups; of one group by itself."""
    found = []
    for name in sorted({group(one) for one in asked}):
        members = [one for one in asked if group(one) == name]
        factors = _fitted([one for one in launches if group(one) != name] or launches)(members)
        found += list(zip(members, factors, strict=True))
    return found


def _fitted(launches: Sequence[PairLaunch]) -> Callable[[Sequence[PairLaunch]], list[float]]:
    """Ridge with Huber's loss; a launch's factor is at most `MOST_FACTOR` each way.

    No launch gets shorter than its bytes from DRAM and its issue cycles take.
    """
    traits = _traits(launches)
    target = np.clip(np.array([log(one.ratios[MODEL]) for one in launches]), -_CLIPPED, _CLIPPED)
    weights = np.array(pair_weights(launches))
    mean = np.average(traits, axis=0, weights=weights)
    spread = np.sqrt(np.average((traits - mean) ** 2, axis=0, weights=weights)) + 1e-9
    design = np.column_stack([np.ones(len(traits)), (traits - mean) / spread])
    penalty = np.diag([1e-9, *[_RIDGE] * traits.shape[1]])
    robust = weights
    theta: Column = np.zeros(design.shape[1])
    for _ in range(_ROUNDS):
        theta = np.linalg.solve((design.T * robust) @ design + penalty, design.T @ (robust * target))
        robust = weights / np.maximum(1.0, np.abs(target - design @ theta) / _HUBER)

    def factors(asked: Sequence[PairLaunch]) -> list[float]:
        off = theta[0] + ((_traits(asked) - mean) / spread) @ theta[1:]
        least = [max(does.dram, does.issue) for does in (one.expected[MODEL].traits for one in asked)]
        found: Column = np.clip(np.maximum(np.exp(-off), least), 1 / MOST_FACTOR, MOST_FACTOR)
        return [float(each) for each in found]

    return factors


def _traits(launches: Sequence[PairLaunch]) -> Column:
    return np.array([[*one.expected[MODEL].traits.as_shares().values()] for one in launches])
