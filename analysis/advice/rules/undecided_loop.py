"""WL102: it could not be decided whether this loop is parallel.

## What
Something in the loop can't be seen through: a call to a function whose effects are not known, a subscript read from
memory on the left of an assignment, an early exit. The loop is treated as not parallel.

## Why
A wrong "parallel" costs wrong results. The tool says "parallel" only with a proof, and "not parallel" only with a
witness.

## Example
```c
for (int i = 0; i < n; i++)
    y[idx[i]] = x[i];   /* parallel only if idx holds no value twice */
```

## Fix
Make the fact visible: move the call out, inline it, replace `break` by a condition. Where subscripts are read from
memory the message gives the comment that states what is missing, for example `// warplens: idx has no repeats` above
the loop: the tool then takes it as true, and says so.

## Fix safety
There is no automatic fix.

## Does not report
Loops of nests in which another loop was found parallel.

## Source
Exact dependence analysis on the polyhedral model (isl), conservative outside it.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding, Related
from warplens.analysis.advice.naming import loop_name, node_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.models.evaluation import NestEvaluation


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding for the outermost undecided loop of a nest without a port."""
    facts = evaluation.facts
    if facts.kernels:
        return
    for verdict in facts.verdicts:
        if verdict.kind == "unknown":
            offered = f" It is if this is true: write `{verdict.suggestion}` above it." if verdict.suggestion else ""
            yield Finding(
                "WL102",
                verdict.loop,
                f"Not known to be parallel: {loop_name(facts.nest, verdict.loop)}: {verdict.reason}.{offered}",
                "hint",
                tuple(Related(b, f"{node_text(facts.nest, b)} is in the way") for b in verdict.blockers[:3]),
            )
            return


RULE = Rule("WL102", "undecided loop", __doc__ or "", check)
