"""WL203: threads of a warp meet in one bank of shared memory.

## What
With the recommended staging in shared memory, one request of a warp needs several different words of the same bank;
they are served one after the other. Neighbouring threads are an even number of elements apart in a row of the tile, so
that no other length of its rows helps.

## Why
An n-way conflict makes the access n times slower.

## Example
`x[8 * i + k]`, with `x` staged: threads are eight words apart, so that eight of them meet in a bank.

## Fix
Lay the array out so that neighbouring threads use neighbouring elements: `x[k][i]`, or one array for each `i % 8`.

## Fix safety
Safe where everything that uses the array follows the new layout.

## Does not report
Threads that read the same word (it is broadcast), and the passes that elements wider than a bank take anyway. Threads
that read different rows of a tile: the CUDA port writes its rows padded (`float tile[32][33]`), which ends that.

## Source
Resios, section 3.3: stride s gives gcd(32, s)-way conflicts.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.naming import node_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per conflicting access to a staged array whose conflicts no padding ends."""
    has_ground = grounds_of(evaluation).carry_numbers
    for kernel in evaluation.kernels:
        threads = frozenset(loop.iterator for loop in kernel.kernel.grid)
        arrays = {facts.access.id: facts.access.array for facts in kernel.kernel.accesses}
        rows = {facts.access.id for facts in kernel.kernel.accesses if _differ_in_rows(facts, threads)}
        for cost in kernel.prediction.costs:
            degree = cost.conflict_degree if has_ground else "several"
            if cost.served_by == "shared" and cost.conflict_degree > 1 and cost.access not in rows:
                yield Finding(
                    "WL203",
                    cost.access,
                    f"Bank conflict: kept in shared memory, {node_text(evaluation.facts.nest, cost.access)} of "
                    f"{degree} threads would lie in one part (bank) of it, so that they wait for each other, "
                    f"{degree} times as long. Let neighbouring threads use neighbouring elements.",
                    "information",
                    cause=(kernel.kernel.root, arrays[cost.access]),
                    place=node_text(evaluation.facts.nest, cost.access),
                )


def _differ_in_rows(facts: AccessFacts, threads: frozenset[str]) -> bool:
    """Whether threads read different rows of the tile, which the port pads."""
    return any(index is not None and not threads.isdisjoint(index.symbols) for index in facts.address.indices[:-1])


RULE = Rule("WL203", "bank conflict", __doc__ or "", check)
