"""Which model's time is the one that is shown: the one that came closest to measurements, not the one we like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.gpu.machine.model_error import ModelError

UNMEASURED_MODEL = "resios"
"""Taken where the ledger has nothing: the one model of the four that has caches, queues and latencies per access."""

NOISE = 1.1
"""Errors that differ by a smaller factor are alike: the same GPU and kernel in two labs differ by 1 to 42 %."""

LEAST_MEASUREMENTS = 20
"""Fewer say nothing of a family; then all families together decide."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The chosen model, the errors of all models in what was compared, the chosen one's first, and the reason."""

    model: str
    errors: tuple[ModelError, ...]
    why: str


def choose_model(family: str, errors: Sequence[ModelError]) -> ModelChoice:
    """Take the model with the smallest mean error (MAPE) on a family of kernels.

    Of a family with too few measurements the rows of all families (family "") decide. `UNMEASURED_MODEL` stays where
    its error is no larger than the smallest by more than `NOISE`; else of equal ones the first wins. The band of nine
    in ten does not decide: it is that of the one kernel and GPU that all models are furthest from.
    """
    of_family = _measured(errors, family)
    compared = of_family or _measured(errors, "")
    if not compared:
        return ModelChoice(UNMEASURED_MODEL, (), "no measurement of any model is known")
    limit = NOISE * min(error.mape for error in compared)
    ordered = sorted(compared, key=lambda error: (error.model != UNMEASURED_MODEL or error.mape > limit, error.mape))
    best, *others = ordered
    kernels = f"of kernels of this family ({family})" if of_family else "of kernels of all families"
    gpus = ", ".join(best.gpus)
    rank = "closest" if all(best.mape <= other.mape for other in others) else "as close as any"
    why = f"{rank} to {best.measurements} measurements {kernels} on {gpus}: {best.mape:.0%} off on average"
    if others:
        why += f", the next {others[0].mape:.0%}"
    return ModelChoice(best.model, tuple(ordered), why)


def _measured(errors: Sequence[ModelError], family: str) -> list[ModelError]:
    return [error for error in errors if error.family == family and error.measurements >= LEAST_MEASUREMENTS]
