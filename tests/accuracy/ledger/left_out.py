"""What the ledger says of kernels and GPUs that were not measured: everything fitted is made again without them.

What is fitted or chosen from measurements: which model is shown (`choose_model` over the errors by family), the ranges,
and constants of profiles that were fitted to a part of the measurements, which a GPU that is left out does not have
(held_out.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, hypot, log

from accuracy.ledger.all_measurements import all_measurements
from accuracy.ledger.family_errors import SHOWN_MODELS, family_errors
from accuracy.ledger.fitted_ranges import fitted_range, range_data
from accuracy.ledger.held_out import fitted_keys, without_fits
from accuracy.ledger.measured_nests import measured_nests, predict_nests
from accuracy.ledger.pairs import PairLaunch, pair_launches, pair_weights, picked
from accuracy.ledger.predictions import predict
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.machine.range_model import RangeModel
from warplens.analysis.models.choice.choose_model import choose_model
from warplens.hwprofiles.loader import load_gpu, load_profile

MOST_LAUNCHES = 24
"""Of a pair that are predicted again without fits, and that ranges are fitted to."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A launch with the model whose time is shown of it, and the range that is shown: ln(factor) each way."""

    launch: PairLaunch
    model: str
    half_width: float

    @property
    def ratio(self) -> float:
        """Predicted over measured."""
        return self.launch.ratios[self.model]

    @property
    def is_inside(self) -> bool:
        """Whether the measured time is in the range."""
        return abs(log(self.ratio)) <= self.half_width

    @property
    def range_factor(self) -> float:
        """Longest over shortest time of the range."""
        return exp(2 * self.half_width)


def fitted_errors(launches: Sequence[PairLaunch]) -> tuple[ModelError, ...]:
    """All that is fitted to measurements: the errors by family with the ranges of each model."""
    calibrating = picked([one for one in launches if _is_nvidia(one.gpu)], MOST_LAUNCHES, lambda one: one.pair)
    ranges = {model: fitted_range(range_data(calibrating, model)) for model in SHOWN_MODELS}
    return family_errors(launches, ranges)


def _is_nvidia(gpu: str) -> bool:
    """Whether the models were made for GPUs of its maker: ranges are calibrated on these."""
    return not load_gpu(gpu).compute_capability.startswith("gfx")


def judged(launches: Sequence[PairLaunch], errors: Sequence[ModelError]) -> tuple[Judged, ...]:
    """The launches as they are shown with these errors."""
    models: dict[str, ModelError] = {}
    found = []
    for one in launches:
        if one.family not in models:
            models[one.family] = choose_model(one.family, errors).errors[0]
        error = models[one.family]
        assert error.ranges is not None
        found.append(Judged(one, error.model, _half_width(one, error.model, error.ranges)))
    return tuple(found)


def _half_width(one: PairLaunch, model: str, ranges: RangeModel) -> float:
    expected = one.expected[model]
    unknown = 0.0 if one.gpu in ranges.gpus else expected.unknown
    return hypot(ranges.half_width(expected.traits.as_shares()), unknown)


def without_family(launches: Sequence[PairLaunch]) -> tuple[Judged, ...]:
    """Each family by what is fitted to the others."""
    found: list[Judged] = []
    for family in sorted({one.family for one in launches}):
        errors = fitted_errors([one for one in launches if one.family != family])
        found += judged([one for one in launches if one.family == family], errors)
    return tuple(found)


def without_gpu(launches: Sequence[PairLaunch], unfitted: Sequence[PairLaunch]) -> tuple[Judged, ...]:
    """Each GPU by what is fitted to the others; `unfitted` are the launches of GPUs whose profiles have fits."""
    without_fit = {one.gpu for one in unfitted}
    found: list[Judged] = []
    for gpu in sorted({one.gpu for one in launches}):
        errors = fitted_errors([one for one in launches if one.gpu != gpu])
        asked = unfitted if gpu in without_fit else launches
        found += judged([one for one in asked if one.gpu == gpu], errors)
    return tuple(found)


def unfitted_launches() -> tuple[PairLaunch, ...]:
    """At most `MOST_LAUNCHES` of each pair on a GPU whose profile has fits, predicted without these."""
    measured = picked(all_measurements(), MOST_LAUNCHES, lambda one: (one.kernel, one.gpu))
    nests = picked(measured_nests(), MOST_LAUNCHES, lambda one: (one.path, one.profile))
    named = {one.gpu for one in measured} | {one.profile for one in nests}
    gpus = {gpu: without_fits(gpu) for gpu in named if fitted_keys(load_profile(gpu))}
    found, _ = predict_nests([one for one in nests if one.profile in gpus], gpus)
    return pair_launches(predict([one for one in measured if one.gpu in gpus], gpus), found)


def coverage(found: Sequence[Judged]) -> float:
    """Share of the launches whose measured time is in the range, every pair counting once; `found` is not empty."""
    weights = pair_weights([one.launch for one in found])
    inside = sum(weight for weight, one in zip(weights, found, strict=True) if one.is_inside)
    return inside / sum(weights)


def median_range_factor(found: Sequence[Judged]) -> float:
    """Median over pairs of longest over shortest time; `found` is not empty."""
    weights = pair_weights([one.launch for one in found])
    ordered = sorted(zip([one.range_factor for one in found], weights, strict=True))
    before, half = 0.0, sum(weights) / 2
    for factor, weight in ordered:
        before += weight
        if before >= half - 1e-9:
            return factor
    return ordered[-1][0]
