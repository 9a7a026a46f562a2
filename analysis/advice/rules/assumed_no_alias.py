"""WL902: pointers are assumed not to overlap.

## What
The loop is parallel if two pointers, at least one of them written through, do not reach the same memory. C does not
say so.

## Why
If they overlap, the port computes something else. The compiler makes the same caution cost time on the CPU.

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
from warplens.analysis.models.results.evaluation import NestEvaluation


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
        yield Finding("WL902", facts.nest.root.id, message, "hint", cause=tuple(sorted(pairs)))


RULE = Rule("WL902", "assumed no alias", __doc__ or "", check)
