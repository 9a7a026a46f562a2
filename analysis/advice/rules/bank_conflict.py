"""WL203: threads of a warp meet in one bank of shared memory.

## What
With the recommended staging in shared memory, one request of a warp needs several different words of the same bank;
they are served one after the other.

## Why
An n-way conflict makes the access n times slower.

## Example
A tile of 32 x 32 floats read along its columns: the stride is 32 words, all 32 threads meet in one bank.

## Fix
Pad the rows of the tile by one element (`float tile[32][33]`).

## Fix safety
Always safe: it changes only where the tile's elements lie.

## Does not report
Threads that read the same word (it is broadcast), and the passes that elements wider than a bank take anyway.

## Source
Resios, section 3.3: stride s gives gcd(32, s)-way conflicts.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.naming import node_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.models.results.evaluation import NestEvaluation


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per conflicting access to a staged array."""
    for kernel in evaluation.kernels:
        for cost in kernel.prediction.costs:
            if cost.served_by == "shared" and cost.conflict_degree > 1:
                yield Finding(
                    "WL203",
                    cost.access,
                    f"Bank conflict: staged in shared memory, {node_text(evaluation.facts.nest, cost.access)} needs "
                    f"{cost.conflict_degree} different words of one bank at a time, so it takes "
                    f"{cost.conflict_degree} times as long; pad the tile's rows by one element.",
                    "information",
                )


RULE = Rule("WL203", "bank conflict", __doc__ or "", check)
