"""A nest in one line."""

from __future__ import annotations

from warplens.analysis.advice.quantities import ratio_text, time_text
from warplens.analysis.models.evaluation import NestEvaluation


def lens_text(evaluation: NestEvaluation) -> str:
    """The line above a nest: both speedups against one core, and the block of the kernel that takes longest."""
    offload = evaluation.offload
    if offload is None or not evaluation.kernels:
        return f"not parallel, CPU {time_text(evaluation.cpu_time.one_core_s)} on one core"
    kernel = max(evaluation.kernels, key=lambda k: k.launches * k.prediction.time_s)
    return f"GPU {speedups_text(evaluation)}, block {block_text(kernel.prediction.launch.block)}"


def speedups_text(evaluation: NestEvaluation) -> str:
    """Both speedups against one core, with and without the transfers: `18x cold, 61x resident`."""
    offload = evaluation.offload
    if offload is None:
        return "no kernel"
    cold, resident = (_speedup(offload.one_core_s, gpu_s) for gpu_s in (offload.cold_s, offload.resident_s))
    return f"{cold} cold, {resident} resident"


def block_text(block: tuple[int, int, int]) -> str:
    """A block's shape without trailing ones; one dimension stays a plain number.

    >>> block_text((32, 8, 1)), block_text((256, 1, 1)), block_text((8, 4, 4))
    ('(32, 8)', '256', '(8, 4, 4)')
    """
    x, y, z = block
    if z > 1:
        return f"({x}, {y}, {z})"
    return f"({x}, {y})" if y > 1 else str(x)


def count_text(count: float) -> str:
    """A whole number in groups of three.

    >>> count_text(1234567.2), count_text(12)
    ('1 234 567', '12')
    """
    return f"{count:,.0f}".replace(",", " ")


def _speedup(cpu_s: float, gpu_s: float) -> str:
    return ratio_text(cpu_s / gpu_s) if gpu_s > 0 else "no work"
