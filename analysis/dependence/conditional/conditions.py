"""What somebody would have to vouch for, so that an undecided loop may run in parallel.

Only of what the file can't tell: functions whose code is not in it, the values in arrays of subscripts, whether
anybody minds what other iterations do to a flag or a counter that only reports, and in which order they print. Each
promise is tried by asking for the verdict again with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from warplens.analysis.dependence.conditional.giving_up import only_gives_up
from warplens.analysis.dependence.conflicts.own_elements import only_written_twice
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, assigned_scalars
from warplens.analysis.dependence.subscripts.quasi_affine import Lookup
from warplens.analysis.facts.calls.calls import leaving_functions, printing_functions, unseen_functions
from warplens.analysis.facts.calls.printing import only_print
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import Loop, walk_statements
from warplens.analysis.ir.promises.agreeing import Agreeing
from warplens.analysis.ir.promises.catalogue import TABLE_KINDS
from warplens.analysis.ir.promises.comment import can_be_stated
from warplens.analysis.ir.promises.increasing import Increasing
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.injective import Injective
from warplens.analysis.ir.promises.kept import Kept
from warplens.analysis.ir.promises.named import NamedPromise
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.uncalled import Uncalled
from warplens.analysis.ir.promises.unordered import Unordered
from warplens.analysis.ir.promises.unshared import Unshared
from warplens.analysis.ir.source_names import c_name, stated_name

Ask = Callable[[Loop, tuple[Promise, ...]], LoopVerdict]
AskSizes = Callable[[Loop, LoopVerdict, tuple[Promise, ...]], tuple[tuple[Promise, ...], ...]]


def with_conditions(
    loop: Loop,
    verdict: LoopVerdict,
    promises: tuple[Promise, ...],
    inside: Iterable[Reference],
    reporting: Iterable[str],
    ask: Ask,
    ask_sizes: AskSizes,
    also: tuple[Promise, ...] = (),
    failing: Iterable[str] = (),
    graphs: tuple[Promise, ...] = (),
) -> LoopVerdict:
    """The verdict of an undecided loop with promises that would decide it, none of which can be left out.

    `promises` are those in force, `inside` the references of the loop, `reporting` its flags and counters, `ask` gives
    its verdict when more is promised, `ask_sizes` relations between sizes, any set of which may help,
    `also` what has to be said besides: that names which are in the way don't overlap, that each iteration may have a
    work array of its own, that nothing else touches what is `volatile`. Nothing is offered that a comment can't state,
    nor where a loop only prints: no thread would have anything else to do. `failing` are flags that keep their values
    where nothing fails. `graphs` says of matrices of distances that no cycle in them is negative.
    """
    if only_print(loop.body):
        return verdict
    prints = bool(printing_functions(loop))
    called = (
        *_missing(unseen_functions(loop), Independent, promises),
        *(promise for promise in also if not isinstance(promise, Private)),
        *_missing(leaving_functions(loop), Uncalled, promises),
        *(promise for promise in (Unordered(),) if prints and promise not in promises),
    )
    if not all(can_be_stated(promise) for promise in (*called, *also)):
        return verdict
    decided = ask(loop, (*promises, *called)) if called else verdict
    copied = frozenset(map(stated_name, decided.private))
    if own := tuple(promise for promise in also if isinstance(promise, Private) and promise.name not in copied):
        called = (*called, *own)
        decided = ask(loop, (*promises, *called))
    silent: tuple[Promise, ...] = ()
    if not decided.can_run_in_parallel:
        is_led = prints or unseen_functions(loop)
        reports = [name for name in reporting if is_led or only_gives_up(loop, name)]
        silent = tuple(p for p in _missing(reports, Independent, promises) if can_be_stated(p))
        decided = ask(loop, (*promises, *called, *silent)) if silent else decided
    kept = tuple(filter(can_be_stated, _missing(map(stated_name, failing), Kept, promises)))
    if kept and not decided.can_run_in_parallel:
        silent = (*silent, *kept)
        decided = ask(loop, (*promises, *called, *silent))
    if decided.kind == "unknown" and decided.maybe_private:
        copies = _missing(map(stated_name, decided.maybe_private), Private, promises)
        silent = (*silent, *filter(can_be_stated, copies))
        decided = ask(loop, (*promises, *called, *silent))
    arrays: tuple[Promise, ...] = ()
    if decided.kind == "unknown":
        known, inside = (*promises, *called, *silent), tuple(inside)
        arrays = _if_enough(graphs, known, loop, ask) or _tables(decided, known, inside, loop, ask)
        arrays = arrays or _sizes(decided, known, loop, ask, ask_sizes)
        arrays = arrays or _elements(decided, known, inside, loop, ask)
    if arrays or (silent and decided.can_run_in_parallel):
        silent, arrays = _needed(silent, arrays, (*promises, *called), loop, ask)
        decided = ask(loop, (*promises, *called, *silent, *arrays))
    conditions = (*called, *silent, *arrays)
    match decided.kind:
        case "parallel" | "reduction" as kind if conditions:
            return replace(verdict, conditions=conditions, under_conditions=kind)
        case _:
            return verdict


def _missing(names: Iterable[str], kind: type[NamedPromise], promises: tuple[Promise, ...]) -> tuple[Promise, ...]:
    return tuple(promise for promise in map(kind, names) if promise not in promises)


def _if_enough(wanted: tuple[Promise, ...], promises: tuple[Promise, ...], loop: Loop, ask: Ask) -> tuple[Promise, ...]:
    """Those promises that are not made yet, where all together decide; else none."""
    missing = tuple(promise for promise in wanted if promise not in promises and can_be_stated(promise))
    return missing if missing and ask(loop, (*promises, *missing)).can_run_in_parallel else ()


def _tables(
    verdict: LoopVerdict, promises: tuple[Promise, ...], inside: tuple[Reference, ...], loop: Loop, ask: Ask
) -> tuple[Promise, ...]:
    """Promises of one kind about the arrays whose values are in the way; empty where they don't help."""
    lookups = _deciding(verdict, inside, loop)
    for kind in TABLE_KINDS:
        arrays = sorted({lookup.array for lookup in lookups if kind is not Increasing or len(lookup.indices) == 1})
        missing = tuple(promise for promise in _missing(arrays, kind, promises) if can_be_stated(promise))
        if missing and ask(loop, (*promises, *missing)).can_run_in_parallel:
            return missing
    return ()


