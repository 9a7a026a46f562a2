"""The four models as cost functions of the search: seconds of many launches at once, and of one that is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.models.gpuperf import gpuperf_prediction
from warplens.analysis.models.gpuperf.gpuperf_of_work import gpuperf_time_s
from warplens.analysis.models.haigh import haigh_of_work
from warplens.analysis.models.haigh.haigh_of_work import haigh_time_s
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.whole_launch import whole_launches_s
from warplens.analysis.models.mwp_cwp import mwp_cwp_of_work
from warplens.analysis.models.mwp_cwp.mwp_cwp_of_work import mwp_cwp_time_s
from warplens.analysis.models.resios import kernel_time
from warplens.analysis.models.resios.kernel_time import kernel_time_s
from warplens.analysis.models.resios.resios_estimate import estimated_time_s


@dataclass(frozen=True, slots=True)
class CostModel:
    """`times_s` costs all launches; `simulated_s`, where there is one, says it better of a single one.

    `time_s` knows besides how atomic updates queue, which is the same for all launches, and how stores of parts of
    sectors do.
    """

    name: str
    times_s: Callable[[KernelWork], Column]
    simulated_s: Callable[[KernelOnGpu], float] | None = None

    def time_s(self, case: KernelOnGpu) -> float:
        """Time of one launch as this model says it best."""
        simulated = self.simulated_s
        time_s = float(self.times_s(case.work)[0]) if simulated is None else case.shared(simulated)
        return float(whole_launches_s(case.work, np.array([time_s]))[0])


RESIOS = CostModel(kernel_time.MODEL, estimated_time_s, kernel_time_s)

COST_MODELS: Mapping[str, CostModel] = MappingProxyType(
    {
        model.name: model
        for model in (
            RESIOS,
            CostModel(mwp_cwp_of_work.MODEL, mwp_cwp_time_s),
            CostModel(gpuperf_prediction.MODEL, gpuperf_time_s),
            CostModel(haigh_of_work.MODEL, haigh_time_s),
        )
    }
)
"""By the name that predictions carry."""
