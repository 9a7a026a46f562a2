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
Conditions that nearly every thread answers alike (boundary guards), conditions that are the same for a whole warp, and
branches of at most 7 instructions: the compiler runs those under a predicate.

## Source
Resios, section 5.2.1: the trace of a warp holds both sides. NVIDIA's CUDA C Best Practices Guide 4.0, 6.2 (branch
predication: up to 7 instructions where warps are likely to diverge).
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.rule import Rule
from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop
from warplens.analysis.ir.expression import condition_text
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, LoopNest, walk_statements
from warplens.analysis.models.results.evaluation import NestEvaluation

MOST_UNIFORM_SHARE = 0.9
MOST_PREDICATED_INSTRUCTIONS = 7


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per divergent branch with work to lose."""
    for kernel in evaluation.kernels:
        for branch in _branches(kernel.kernel.program):
            then, otherwise = _instructions(branch.then), _instructions(branch.otherwise)
            share = float(branch.share_at(evaluation.known_sizes))
            uniform = not 1 - MOST_UNIFORM_SHARE < share < MOST_UNIFORM_SHARE
            if not branch.divergent or uniform or then + otherwise <= MOST_PREDICATED_INSTRUCTIONS:
                continue
            cost, cure = (
                ("runs both sides one after the other", "Sort the data by it, or compute both and select")
                if then and otherwise
                else ("waits for those of them that run it", "Sort the data so that neighbours agree")
            )
            condition = _condition(evaluation.facts.nest, branch.statement)
            yield Finding(
                "WL402",
                branch.statement,
                f"Divergence: neighbouring threads disagree on {_quoted(condition)}, "
                f"and a group of {evaluation.gpu.warp_size_threads} {cost}. {cure}.",
                "information",
                cause=(condition or branch.statement,),
                place=_quoted(condition),
            )


def _condition(nest: LoopNest, node: NodeId) -> str:
    """The text of an if's condition; empty where not all of it can be written."""
    for statement in walk_statements((nest.root,)):
        if isinstance(statement, If) and statement.id == node:
            text = condition_text(statement.condition)
            return "" if "…" in text else text
    return ""


def _quoted(condition: str) -> str:
    return f"`{condition}`" if condition else "this condition"


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
                total += max(_instructions(body), MOST_PREDICATED_INSTRUCTIONS + 1)  # a loop is never predicated
            case Branch(then=then, otherwise=otherwise):
                total += _instructions(then) + _instructions(otherwise)
    return total


RULE = Rule("WL402", "divergence", __doc__ or "", check)
