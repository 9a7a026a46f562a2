"""What somebody would have to vouch for, so that an undecided loop may run in parallel.

Only of what the file can't tell: functions whose code is not in it, the values in arrays of subscripts, and whether
anybody minds what other iterations do to a flag or a counter that only reports. Each promise is tried by asking for
the verdict again with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from warplens.analysis.facts.iteration_domain import Reference
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Call, walk
from warplens.analysis.ir.nest import Loop, walk_statements
from warplens.analysis.ir.promise import TABLE_KINDS, Promise

Ask = Callable[[Loop, tuple[Promise, ...]], LoopVerdict]


def with_conditions(
    loop: Loop,
    verdict: LoopVerdict,
    promises: tuple[Promise, ...],
    inside: Iterable[Reference],
    reporting: Iterable[str],
    ask: Ask,
) -> LoopVerdict:
    """The verdict of an undecided loop with the least of promises that would decide it, if there are any.

    `inside` are the references of the loop, `reporting` its flags and counters, `ask` gives its verdict when more is
    promised.
    """
    called = tuple(Promise(name, "independent") for name in unseen_functions(loop))
    missing = tuple(promise for promise in called if promise not in promises)
    decided = ask(loop, (*promises, *missing)) if missing else verdict
    if missing and not decided.can_run_in_parallel:
        missing += tuple(Promise(name, "independent") for name in reporting)
        decided = ask(loop, (*promises, *missing))
    if decided.kind == "unknown":
        tables = _tables(decided, (*promises, *missing), inside, loop, ask)
        if not tables:
            return verdict
        missing = (*missing, *tables)
        decided = ask(loop, (*promises, *missing))
    match decided.kind:
        case "parallel" | "reduction" as kind:
            return replace(verdict, conditions=missing, under_conditions=kind)
        case _:
            return verdict


def unseen_functions(loop: Loop) -> tuple[str, ...]:
    """Functions called in the loop, of which the file doesn't tell what they touch, in source order."""
    return tuple(
        dict.fromkeys(
            part.function
            for statement in walk_statements((loop,))
            for expression in expressions_of(statement)
            for part in walk(expression)
            if isinstance(part, Call) and part.effects == "unseen"
        )
    )


def _tables(
    verdict: LoopVerdict, promises: tuple[Promise, ...], inside: Iterable[Reference], loop: Loop, ask: Ask
) -> tuple[Promise, ...]:
    """Promises of one kind about the arrays whose values are in the way; empty where they don't help."""
    lookups = {lookup for r in inside if r.id in verdict.blockers for lookup in r.lookups}
    for kind in TABLE_KINDS:
        arrays = sorted({lookup.array for lookup in lookups if kind != "increasing" or len(lookup.indices) == 1})
        missing = tuple(Promise(name, kind) for name in arrays if Promise(name, kind) not in promises)
        if missing and ask(loop, (*promises, *missing)).can_run_in_parallel:
            return missing
    return ()
