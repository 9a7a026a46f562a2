"""The models that the ledger compares, by the name that their predictions carry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.models.choice.launch_traits import LaunchTraits, launch_traits
from warplens.analysis.models.choice.profile_uncertainty import profile_uncertainty
from warplens.analysis.models.gpuperf.gpuperf_of_work import gpuperf_time_s
from warplens.analysis.models.haigh.haigh_of_work import haigh_time_s
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.whole_launch import whole_launches_s
from warplens.analysis.models.mwp_cwp.mwp_cwp_of_work import mwp_cwp_time_s
from warplens.analysis.models.resios.kernel_time import kernel_time_s
from warplens.analysis.models.resios.resios_estimate import estimated_time_s

ESTIMATE = "resios, estimated"
"""The closed form by which the search ranks launches before it simulates the best of them; no prediction is its own."""

_CLOSED_FORMS: Mapping[str, Callable[[KernelWork], Column]] = {
    "mwp_cwp": mwp_cwp_time_s,
    "gpuperf": gpuperf_time_s,
    "haigh": haigh_time_s,
    ESTIMATE: estimated_time_s,
}

MODELS = ("resios", *_CLOSED_FORMS)


def predicted_times_s(case: KernelOnGpu, *, ends: bool = True) -> dict[str, float]:
    """Time of one launch in seconds by every model; a reduction `ends` with the pass over its blocks' values."""
    work = case.work
    is_request = np.array([[cost.served_by != "register" for cost in case.costs]])
    work = replace(
        work,
        requests_per_warp=work.requests_per_warp * is_request,
        waiting_requests_per_warp=work.waiting_requests_per_warp * is_request,
    )
    times = {"resios": kernel_time_s(case)}
    times |= {model: float(time_s(work)[0]) for model, time_s in _CLOSED_FORMS.items()}
    return {model: float(whole_launches_s(work, np.array([time_s]), ends=ends)[0]) for model, time_s in times.items()}


@dataclass(frozen=True, slots=True)
class Expected:
    """What says how far off a model may be on a launch: what the launch does, and ln(factor) of unmeasured values."""

    traits: LaunchTraits
    unknown: float


def expected_errors(case: KernelOnGpu, times_s: Mapping[str, float]) -> dict[str, Expected]:
    """Of every model whose time is shown; `times_s` are of that launch."""
    traits = {model: launch_traits(case, times_s[model]) for model in MODELS if model != ESTIMATE}
    return {model: Expected(each, profile_uncertainty(each, case.gpu).half_width) for model, each in traits.items()}
