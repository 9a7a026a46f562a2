"""One nest on several GPUs, at the same sizes and against the same CPU."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from warplens.analysis.models.evaluate_nest import evaluate_nest
from warplens.analysis.models.evaluation import NestEvaluation
from warplens.hwprofiles.loader import load_gpu
from warplens.hwprofiles.validation import model_errors
from warplens.server.cli.models_json import offload_as_json
from warplens.server.render.headline import blocks_text
from warplens.server.render.loop_card import kernel_of
from warplens.server.render.model_words import bound_text, model_name

COMPARED = ("rtx2080ti", "v100", "a4000", "a100", "h100", "mi250x")
"""GPUs that a report compares where nobody names any."""


def compared_gpus(evaluation: NestEvaluation, names: Iterable[str]) -> list[dict[str, Any]]:
    """The nest on each GPU, that of the evaluation first; none where the nest has no kernel or nothing to run.

    Each is searched for its own best launch. Raises ProfileError for a name without a profile.
    """
    if evaluation.offload is None or not evaluation.offload.has_work:
        return []
    gpus = {gpu.id: gpu for gpu in (evaluation.gpu, *map(load_gpu, names))}
    errors = model_errors()
    return [
        _on_gpu(
            evaluation
            if gpu.id == evaluation.gpu.id
            else evaluate_nest(evaluation.facts, dict(evaluation.sizes), gpu, evaluation.cpu, errors)
        )
        for gpu in gpus.values()
    ]


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
