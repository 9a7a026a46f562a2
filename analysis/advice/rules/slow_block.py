"""WL303: a directive asks for a block size that is clearly slower than the best.

## What
A directive says how many threads a block has (`thread_limit` or `num_threads` of OpenMP, `vector_length` of OpenACC),
and the model predicts the kernel to be at least 1.15 times slower with them than with the best number that the same
directive could ask for. Where directives share each row out (`teams distribute` with `parallel for` inside, `gang` with
`vector`) these are the threads of a row's team.

## Why
Too few threads leave the multiprocessors idle, as they run only so many blocks at once; too many leave no room for a
second block, or make the registers spill. What was best on one GPU need not be on the next.

## Example
```c
#pragma omp target teams distribute parallel for thread_limit(32)
for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];   /* blocks of one warp: 16 to 32 at once, of 48 to 64 possible warps */
```

## Fix
The quick fix that updates the directive puts the predicted best into the clause and leaves the other clauses alone.

## Fix safety
The number of threads changes no result, but for the rounding of sums that a reduction adds up in another order.

## Does not report
Directives without such a clause; clauses whose value is an expression; kernels with a reduction that lose less than
1.45 times (for those the model was seen to choose blocks that took up to 1.42 times as long as the best, for other
kernels up to 1.13); kernels under 20 µs; blocks of two or three dimensions, which directives have no words for.

## Source
The search over launches (Haigh & McCreath); the errors of its choices are in docs/accuracy.md, "Block choice".
OpenMP 5.0, 2.7 and 2.6; OpenACC 3.1, 2.9.4.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.rule import Rule
from warplens.analysis.models.choice.time_range import is_short
from warplens.analysis.models.results.current_launch import DEFAULT_ORIGIN
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.text.rounded import times_text

LEAST_SLOWDOWN = 1.15
LEAST_SLOWDOWN_OF_REDUCTIONS = 1.45
LEAST_TIME_S = 20e-6


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per kernel whose directive's block is clearly slower than the best that it could ask for."""
    if not grounds_of(evaluation).carry_numbers:
        return
    for kernel in evaluation.kernels:
        ranking = kernel.ranking
        if ranking is None or ranking.current is None or ranking.line is None:
            continue
        if ranking.current_origin in {"", DEFAULT_ORIGIN} or is_short(kernel.prediction):
            continue
        slowdown = ranking.current_slowdown_in_line
        if slowdown < _least(kernel) or ranking.current.time_s * kernel.launches < LEAST_TIME_S:
            continue
        best = ranking.line.launch.threads_per_block
        clause = ranking.current_origin.partition("(")[0]
        yield Finding(
            "WL303",
            kernel.kernel.root,
            f"Slow block: with `{ranking.current_origin}` the kernel is predicted {times_text(slowdown)} slower than "
            f"with `{clause}({best})`.",
            "information",
            gain=slowdown,
            cause=(ranking.current_origin, best),
        )


def _least(kernel: KernelEvaluation) -> float:
    """Slowdown from which on it is outside of what the model's choices were seen to be wrong by."""
    return LEAST_SLOWDOWN_OF_REDUCTIONS if kernel.kernel.reductions else LEAST_SLOWDOWN


RULE = Rule("WL303", "slow block", __doc__ or "", check)
