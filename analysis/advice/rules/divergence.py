"""WL402: threads of one warp take different sides of this branch.

## What
The condition differs between neighbouring threads, and both sides do work.

## Why
A warp runs both sides one after the other; the threads that did not take a side wait.

## Example
```c
for (int i = 0; i < n; i++)
    if (x[i] > 0) y[i] = sqrt(x[i]);
    else          y[i] = exp(x[i]);
```

## Fix
Sort or split the data by the condition, make it depend on a loop that is not the x thread index, or compute both
sides cheaply and select.

## Fix safety
There is no automatic fix.

## Does not report
Branches with work on one side only that nearly every thread takes (boundary guards), and conditions that are the same
for a whole warp.

## Source
Resios, section 5.2.1: the trace of a warp holds both sides.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.rule import Rule
from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop
from warplens.analysis.models.evaluation import NestEvaluation

MOST_UNIFORM_SHARE = 0.9


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per divergent branch with work to lose."""
    for kernel in evaluation.kernels:
        for branch in _branches(kernel.kernel.program):
            share = float(branch.then_share)
            one_sided = not (_instructions(branch.then) and _instructions(branch.otherwise))
            if not branch.divergent or (one_sided and not 1 - MOST_UNIFORM_SHARE < share < MOST_UNIFORM_SHARE):
                continue
            work = _instructions(branch.then) + _instructions(branch.otherwise)
            yield Finding(
                "WL402",
                branch.statement,
                f"Divergence: threads of one warp disagree here, so the warp runs both sides ({work} instructions).",
                "information",
            )


def _branches(program: tuple[Region, ...]) -> Iterator[Branch]:
    for region in program:
        match region:
            case ThreadLoop(body=body):
                yield from _branches(body)
            case Branch(then=then, otherwise=otherwise):
                yield region
                yield from _branches(then)
                yield from _branches(otherwise)
            case BasicBlock():
                pass


def _instructions(program: tuple[Region, ...]) -> int:
    total = 0
    for region in program:
        match region:
            case BasicBlock(instructions=instructions):
                total += len(instructions)
            case ThreadLoop(body=body):
                total += _instructions(body)
            case Branch(then=then, otherwise=otherwise):
                total += _instructions(then) + _instructions(otherwise)
    return total


RULE = Rule("WL402", "divergence", __doc__ or "", check)
