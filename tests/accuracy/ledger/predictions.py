"""Every measurement beside what every model predicts of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import prod

from accuracy.ledger.cases import case_of
from accuracy.ledger.measurement import Measurement
from accuracy.ledger.models import Expected, expected_errors, predicted_times_s
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.build_gpu import build_gpu
from warplens.hwprofiles.loader import gpu_names, load_gpu, load_profile


@dataclass(frozen=True, slots=True)
class Predicted:
    """Times in seconds by model, in the order of `MODELS`, and what says how far off each may be."""

    measured: Measurement
    times_s: tuple[tuple[str, float], ...]
    expected: Mapping[str, Expected] = field(default_factory=dict, compare=False)

    def ratio(self, model: str) -> float:
        """Predicted over measured; raises KeyError."""
        return self.time_s(model) / self.measured.time_s

    def time_s(self, model: str) -> float:
        """Predicted time of one launch; raises KeyError."""
        return dict(self.times_s)[model]


def predict(found: Iterable[Measurement], instead: Mapping[str, Gpu] | None = None) -> tuple[Predicted, ...]:
    """Predict those measurements whose GPU has a profile, or a value in `instead` of it."""
    profiles = {name: load_gpu(name) for name in gpu_names()} | dict(instead or {})
    return tuple(_predict(one, _as_it_ran(profiles[one.gpu], one)) for one in found if one.gpu in profiles)


def _as_it_ran(gpu: Gpu, measured: Measurement) -> Gpu:
    """The GPU at the clock that it was held at."""
    return at_clock(gpu.id, measured.clock_hz) if measured.clock_hz else gpu


@cache
def at_clock(gpu: str, clock_hz: float) -> Gpu:
    """The GPU whose multiprocessors and L2 run at this clock, as profilers hold them; DRAM keeps its own."""
    profile = load_profile(gpu)
    scale = clock_hz / (1e6 * profile.number("device.sm_clock_mhz"))
    entries = dict(profile.entries)
    for key in ("device.sm_clock_mhz", "l2.bandwidth_gb_per_s"):
        entries[key] = replace(entries[key], value=profile.number(key) * scale)
    return build_gpu(replace(profile, entries=entries))


def missing_profiles(found: Iterable[Measurement]) -> tuple[str, ...]:
    """GPUs that were measured and have no profile, sorted."""
    return tuple(sorted({one.gpu for one in found} - set(gpu_names())))


def _predict(measured: Measurement, gpu: Gpu) -> Predicted:
    case = case_of(measured, gpu)
    # What others measured of a reduction is its first kernel.
    times_s = predicted_times_s(case, ends=False)
    return Predicted(measured, tuple(times_s.items()), expected_errors(case, times_s))


def is_plain(measured: Measurement) -> bool:
    """Whether each thread computes one output."""
    return prod(measured.outputs) == 1
