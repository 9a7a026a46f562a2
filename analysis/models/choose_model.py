"""Which model's time is the one that is shown: the one that came closest to measurements, not the one we like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.gpu.model_error import ModelError

UNMEASURED_MODEL = "resios"
"""Taken where the ledger has nothing: the one model of the four that has caches, queues and latencies per access."""

NOISE = 1.1
"""Bands that differ by less are alike: the same GPU and kernel in two labs differ by 1 to 42 %."""

LEAST_MEASUREMENTS = 20
"""Fewer say nothing of a family; then all families together decide."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The chosen model, the errors of all models in what was compared, the chosen one's first, and the reason."""

    model: str
    errors: tuple[ModelError, ...]
    why: str


def choose_model(family: str, errors: Sequence[ModelError]) -> ModelChoice:
    """Take the model that stays within the smallest factor of nine of ten measurements of a family of kernels.

    Of a family with too few measurements the rows of all families (family "") decide. `UNMEASURED_MODEL` stays where
    its band is no wider than the smallest by more than `NOISE`; else of equal ones the first wins.
    """
    of_family = _measured(errors, family)
    compared = of_family or _measured(errors, "")
    if not compared:
        return ModelChoice(UNMEASURED_MODEL, (), "no measurement of any model is known")
    limit = NOISE * min(error.within for error in compared)
    ordered = sorted(
        compared, key=lambda error: (error.model != UNMEASURED_MODEL or error.within > limit, error.within)
    )
    best, *others = ordered
    kernels = f"of kernels of this family ({family})" if of_family else "of kernels of all families"
    gpus = ", ".join(best.gpus)
    rank = "closest" if all(best.within <= other.within for other in others) else "as close as any"
    why = f"{rank} to {best.measurements} measurements {kernels} on {gpus}: within {best.within:.2g}x on 9 of 10"
    if others:
        why += f", the next within {others[0].within:.2g}x"
    return ModelChoice(best.model, tuple(ordered), why)


def _measured(errors: Sequence[ModelError], family: str) -> list[ModelError]:
    return [error for error in errors if error.family == family and error.measurements >= LEAST_MEASUREMENTS]
