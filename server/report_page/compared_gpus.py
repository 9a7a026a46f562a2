"""One nest on several GPUs, as the report's page draws them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.sizes.gpu_comparison import compare_gpus
from warplens.hwprofiles.loader import load_gpu
from warplens.hwprofiles.validation import model_errors
from warplens.server.json.models import offload_as_json
from warplens.server.render.headline import blocks_text
from warplens.server.render.loop_card import kernel_of
from warplens.server.render.model_names import model_name
from warplens.server.render.model_words import bound_text


def compared_gpus(evaluation: NestEvaluation, names: Iterable[str]) -> list[dict[str, Any]]:
    """The nest on each GPU, that of the evaluation first; none where it has no kernel, nothing to run or no ground.

    Each is searched for its own best launch. Raises ProfileError for a name without a profile.
    """
    if not grounds_of(evaluation).carry_numbers:
        return []
    gpus = (evaluation.gpu, *map(load_gpu, names))
    return [_on_gpu(each) for each in compare_gpus(evaluation, gpus, model_errors())]


def _on_gpu(evaluation: NestEvaluation) -> dict[str, Any]:
    kernel = kernel_of(evaluation, evaluation.facts.nest.root.id)
    return {
        "gpu": evaluation.gpu.id,
        "name": evaluation.gpu.name,
        "offload": offload_as_json(evaluation),
        "launch": blocks_text(evaluation),
        "bound": bound_text(kernel.prediction) if kernel else "",
        "model": model_name(kernel.prediction.model) if kernel else "",
        "values_assumed": len(evaluation.gpu.assumptions),
    }
