"""Every measurement beside what every model predicts of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from accuracy.ledger.cases import case_of
from accuracy.ledger.measurement import Measurement
from accuracy.ledger.models import predicted_times_s
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.loader import gpu_names, load_gpu


@dataclass(frozen=True, slots=True)
class Predicted:
    """Times in seconds by model, in the order of `MODELS`."""

    measured: Measurement
    times_s: tuple[tuple[str, float], ...]

    def ratio(self, model: str) -> float:
        """Predicted over measured; raises KeyError."""
        return self.time_s(model) / self.measured.time_s

    def time_s(self, model: str) -> float:
        """Predicted time of one launch; raises KeyError."""
        return dict(self.times_s)[model]


def predict(found: Iterable[Measurement], instead: Mapping[str, Gpu] | None = None) -> tuple[Predicted, ...]:
    """Predict those measurements whose GPU has a profile, or a value in `instead` of it."""
    profiles = {name: load_gpu(name) for name in gpu_names()} | dict(instead or {})
    return tuple(_predict(one, profiles[one.gpu]) for one in found if one.gpu in profiles)


def missing_profiles(found: Iterable[Measurement]) -> tuple[str, ...]:
    """GPUs that were measured and have no profile, sorted."""
    return tuple(sorted({one.gpu for one in found} - set(gpu_names())))


def _predict(measured: Measurement, gpu: Gpu) -> Predicted:
    return Predicted(measured, tuple(predicted_times_s(case_of(measured, gpu)).items()))


def is_plain(measured: Measurement) -> bool:
    """Whether each thread computes one output."""
    return prod(measured.outputs) == 1
