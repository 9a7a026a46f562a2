"""All four models on one launch: the chosen one first, with what the others say and how far they were off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.choice.choose_model import choose_model
from warplens.analysis.models.choice.launch_range import ranged
from warplens.analysis.models.gpuperf import gpuperf_prediction
from warplens.analysis.models.haigh import haigh_of_work
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.mwp_cwp import mwp_cwp_of_work
from warplens.analysis.models.mwp_cwp.mwp_cwp_of_work import mwp_cwp_summary
from warplens.analysis.models.resios import kernel_time
from warplens.analysis.models.results.comparison import ModelComparison
from warplens.analysis.models.results.kernel_family import family_of
from warplens.analysis.models.results.prediction import Prediction

PREDICT: Mapping[str, Callable[[KernelOnGpu], Prediction]] = MappingProxyType(
    {
        kernel_time.MODEL: kernel_time.predict_kernel,
        mwp_cwp_of_work.MODEL: mwp_cwp_of_work.predict_mwp_cwp,
        gpuperf_prediction.MODEL: gpuperf_prediction.predict_gpuperf,
        haigh_of_work.MODEL: haigh_of_work.predict_haigh,
    }
)
"""Each model by its name, as one launch is predicted with it."""


def compare_models(case: KernelOnGpu, errors: Sequence[ModelError]) -> ModelComparison:
    """Predict a launch with every model.

    `errors` are the ledger's; those of this family of kernels are kept, with the range of launches that do what this
    one does.
    Units: seconds, launch overhead and transfers not included.
    """
    family = family_of(case.kernel)
    choice = choose_model(family, errors)
    names = sorted(PREDICT, key=lambda name: name != choice.model)
    predictions = {name: PREDICT[name](case) for name in names}
    return ModelComparison(
        predictions=tuple(predictions.values()),
        family=family,
        errors=tuple(ranged(error, predictions[error.model], case) for error in choice.errors),
        why_chosen=choice.why,
        mwp_cwp=mwp_cwp_summary(case),
    )
