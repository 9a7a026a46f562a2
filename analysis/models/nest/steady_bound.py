"""What bounds a nest's kernel whatever its guessed sizes turn out to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.compare_models import PREDICT
from warplens.analysis.models.choice.time_range import is_short
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import Guess, guessed_sizes
from warplens.analysis.models.results.prediction import BoundBy
from warplens.analysis.workload.loops.derived_symbols import extend_sizes

_FACTORS = (1 / 8, 8)
_MOST_PROBED = 4
"""Guesses: of more nobody has an idea, and each costs two predictions."""


def steady_bound(evaluation: NestEvaluation) -> BoundBy | None:
    """What bounds the longest kernel, None where that hangs on a guess, or where no more than one size is guessed.

    Method: each guess an eighth as large and eight times as large, the launch and the other sizes as they are. A kernel
    that takes less than its launch at one of them is bound by nothing that could be named.
    """
    guesses = guessed_sizes(evaluation)
    offload = evaluation.offload
    if not 2 <= len(guesses) <= _MOST_PROBED or offload is None or not offload.has_work:
        return None
    kernel = max(evaluation.kernels, key=lambda each: each.launches * each.prediction.time_s)
    bound = kernel.prediction.bound_by
    if is_short(kernel.prediction):
        return None
    return bound if all(each == bound for each in _bounds(evaluation, kernel, guesses)) else None


def _bounds(evaluation: NestEvaluation, kernel: KernelEvaluation, guesses: tuple[Guess, ...]) -> Iterator[BoundBy]:
    sizes = dict(evaluation.sizes)
    for guess in guesses:
        for factor in _FACTORS:
            yield _bound_at(evaluation, kernel, {**sizes, guess.name: max(1, round(guess.value * factor))})


def _bound_at(evaluation: NestEvaluation, kernel: KernelEvaluation, sizes: Mapping[str, int]) -> BoundBy:
    sized = SizedKernel.of(kernel.kernel, extend_sizes(sizes, evaluation.facts.nest))
    case = kernel_on_gpu(sized, kernel.prediction.launch, evaluation.gpu)
    return PREDICT[kernel.prediction.model](case).bound_by
