"""Whether nobody has said how large a kernel's grid is: then no launch is written for the size that was guessed."""

from __future__ import annotations

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation

ANY_GRID_THREADS = (128, 256)
"""Threads per block that are good for grids of any size. Source: CUDA C++ Best Practices Guide, thread and block
heuristics (128 to 256 threads to begin with)."""


def is_for_a_guess(evaluation: NestEvaluation, kernel: KernelEvaluation) -> bool:
    """Whether the recommended launch is best for a guessed size only, so that ports have one of 128 or 256 threads."""
    is_for_any = kernel.prediction.launch.threads_per_block in ANY_GRID_THREADS
    return not is_for_any and rests_on_a_guess(evaluation, kernel.kernel)


def ported_threads(kernel: KernelEvaluation) -> int:
    """Threads per block of every port of a kernel whose grid's size is guessed: the recommended, if they suit any."""
    threads = kernel.prediction.launch.threads_per_block
    return threads if threads in ANY_GRID_THREADS else max(ANY_GRID_THREADS)


def directive_threads(evaluation: NestEvaluation, kernel: KernelEvaluation) -> int:
    """Threads per block that a directive asks for: it can't stage anything, nor shape the block."""
    if kernel.kernel.team is not None:
        return kernel.prediction.launch.threads_per_block
    if rests_on_a_guess(evaluation, kernel.kernel):
        return ported_threads(kernel)
    ranking = kernel.ranking
    plain = (ranking.line or ranking.unstaged) if ranking is not None else None
    return (plain or kernel.prediction).launch.threads_per_block


def rests_on_a_guess(evaluation: NestEvaluation, kernel: Kernel) -> bool:
    """Whether a bound of a loop along the grid hangs on a size of which nothing is known.

    A team has as many threads for any number of rows.
    """
    if kernel.team is not None:
        return False
    nest = evaluation.kernel_facts.nest
    guessed = {one.subject for one in evaluation.assumptions if one.kind == "size" and one.origin == "default"}
    formulas = {derived.name: derived.formula for derived in nest.derived}
    grid = {loop.loop for loop in kernel.grid}
    for loop in (one for one in loops_of(nest) if one.id in grid):
        names = {name for bound in (*loop.limits, *((loop.start,) if loop.start else ())) for name in bound.symbols}
        names |= {n for name in names if (formula := formulas.get(name)) is not None for n in formula.parameters}
        if not loop.limits or loop.start is None or not names.isdisjoint(guessed):
            return True
    return False
