"""What somebody would have to promise of a loop, in plain words: as one clause, and each promise with what it means."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.facts.calls.calls import unseen_functions
from warplens.analysis.facts.promises import directive_text, promise_text
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Call, walk
from warplens.analysis.ir.nest import LoopNest, walk_statements
from warplens.analysis.ir.promise import Promise
from warplens.analysis.ir.types import PointerTo

_NAMES_SHOWN = 3


def conditions_clause(nest: LoopNest, verdict: LoopVerdict) -> str:
    """What follows "parallel if", short however many functions are called."""
    groups = _by_meaning(nest, verdict.conditions)
    clauses: list[str] = []
    if functions := groups["function"]:
        verb = "touch or give a pointer to" if _gives_pointer(nest, functions) else "touch"
        clauses.append(
            f"calls of {named(functions, 'function')} {verb} no memory that another iteration touches "
            "(reading alone is fine)"
        )
    if variables := groups["variable"]:
        clauses.append(f"no iteration minds what others leave in {named(variables, 'variable')}")
    if flags := groups["kept"]:
        clauses.append(f"no iteration changes what {named(flags, 'flag')} {'holds' if len(flags) == 1 else 'hold'}")
    if tables := groups["injective"]:
        clauses.append(f"{named(tables, 'table')} {'holds' if len(tables) == 1 else 'hold'} no value twice")
    if tables := groups["increasing"]:
        clauses.append(f"{named(tables, 'table')} {'is' if len(tables) == 1 else 'are'} increasing")
    if arrays := groups["unshared"]:
        clauses.append(f"no element of {named(arrays, 'array')} that one iteration writes is touched by another one")
    if arrays := groups["agreeing"]:
        clauses.append(f"iterations that write one element of {named(arrays, 'array')} write the same value")
    if arrays := groups["private"]:
        clauses.append(f"each iteration reads in {named(arrays, 'variable')} only what it wrote itself")
    if sizes := groups["size"]:
        clauses.append(named(sizes, "relation"))
    if lists := groups["separate"]:
        clauses.append(named(lists, "list of names"))
    if functions := groups["uncalled"]:
        clauses.append(f"no iteration calls {named(functions, 'function')}")
    if memory := groups["ordinary"]:
        clauses.append(f"nothing but the loop reads or changes {named(memory, 'name')} while it runs")
    if groups["unordered"]:
        clauses.append("nobody minds in which order it prints")
    return ", and ".join(clauses)


def short_comment(verdict: LoopVerdict) -> str:
    """The comment to write, of many promises the first."""
    promises = verdict.conditions
    if len(promises) <= _NAMES_SHOWN:
        return f"`{verdict.suggestion}`"
    return f"`{directive_text(promises[:1])}, ...` ({len(promises)} promises in all)"


def promise_meanings(nest: LoopNest, promises: Sequence[Promise]) -> tuple[str, ...]:
    """One sentence for all promises that mean alike."""
    groups = _by_meaning(nest, promises)
    meanings: list[str] = []
    for about, meaning in _MEANINGS.items():
        said = ", ".join(f"`{promise_text(promise)}`" for promise in groups[about][:_NAMES_SHOWN])
        left = len(groups[about]) - _NAMES_SHOWN
        said += f" and {left} more like {'that' if left == 1 else 'these'}" if left > 0 else ""
        if said:
            meanings.append(f"{said}: {meaning}.")
    return tuple(meanings)


def named(promises: Sequence[Promise], noun: str) -> str:
    """The names, of many the first few.

    >>> named([Promise(name, "independent") for name in "abcde"], "function")
    '`a`, `b`, `c` and 2 more functions'
    """
    shown = [f"`{promise.name}`" for promise in promises[:_NAMES_SHOWN]]
    left = len(promises) - len(shown)
    if left:
        return f"{', '.join(shown)} and {left} more {noun}{'s' if left > 1 else ''}"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


_MEANINGS = {
    "function": "memory that a call touches or gives a pointer to in one iteration is touched by no other one, whether "
    "by a call or not, unless all only read it",
    "variable": "no iteration minds what others leave in it, so that it may be updated in any order",
    "kept": "no iteration changes what it holds: nothing fails, or what does is not noted there",
    "injective": "no value stands twice in it",
    "increasing": "no value in it is smaller than the one before",
    "unshared": "no element of it that one iteration writes is read or written by another one",
    "agreeing": "iterations that write the same element of it write the same value",
    "private": "an iteration reads in it only what it wrote itself, so that each may have a copy of its own",
    "separate": "memory that the loop writes through one of two such names it does not reach through the other",
    "unordered": "nobody minds in which order the iterations print, nor what stands between two prints of one of them",
    "uncalled": "no iteration does: it would go on elsewhere in the program, and leave out the iterations behind it",
    "ordinary": "while the loop runs, no device, signal handler or other thread reads or changes it, so that its "
    "accesses may come in another order",
    "size": "it holds whenever these loops run; an `assert` of it in front of them says the same",
}


def _by_meaning(nest: LoopNest, promises: Sequence[Promise]) -> dict[str, list[Promise]]:
    called = unseen_functions(nest.root)
    groups: dict[str, list[Promise]] = {about: [] for about in _MEANINGS}
    for promise in promises:
        if promise.kind == "independent":
            groups["function" if promise.name in called else "variable"].append(promise)
        else:
            groups[promise.kind].append(promise)
    return groups


def _gives_pointer(nest: LoopNest, functions: Sequence[Promise]) -> bool:
    names = {promise.name for promise in functions}
    return any(
        isinstance(part, Call) and part.function in names and isinstance(part.type, PointerTo)
        for statement in walk_statements((nest.root,))
        for expression in expressions_of(statement)
        for part in walk(expression)
    )
