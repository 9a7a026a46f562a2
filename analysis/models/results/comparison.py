"""All models on one launch, side by side: where they disagree the user sees the spread."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.results.prediction import Prediction


@dataclass(frozen=True, slots=True)
class MwpCwp:
    """MWP-CWP's own numbers: warps in flight to memory, warps that compute meanwhile, which of its cases, and CPI."""

    mwp: float
    cwp: float
    case: str
    cycles_per_instruction: float


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Predictions of one launch, the chosen model's first.

    `errors` are those of the ledger for this family of kernels, empty where nothing was measured; `why_chosen` says
    what the choice rests on.
    """

    predictions: tuple[Prediction, ...]
    family: str
    errors: tuple[ModelError, ...]
    why_chosen: str
    mwp_cwp: MwpCwp

    @property
    def spread(self) -> float:
        """Longest predicted time over the shortest; 1 where nothing runs."""
        times = [prediction.time_s for prediction in self.predictions if prediction.time_s > 0]
        return max(times) / min(times) if times else 1.0

    def error_of(self, model: str) -> ModelError | None:
        """What was measured of a model on such kernels."""
        return next((error for error in self.errors if error.model == model), None)
