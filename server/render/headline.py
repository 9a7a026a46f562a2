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


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "warp"), plural(64, "warp")
    ('1 warp', '64 warps')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def rate_text(per_s: float, unit: str) -> str:
    """A rate with a decimal prefix.

    >>> rate_text(1.11e13, "B/s"), rate_text(2.5e8, "FLOP/s"), rate_text(0, "FLOP/s")
    ('11.1 TB/s', '250 MFLOP/s', '0 FLOP/s')
    """
    for scale, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if per_s >= scale:
            return f"{per_s / scale:.3g} {prefix}{unit}"
    return f"{per_s:.3g} {unit}"


def _speedup(cpu_s: float, gpu_s: float) -> str:
    return ratio_text(cpu_s / gpu_s) if gpu_s > 0 else "no work"
