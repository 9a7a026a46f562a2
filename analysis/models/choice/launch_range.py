"""The measured error of a model as that of one launch: between which factors nine of ten such launches lay."""

from __future__ import annotations

from dataclasses import replace
from math import exp, hypot, log

from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.choice.launch_traits import launch_traits
from warplens.analysis.models.choice.profile_uncertainty import ProfileUncertainty, profile_uncertainty
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.results.prediction import Prediction


def ranged(error: ModelError, prediction: Prediction, case: KernelOnGpu) -> ModelError:
    """The error of a prediction's model with the range of launches that do what this one does; it contains 1.

    Equation: half width = sqrt(measured² + profile²): what the ranges were calibrated on, and what the GPU's profile
    doesn't know, are off independently of each other. On a GPU that they were calibrated on nothing is added: its
    profile's own errors are in the measured ones. A row without ranges gives its own, as far as it contains 1.
    """
    ranges = error.ranges
    if prediction.time_s <= 0:
        return replace(error, low=1.0, high=1.0, ranges=None)
    traits = launch_traits(case, prediction.time_s)
    if ranges is None:
        below, above = max(0.0, log(error.high)), max(0.0, -log(error.low))
    else:
        below = above = ranges.half_width(traits.as_shares())
    calibrated_on = error.gpus if ranges is None else ranges.gpus
    unknown = ProfileUncertainty() if case.gpu.id in calibrated_on else profile_uncertainty(traits, case.gpu)
    wide_below, wide_above = hypot(below, unknown.half_width), hypot(above, unknown.half_width)
    return replace(
        error,
        low=exp(-wide_above),
        high=exp(wide_below),
        profile_factor=exp(max(wide_below - below, wide_above - above)),
        uncertain=unknown.values,
        ranges=None,
    )
