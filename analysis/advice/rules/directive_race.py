"""WL103: the directive above this loop is a race.

## What
A directive of OpenMP or OpenACC lets the iterations of the loop run at the same time, and two of them touch the same
variable or element, one of them writing: a sum without `reduction`, a temporary or an inner loop's counter that is
shared, a chain of iterations. Both places are named, and the clause that is missing where one would mend it.

## Why
A data race is undefined. It rarely shows in a small test, where one thread does all the work, and gives other results
from run to run on a machine with more.

## Example
```c
#pragma omp parallel for                     /* race: every iteration adds to one s */
for (int i = 0; i < n; i++)
    s += x[i];
```

## Fix
The quick fix adds the clause to the directive: `reduction(+: s)`, `private(t)`, `lastprivate(t)`, `linear(k: 2)`. Where
no clause would do, give the iterations memory of their own, a copy of what others overwrite, or an `atomic`, or take
the directive away.

## Fix safety
The clause changes nothing where one thread runs the loop, but for the order in which a sum is added up. `lastprivate`
leaves nothing in the variable where the loop has no iteration.

## Does not report
What is not sure: accesses that data decides, calls of functions whose code is not in the file (they may lock), what
stands in `critical`, `atomic`, `ordered` or `task`, directives with a macro or a clause that is not followed, work
sharing whose `parallel` is in another function, loops of `kernels` that the compiler decides about, iterations that are
more than 16 apart in a loop of unknown length, flags that all iterations set to one value.

## Source
OpenMP 5.2, 1.4.1 and 5.1; OpenACC 3.3, 2.9. Exact dependence analysis on the polyhedral model (isl).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from warplens.analysis.advice.finding import Finding, Related
from warplens.analysis.advice.naming import loop_name, node_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.facts.directive_race import DirectiveRace, MendingClause
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import NestEvaluation

CODE = "WL103"

_SECOND = {"flow": "reads what", "anti": "overwrites what", "output": "overwrites what"}
_FIRST = {"flow": "writes", "anti": "reads", "output": "writes"}


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per variable and directive, at the loop that it is about."""
    facts = evaluation.facts
    told: set[tuple[NodeId, str]] = set()
    for race in (race for verdict in facts.verdicts for race in verdict.races):
        if (race.directive, race.variable) not in told:
            told.add((race.directive, race.variable))
            yield Finding(
                CODE,
                race.loop,
                _message(facts, race),
                "warning",
                _related(facts.nest, race),
                cause=(race.directive, race.variable),
            )


def clause_text(clause: MendingClause, argument: str, names: Sequence[str]) -> str:
    """A clause that mends races of these variables.

    >>> clause_text("reduction", "+", ["s", "t"]), clause_text("linear", "2", ["k"]), clause_text("private", "", ["t"])
    ('reduction(+: s, t)', 'linear(k: 2)', 'private(t)')
    """
    listed = ", ".join(names)
    if clause == "reduction":
        return f"reduction({argument}: {listed})"
    return f"linear({listed}: {argument})" if clause == "linear" else f"{clause}({listed})"


def _message(facts: NestFacts, race: DirectiveRace) -> str:
    nest = facts.nest
    directives = (loop.directive for loop in loops_of(nest) if loop.directive is not None)
    construct = next((each.construct for each in directives if each.id == race.directive), "")
    name, loop = c_name(race.variable), loop_name(nest, race.loop)
    start = f"Race: `{construct}` lets iterations of {loop} run at once, and"
    return f"{start} {_what(nest, race, name)}. {_mend(nest, race, name)}"


def _what(nest: LoopNest, race: DirectiveRace, name: str) -> str:
    loops = {loop.id: loop for loop in loops_of(nest)}
    if race.first == race.loop:
        return f"all of them move the one `{name}`"
    if race.first in loops:
        return f"all of them count an inner loop by the one `{name}`"
    first, second = node_text(nest, race.first), node_text(nest, race.second)
    apart = f" ({race.distance} iteration{'s' if race.distance != 1 else ''} apart)" if race.distance else ""
    if first == second:
        return f"{first} in one {_SECOND[race.kind]} it {_FIRST[race.kind]} in another{apart}"
    return f"{second} in one {_SECOND[race.kind]} {first} {_FIRST[race.kind]} in another{apart}"


def _mend(nest: LoopNest, race: DirectiveRace, name: str) -> str:
    if race.clause:
        return f"Missing: `{clause_text(race.clause, race.argument, [name])}`."
    if race.argument:
        return f"Missing: `atomic` at the update, or a `reduction({race.argument}: ..)` into a variable."
    array = next((array for array in nest.arrays if array.name == race.variable), None)
    if race.kind == "anti":
        return f"No clause mends that: read `{name}` from a copy made before the loop."
    if array is None:
        return f"No clause mends that: an iteration needs what the one before leaves in `{name}`."
    return f"No clause mends that: each iteration would need elements of `{name}` of its own."


def _related(nest: LoopNest, race: DirectiveRace) -> tuple[Related, ...]:
    name = c_name(race.variable)
    directive = Related(race.directive, "the directive")
    if race.first == race.second:
        where = () if race.first == race.loop else (Related(race.first, f"every iteration's access to `{name}`"),)
        return (directive, *where)
    first, second = node_text(nest, race.first), node_text(nest, race.second)
    return (
        directive,
        Related(race.first, f"{first}: one iteration's access to `{name}`"),
        Related(race.second, f"{second}: another iteration's access to `{name}`"),
    )


RULE = Rule(CODE, "race in a directive", __doc__ or "", check)
