"""WL101: iterations of this loop depend on each other.

## What
Two accesses of the loop touch the same element (or scalar) in two different iterations, and at least one of them
writes. The loop can't run its iterations at the same time as it stands. Both lines are named, and so is what the loop
computes where that has a parallel form of its own: a scan, a linear recurrence, a wavefront.

## Why
A GPU gets its speed from thousands of iterations in flight. A carried dependence orders them.

## Example
```c
for (int i = 1; i < n; i++)
    x[i] = x[i - 1] + b[i];   /* reads what the iteration before wrote */
```

## Fix
Often another loop of the nest is parallel, and that is enough: then nothing needs to be done. Else: use a scan or a
reduction, keep a second array for the results (Jacobi instead of Gauss-Seidel), or reorder the loops. A loop that only
overwrites what others read before is parallel once it reads that from a copy: the suggestion `copy` says of what.

## Fix safety
There is no automatic fix: every one of these changes what is computed or where it is stored.

## Does not report
Dependences that disappear by privatising a scalar or by a reduction, loops around which or in which a parallel loop
was found (the nest has a port), dependences that could not be proved (see WL102), and loops whose directive is a race
for it (see WL103).

## Source
Exact dependence analysis on the polyhedral model (isl).
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding, Related
from warplens.analysis.advice.naming import loop_name, node_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.facts.verdict import Dependence
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import NestEvaluation

_ORDER = {
    "flow": "reads {what} an earlier iteration wrote",
    "anti": "overwrites {what} an earlier iteration read",
    "output": "overwrites {what} an earlier iteration wrote",
}


def dependence_text(nest: LoopNest, dependence: Dependence) -> str:
    """What the sink does to the source's element or scalar, with the distance where it is constant."""
    distance = _distance(dependence)
    is_array = any(array.name == dependence.variable for array in nest.arrays)
    text = _ORDER[dependence.kind].format(what="what" if is_array else f"the `{c_name(dependence.variable)}` that")
    return f"{text} ({distance} iteration{'s' if distance != 1 else ''} apart)" if distance else text


def _distance(dependence: Dependence) -> int | None:
    """Iterations of its carrier between the two accesses, where that is constant."""
    return dict(zip(dependence.loops, dependence.distances, strict=True)).get(dependence.carrier)


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per loop whose dependence keeps the nest off the GPU."""
    facts = evaluation.facts
    if facts.kernels:
        return
    for verdict in sorted(
        facts.verdicts, key=lambda verdict: not verdict.pattern
    ):  # what says a way stands for the others
        if verdict.kind != "carried" or not verdict.dependences or verdict.races:
            continue
        first = verdict.dependences[0]
        sink = node_text(facts.nest, first.sink)
        how = dependence_text(facts.nest, first)
        pattern = f" {verdict.pattern[0].upper()}{verdict.pattern[1:]}." if verdict.pattern else ""
        yield Finding(
            "WL101",
            verdict.loop,
            f"Not parallel: in {loop_name(facts.nest, verdict.loop)}, {sink} {how}.{pattern}",
            "information",
            _related(facts.nest, first),
            cause=(first.variable, first.kind, _distance(first)),
            place=loop_name(facts.nest, verdict.loop),
        )


def _related(nest: LoopNest, dependence: Dependence) -> tuple[Related, ...]:
    source, sink = node_text(nest, dependence.source), node_text(nest, dependence.sink)
    variable = c_name(dependence.variable)
    if dependence.source == dependence.sink:
        return (Related(dependence.source, f"{source}: every iteration's access to `{variable}`"),)
    return (
        Related(dependence.source, f"{source}: the earlier iteration's access to `{variable}`"),
        Related(dependence.sink, f"{sink}: the later iteration's access to `{variable}`"),
    )


RULE = Rule("WL101", "carried dependence", __doc__ or "", check)
