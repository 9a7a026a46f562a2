"""Which launch a prediction is for where nobody says one."""

from __future__ import annotations

from math import prod

from warplens.analysis.advice.measured_runs import MeasuredRuns
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.predictors import THREADS_PER_BLOCK


def assumed_launch(kernel: StudiedKernel) -> MeasuredRuns | None:
    """The fastest runs at the largest size, where the model asks for the block's threads; None where it doesn't.

    Of several sizes the largest is that of the one which the time follows most.
    """
    model = kernel.fit.model
    if model is None or model.main_size is None or all(scale.name != THREADS_PER_BLOCK for scale in model.scales):
        return None
    main = model.scales[model.main_size].name
    measured = [one for one in kernel.measured if one.block is not None]

    def size(one: MeasuredRuns) -> float:
        return dict(one.problem).get(main, 0.0)

    largest = max(map(size, measured), default=0.0)
    return next((one for one in measured if size(one) == largest), None)


def block_threads(runs: MeasuredRuns) -> float:
    """Threads of a block, as a prediction asks for it."""
    return float(prod(runs.block or (1,)))
