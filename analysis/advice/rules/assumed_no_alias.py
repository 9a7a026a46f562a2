"""WL902: pointers are assumed not to overlap.

## What
The loop is parallel if two pointers, at least one of them written through, do not reach the same memory. C does not
say so.

## Why
If they overlap, the port computes something else. The compiler makes the same caution cost time: on the GPU a load that
stays behind a store is one at a time, and a sum in memory is stored in every iteration. Where that is predicted to cost
more than 10 %, it is said how much. Ports to CUDA declare all their pointers `__restrict__`, so that they don't pay it.

## Example
```c
void add(int n, double *a, double *b) {
    for (int i = 0; i < n; i++) a[i] += b[i];   /* add(n, p + 1, p)? */
}
```

## Fix
Declare the pointers `restrict` if no caller passes overlapping memory.

## Fix safety
`restrict` is a promise: breaking it is undefined behaviour.

## Does not report
Pointers to types that may not alias in C, `restrict` pointers, arrays declared in the file.

## Source
C11 6.7.3.1, 6.5p7.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.naming import pair_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.models.nest.restricted_times import restrict_gain
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.text.rounded import times_text

LEAST_GAIN = 1.1
"""Predicted gains below are not told."""


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per nest with a port that needs the assumption."""
    facts = evaluation.facts
    if not facts.kernels:
        return
    assumed = (a for v in facts.verdicts if v.can_run_in_parallel for a in v.assumptions if a.kind == "alias")
    pairs = {a.subject: pair_text(a) for a in assumed}
    if pairs:
        listed = "; ".join(text for _, text in sorted(pairs.items()))
        message = f"Parallel if these do not overlap in memory: {listed}."
        gain = restrict_gain(evaluation)
        if gain < LEAST_GAIN or not grounds_of(evaluation).carry_numbers:
            yield Finding("WL902", facts.nest.root.id, message, "hint", cause=tuple(sorted(pairs)))
            return
        message += f" {_gain_text(gain)}"
        yield Finding("WL902", facts.nest.root.id, message, "information", gain=gain, cause=tuple(sorted(pairs)))


def _gain_text(gain: float) -> str:
    faster = f"is predicted to make it {times_text(gain)} faster on the GPU"
    return f"Declaring them `restrict` {faster}; a port to CUDA declares its pointers so."


RULE = Rule("WL902", "assumed no alias", __doc__ or "", check)
