"""WL102: it could not be decided whether this loop is parallel.

## What
Something in the loop can't be seen through: a call of a function whose code is in another file, a subscript read from
memory on the left of an assignment, an early exit. The loop is treated as not parallel.

Where the file can't tell but you can, the message starts with "Parallel if" and says what would have to be true.

## Why
A wrong "parallel" costs wrong results. The tool says "parallel" only with a proof or with your word for what it can't
see, and "not parallel" only with a witness.

## Example
```c
for (int i = 0; i < n; i++)
    y[idx[i]] = x[i];   /* parallel only if idx holds no value twice */

for (int i = 0; i < n; i++)
    smooth(image, i);   /* parallel only if smooth(image, i) touches nothing that another iteration touches */
```

## Fix
If what the message says is true, write the comment that it names above the loop. The verdict then rests on it, and says
so. What can be promised:

- `// warplens: smooth is independent`, of a function whose code is not in the file: memory that a call touches or gives
  a pointer to in one iteration is touched by no other one, whether by a call or not, unless all only read it;
- `// warplens: done is independent`, of a flag or a counter that only reports (progress, "something failed"): no
  iteration needs what another one leaves in it;
- `// warplens: status keeps its value`, of a flag that says what went wrong: no iteration changes what it holds;
- `// warplens: idx has no repeats`, of an array of subscripts: no value stands twice in it;
- `// warplens: row is increasing`, of an array of bounds: no value is smaller than the one before;
- `// warplens: ld >= n`, of numbers that the loops leave alone: it holds whenever they run. An `assert` of it in front
  of them does as well;
- `// warplens: t is private`, of an array or variable of the function: what an iteration reads in it, it wrote itself;
- `// warplens: x has no shared elements`, of an array: no element that one iteration writes is read or written by
  another one;
- `// warplens: x has no conflicting writes`, of an array: iterations that write the same element write the same value;
- `// warplens: p, q and r do not overlap`, or `p does not overlap q or r`, of pointers that the function itself set
  from one source: memory that the loop writes through one of such a pair it does not reach through the other;
- `// warplens: longjmp is never called`: no iteration leaves the loop by it, as on an error;
- `// warplens: output in any order`, of a loop that prints: their order does not matter;
- `// warplens: flag is ordinary memory`, of what is `volatile` or atomic: while the loop runs, nothing but the loop
  reads or changes it.

Where nothing can be promised, make the fact visible: move the call out, inline it, replace `break` by a condition.

## Fix safety
The quick fix inserts the comment and nothing else. It changes no program, but a promise that is not true makes every
port that rests on it wrong. It holds for the iterations of the loop that it stands above, or, above a function or
outside all of them, for every loop there.

## Does not report
Loops of nests in which another loop was found parallel, unless a promise would make a loop around that one parallel and
was not made for the inner one: who makes it there means no more.

## Source
Exact dependence analysis on the polyhedral model (isl), conservative outside it.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding, Related
from warplens.analysis.advice.naming import loop_name, node_text
from warplens.analysis.advice.promise_words import conditions_clause, short_comment
from warplens.analysis.advice.rule import Rule
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import loops_of, walk_statements
from warplens.analysis.models.results.evaluation import NestEvaluation


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding: for the outermost loop that a promise would decide, else the outermost undecided of no port."""
    facts = evaluation.facts
    undecided = [verdict for verdict in facts.verdicts if verdict.kind == "unknown"]
    decidable = [verdict for verdict in undecided if verdict.conditions]
    if facts.kernels:
        said = {a.promise.subject for verdict in facts.verdicts for a in verdict.assumptions if a.promise is not None}
        decidable = [
            v for v in decidable if said.isdisjoint(p.subject for p in v.conditions) and not _is_in_kernel(facts, v)
        ]
    for verdict in (*decidable, *(() if facts.kernels else undecided)):
        yield Finding(
            "WL102",
            verdict.loop,
            _message(facts, verdict),
            "hint",
            tuple(Related(b, f"{node_text(facts.nest, b)} is in the way") for b in verdict.blockers[:3]),
            cause=(verdict.loop,),
        )
        return


def _message(facts: NestFacts, verdict: LoopVerdict) -> str:
    loop = loop_name(facts.nest, verdict.loop)
    if not verdict.conditions:
        return f"Not known to be parallel: {loop}: {verdict.reason}."
    how = "Parallel" if verdict.under_conditions == "parallel" else "Parallel as a reduction"
    clause = conditions_clause(facts.nest, verdict)
    return f"{how} if {clause}, which this file doesn't show. If so, write {short_comment(verdict)} above {loop}."


def _is_in_kernel(facts: NestFacts, verdict: LoopVerdict) -> bool:
    roots = {kernel.root for kernel in facts.kernels}
    kernels = tuple(loop for loop in loops_of(facts.nest) if loop.id in roots)
    return any(statement.id == verdict.loop for statement in walk_statements(kernels))


RULE = Rule("WL102", "undecided loop", __doc__ or "", check)
