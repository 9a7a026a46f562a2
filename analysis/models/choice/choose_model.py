"""Which model's time is the one that is shown: the one that came closest to measurements, not the one we like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from warplens.analysis.gpu.machine.model_error import ModelError

UNMEASURED_MODEL = "resios"
"""Taken where the ledger has nothing: the one model of the four that has caches, queues and latencies per access."""

NOISE = 1.1
"""Errors that differ by a smaller factor are alike: the same GPU and kernel in two labs differ by 1 to 42 %."""

LEAST_PAIRS = 8
"""Fewer pairs of a kernel and a GPU say nothing of a family; then all families together decide."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The chosen model, the errors of all models in what was compared, the chosen one's first, and the reason."""

    model: str
    errors: tuple[ModelError, ...]
    why: str


def choose_model(family: str, errors: Sequence[ModelError]) -> ModelChoice:
    """Take the model that is typically off by the smallest factor on a family of kernels.

    Of a family with too few measured pairs the rows of all families (family "") decide. `UNMEASURED_MODEL` stays where
    its factor is no larger than the smallest by more than `NOISE`, as logarithms; else of equal ones the first wins.
    Neither the mean of |predicted / measured - 1| decides nor the band of nine in ten: a single kernel that is
    predicted ten times too long outweighs in the first ten that are half off, and makes the second.
    """
    of_family = _measured(errors, family)
    compared = of_family or _measured(errors, "")
    if not compared:
        return ModelChoice(UNMEASURED_MODEL, (), "no measurement of any model is known")
    limit = NOISE * min(log(error.typical) for error in compared)
    ordered = sorted(
        compared, key=lambda error: (error.model != UNMEASURED_MODEL or log(error.typical) > limit, error.typical)
    )
    best, *others = ordered
    kernels = f"of this family ({family})" if of_family else "of all families"
    gpus = ", ".join(best.gpus)
    rank = "closest" if all(best.typical <= other.typical for other in others) else "as close as any"
    why = f"{rank} to measurements of {best.pairs} kernels {kernels} on {gpus}: off by a factor of {best.typical:.2f}"
    if others:
        why += f", the next by {others[0].typical:.2f}"
    return ModelChoice(best.model, tuple(ordered), why)


def _measured(errors: Sequence[ModelError], family: str) -> list[ModelError]:
    return [error for error in errors if error.family == family and error.pairs >= LEAST_PAIRS]
