"""A nest in one line."""

from __future__ import annotations

from warplens.analysis.advice.speedups import speedups_text
from warplens.analysis.facts.calls.call_assumptions import uncounted_functions
from warplens.analysis.models.choice.time_range import kernels_range
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of, guessed_sizes
from warplens.analysis.ports.guessed_grid import ANY_GRID_THREADS, is_for_a_guess
from warplens.analysis.text.quantities import extent_text, time_text
from warplens.server.render.amounts import plural
from warplens.server.render.grounds_text import at_guess, ungrounded_text
from warplens.server.render.launch_words import shape_text

_BLOCKS_SHOWN = 2


def lens_text(evaluation: NestEvaluation) -> str:
    """The line above a nest, without markup: both speedups against one core, and the block of its kernels.

    Where these have no ground it is what has one: see grounds.py.
    """
    return _lens_text(evaluation).replace("`", "")


PORTED_BLOCKS = " or ".join(map(str, ANY_GRID_THREADS))
"""What ports get where the best block is for a guessed size only."""


def _lens_text(evaluation: NestEvaluation) -> str:
    offload, grounds = evaluation.offload, grounds_of(evaluation)
    if not grounds.carry_numbers:
        return ungrounded_text(evaluation, grounds)
    at = at_guess(evaluation)
    if offload is None or not evaluation.kernels:
        can_be = any(verdict.conditions for verdict in evaluation.facts.verdicts)
        how = "parallel if you promise it" if can_be else "not parallel"
        return f"{how}, CPU {time_text(evaluation.cpu_time.one_core_s)} on one core{at}{uncounted_text(evaluation)}"
    if not offload.has_work:
        return f"{no_work_text(evaluation)}{uncounted_text(evaluation)}"
    speedups = speedups_text(offload.one_core_s, offload, kernels_range(evaluation))
    return f"GPU {speedups}{at}, {blocks_text(evaluation)}{uncounted_text(evaluation)}"


def no_work_text(evaluation: NestEvaluation) -> str:
    """Of a nest whose kernels have no iteration, at which size, if that is guessed."""
    return f"nothing to run on the GPU{at_guess(evaluation) or ' at these sizes'}"


def uncounted_text(evaluation: NestEvaluation) -> str:
    """What times leave out, as the end of a line: the work of functions that are called and not known."""
    functions = uncounted_functions((evaluation.facts.nest.root,))
    if not functions:
        return ""
    more = f" and {plural(len(functions) - 1, 'more function')}" if functions[1:] else ""
    return f", without the work of `{functions[0]}`{more}"


def sizes_text(evaluation: NestEvaluation) -> str:
    """The sizes that the numbers are for, as the end of a line."""
    guessed = {guess.name for guess in guessed_sizes(evaluation)}
    sizes = (f"{name}{'?' if name in guessed else ''} = {n}" for name, n in evaluation.sizes)
    return f", {', '.join(sizes)}" if evaluation.sizes else ""


def blocks_text(evaluation: NestEvaluation) -> str:
    """The recommended block of the nest's kernel; of several kernels their blocks, in order, if they are few."""
    ported = f" (ports {PORTED_BLOCKS})" if any(is_for_a_guess(evaluation, one) for one in evaluation.kernels) else ""
    if len(evaluation.kernels) == 1:
        return f"block {shape_text(evaluation.kernels[0].prediction.launch)}{ported}"
    blocks = [extent_text(kernel.prediction.launch.block) for kernel in evaluation.kernels]
    if len(set(blocks)) == 1:
        return f"{plural(len(blocks), 'kernel')}, block {blocks[0]}{ported}"
    return f"blocks {' and '.join(blocks)}{ported}" if len(blocks) <= _BLOCKS_SHOWN else plural(len(blocks), "kernel")
