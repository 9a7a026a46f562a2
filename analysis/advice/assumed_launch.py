"""Which launch a prediction is for where nobody says one."""

from __future__ import annotations

from warplens.analysis.advice.measured_runs import MeasuredRuns
from warplens.analysis.advice.studied_kernel import StudiedKernel


def assumed_launch(kernel: StudiedKernel) -> MeasuredRuns | None:
    """The fastest runs at the largest size, where the model asks for something of the block; None where it doesn't.

    Of several sizes the largest is that of the one which the time follows most.
    """
    model = kernel.fit.model
    if model is None or model.main_size is None or not asked_of_launch(kernel):
        return None
    main = model.scales[model.main_size].name
    measured = [one for one in kernel.measured if one.block is not None]

    def size(one: MeasuredRuns) -> float:
        return dict(one.problem).get(main, 0.0)

    largest = max(map(size, measured), default=0.0)
    return next((one for one in measured if size(one) == largest), None)


def asked_of_launch(kernel: StudiedKernel) -> tuple[str, ...]:
    """Names of what the model asks for of the block (`launch_quantities`)."""
    model = kernel.fit.model
    return tuple(scale.name for scale in model.scales if scale.role == "launch") if model else ()
