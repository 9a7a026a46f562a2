"""A nest in one line."""

from __future__ import annotations

from warplens.analysis.advice.quantities import time_text
from warplens.analysis.facts.call_assumptions import uncounted_functions
from warplens.analysis.models.evaluation import NestEvaluation
from warplens.server.render.amounts import plural, speedups_text

_BLOCKS_SHOWN = 2


def lens_text(evaluation: NestEvaluation) -> str:
    """The line above a nest: both speedups against one core, and the block of its kernels."""
    offload = evaluation.offload
    if offload is None or not evaluation.kernels:
        can_be = any(verdict.conditions for verdict in evaluation.facts.verdicts)
        how = "parallel if you promise it" if can_be else "not parallel"
        return f"{how}, CPU {time_text(evaluation.cpu_time.one_core_s)} on one core{uncounted_text(evaluation)}"
    gpu = f"GPU {speedups_text(offload.one_core_s, offload)}, {blocks_text(evaluation)}"
    return f"{gpu}{uncounted_text(evaluation)}"


def uncounted_text(evaluation: NestEvaluation) -> str:
    """What times leave out, as the end of a line: the work of functions that are called and not known."""
    functions = uncounted_functions((evaluation.facts.nest.root,))
    if not functions:
        return ""
    more = f" and {plural(len(functions) - 1, 'more function')}" if functions[1:] else ""
    return f", without the work of `{functions[0]}`{more}"


def blocks_text(evaluation: NestEvaluation) -> str:
    """The recommended block of the nest's kernel; of several kernels their blocks, in order, if they are few."""
    blocks = [block_text(kernel.prediction.launch.block) for kernel in evaluation.kernels]
    if len(set(blocks)) == 1:
        return f"block {blocks[0]}" if len(blocks) == 1 else f"{plural(len(blocks), 'kernel')}, block {blocks[0]}"
    return f"blocks {' and '.join(blocks)}" if len(blocks) <= _BLOCKS_SHOWN else plural(len(blocks), "kernel")


def block_text(block: tuple[int, int, int]) -> str:
    """A block's shape without trailing ones; one dimension stays a plain number.

    >>> block_text((32, 8, 1)), block_text((256, 1, 1)), block_text((8, 4, 4))
    ('(32, 8)', '256', '(8, 4, 4)')
    """
    x, y, z = block
    if z > 1:
        return f"({x}, {y}, {z})"
    return f"({x}, {y})" if y > 1 else str(x)
