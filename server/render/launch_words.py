"""A launch in words: its block, the outputs of a thread, what is staged; and what a choice of launch costs."""

from __future__ import annotations

from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.text.quantities import extent_text, ratio_text, time_text

ALIKE = 1.02
"""Factors below this are shown as no difference."""

_TWO_DECIMALS_BELOW = 9.995
_SHORTEST_S = 1e-6


def factor_text(factor: float) -> str:
    """A factor of two times, finer than a speedup.

    >>> factor_text(1.316), factor_text(9.99), factor_text(12.3), factor_text(1)
    ('1.32x', '9.99x', '12x', '1.00x')
    """
    return f"{factor:.2f}x" if factor < _TWO_DECIMALS_BELOW else ratio_text(factor)


def slower_text(factor: float, than: str) -> str:
    """What a launch costs against another one.

    >>> slower_text(1.316, "the first"), slower_text(1.004, "that"), slower_text(0.8, "that")
    ('1.32x slower than the first', 'as fast as that', '1.25x faster than that')
    """
    if factor <= 0 or 1 / ALIKE < factor < ALIKE:
        return f"as fast as {than}"
    return (
        f"{factor_text(factor)} slower than {than}" if factor > 1 else f"{factor_text(1 / factor)} faster than {than}"
    )


def kernel_time_text(time_s: float) -> str:
    """Time of a launch: no clock that a host has tells shorter ones apart.

    >>> kernel_time_text(8.16e-8), kernel_time_text(2.5e-6)
    ('< 1 µs', '2.5 µs')
    """
    return "< 1 µs" if 0 < time_s < _SHORTEST_S else time_text(time_s)


def outputs_text(outputs: tuple[int, int, int]) -> str:
    """Outputs of a thread, with their shape where more than one axis could have them.

    >>> outputs_text((1, 1, 1)), outputs_text((8, 1, 1)), outputs_text((2, 4, 1)), outputs_text((1, 4, 1))
    ('1', '8', '8 (2x4)', '4 (1x4)')
    """
    x, y, z = outputs
    return str(x) if y == z == 1 else f"{x * y * z} ({extent_text(outputs)})"


def staged_text(launch: LaunchConfig) -> str:
    """Names of the arrays in shared memory, empty without one."""
    return ", ".join(sorted(f"`{c_name(choice.array)}`" for choice in launch.shared))


def launch_text(launch: LaunchConfig) -> str:
    """A launch as part of a sentence.

    >>> launch_text(LaunchConfig((32, 8, 1), (), (1, 4, 1))), launch_text(LaunchConfig((256, 1, 1)))
    ('block 32x8, 4 (1x4) outputs per thread', 'block 256')
    """
    staged = f", {staged_text(launch)} in shared memory" if launch.shared else ""
    return f"block {shape_text(launch)}{staged}"


def shape_text(launch: LaunchConfig) -> str:
    """The block, and the outputs of a thread where it has several."""
    is_single = launch.outputs_per_thread == (1, 1, 1)
    outputs = "" if is_single else f", {outputs_text(launch.outputs_per_thread)} outputs per thread"
    return f"{extent_text(launch.block)}{outputs}"
