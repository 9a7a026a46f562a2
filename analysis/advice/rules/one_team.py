"""WL304: the directive puts the loop on one multiprocessor.

## What
A `target` region without `teams` has one team. `parallel for` in it shares the loop among the threads of that team,
which are on one multiprocessor; the others have nothing to do.

## Why
A GPU has some hundred multiprocessors, and the bandwidth of its memory is there for all of them together.

## Example
```c
#pragma omp target map(to: x[0:n]) map(tofrom: y[0:n])
#pragma omp parallel for                 /* one team: one multiprocessor */
for (int i = 0; i < n; i++)
    y[i] += x[i];
```

## Fix
Write `target teams distribute parallel for`. The quick fix for OpenMP does where one directive stands above the loop.

## Fix safety
The iterations run at the same time as before, on more multiprocessors. Threads of different teams can't wait for each
other (`barrier`), and `critical` is not one for all teams on every compiler.

## Does not report
Loops whose `target` region is in another function, `target teams` of any form, loops that are no part of a kernel.

## Source
OpenMP 5.2, 10.2 (teams), 13.8 (target: the initial thread of a contention group runs the region).
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding, Related
from warplens.analysis.advice.naming import loop_name
from warplens.analysis.advice.rule import Rule
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.models.results.evaluation import NestEvaluation


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per directive that leaves a kernel's loop to one team."""
    facts = evaluation.facts
    grid = {loop.loop for kernel in facts.kernels for loop in kernel.grid}
    told: set[NodeId] = set()
    for loop in loops_of(facts.nest):
        directive = loop.directive
        if directive is None or not directive.is_one_team or loop.id not in grid or directive.id in told:
            continue
        told.add(directive.id)
        yield Finding(
            "WL304",
            loop.id,
            f"One team: without `teams`, `{directive.construct}` in a `target` region runs "
            f"{loop_name(facts.nest, loop.id)} on 1 of the {evaluation.gpu.sm_count} multiprocessors of the "
            f"{evaluation.gpu.name}. Write `target teams distribute parallel for`.",
            "warning",
            (Related(directive.id, "the directive"),),
            cause=(directive.id,),
        )


RULE = Rule("WL304", "one team", __doc__ or "", check)
