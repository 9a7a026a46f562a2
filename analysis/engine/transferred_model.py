"""A fitted model, ready to be asked for another GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.counters.hardware import Similarity, Transfer, transferred
from warplens.analysis.counters.predict import PredictedTime, predict_time
from warplens.analysis.counters.time_model import TimeModel


class NoTransferError(Exception):
    """Why times can't be predicted for the other GPU."""


@dataclass(frozen=True, slots=True, eq=False)
class TransferredModel:
    """`transfer` scales what `model` predicts; None where the model is a mixture that has runs of both GPUs.

    `machine` are the characteristics of the target, which a mixture has among its given quantities.
    """

    model: TimeModel
    similarity: Similarity
    transfer: Transfer | None
    machine: Mapping[str, float]

    def predict(self, given: Mapping[str, float]) -> PredictedTime:
        """On the other GPU. Raises MissingQuantityError."""
        known = {**given, **self.machine}
        found = predict_time(self.model, known)
        if self.transfer is None:
            return found
        return transferred(found, self.transfer, [scale for scale in self.model.scales if scale.is_given], known)