def _deciding(verdict: LoopVerdict, inside: tuple[Reference, ...], loop: Loop) -> frozenset[Lookup]:
    """What is looked up in places in the way, but a table's one value that is the same in all iterations."""
    references = [r for r in inside if r.id in verdict.blockers]
    lookups = frozenset(lookup for r in references for lookup in r.lookups)
    defined = {d.name: d.symbols for r in references for d in (*r.definitions, *r.place.definitions)}
    moving = {s.iterator for s in walk_statements((loop,)) if isinstance(s, Loop)} | assigned_scalars(loop.body)
    while more := {name for name, symbols in defined.items() if not moving.isdisjoint(symbols)} - moving:
        moving |= more
    used = Counter(lookup.array for lookup in lookups)
    return frozenset(one for one in lookups if used[one.array] > 1 or not moving.isdisjoint(one.symbols))


def _sizes(
    verdict: LoopVerdict, promises: tuple[Promise, ...], loop: Loop, ask: Ask, ask_sizes: AskSizes
) -> tuple[Promise, ...]:
    """Relations between sizes for which no two iterations meet; empty where there are none that help."""
    ways = ask_sizes(loop, verdict, promises)
    return next((way for way in ways if ask(loop, (*promises, *way)).can_run_in_parallel), ())


def _elements(
    verdict: LoopVerdict, promises: tuple[Promise, ...], inside: tuple[Reference, ...], loop: Loop, ask: Ask
) -> tuple[Promise, ...]:
    """Promises about the elements that iterations write, where no table's values alone would do; empty if none help.

    First that no two write the same, of arrays where data decides which; then that those who do write the same value.
    """
    looked_up = {lookup.array for lookup in _deciding(verdict, inside, loop)}
    said: tuple[Promise, ...] = ()
    kinds: tuple[type[NamedPromise], ...] = (Injective, Unshared, Agreeing)
    for kind in kinds:
        written = verdict.contested if kind is Unshared else only_written_twice(verdict)
        names = sorted(looked_up) if kind is Injective else dict.fromkeys(map(c_name, written))
        missing = tuple(p for p in _missing(names, kind, promises) if can_be_stated(p))
        if missing and verdict.kind == "unknown":
            found = ask(loop, (*promises, *said, *missing))
            if found.can_run_in_parallel or found.dependences or found.contested:
                verdict, said = found, (*said, *missing)
            # else it was too much work: what else may be said is known from the verdict before
    return said if verdict.can_run_in_parallel else ()


def _needed(
    silent: tuple[Promise, ...], arrays: tuple[Promise, ...], promises: tuple[Promise, ...], loop: Loop, ask: Ask
) -> tuple[tuple[Promise, ...], tuple[Promise, ...]]:
    """Those without which the loop would stay undecided; calls of unseen functions are all in the way by themselves."""
    kept = (*silent, *arrays)
    for promise in kept if len(kept) > 1 else ():
        fewer = tuple(other for other in kept if other != promise)
        if ask(loop, (*promises, *fewer)).can_run_in_parallel:
            kept = fewer
    return tuple(p for p in silent if p in kept), tuple(p for p in arrays if p in kept)
