"""What somebody would have to promise of a loop, in plain words: as one clause, and each promise with what it means."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.facts.calls.calls import unseen_functions
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Call, walk
from warplens.analysis.ir.nest import LoopNest, walk_statements
from warplens.analysis.ir.promises.catalogue import KINDS
from warplens.analysis.ir.promises.comment import directive_text
from warplens.analysis.ir.promises.independent import OF_FUNCTIONS, OF_FUNCTIONS_THAT_GIVE_POINTERS
from warplens.analysis.ir.promises.ordinary import Ordinary
from warplens.analysis.ir.promises.promise import Promise, Wording
from warplens.analysis.ir.promises.separate import Separate
from warplens.analysis.ir.promises.size_holds import SizeHolds
from warplens.analysis.ir.promises.uncalled import Uncalled
from warplens.analysis.ir.promises.unordered import Unordered
from warplens.analysis.ir.types import PointerTo

_NAMES_SHOWN = 3
_LAST_CLAUSES = tuple(kind.words for kind in (SizeHolds, Separate, Uncalled, Ordinary, Unordered))
"""Whole statements and what is about the loop itself stand behind what is about names in it."""


def conditions_clause(nest: LoopNest, verdict: LoopVerdict) -> str:
    """What follows "parallel if", short however many functions are called."""
    groups = _by_wording(nest, verdict.conditions)
    in_order = sorted(groups, key=lambda wording: _LAST_CLAUSES.index(wording) if wording in _LAST_CLAUSES else -1)
    clauses = []
    for wording in in_order:
        subjects, count = named(groups[wording], wording.noun), len(groups[wording])
        gives_pointer = wording is OF_FUNCTIONS and _gives_pointer(nest, groups[wording])
        told = OF_FUNCTIONS_THAT_GIVE_POINTERS if gives_pointer else wording
        clauses.append(told.clause_about(subjects, count))
    return ", and ".join(clauses)


def short_comment(verdict: LoopVerdict) -> str:
    """The comment to write, of many promises the first."""
    promises = verdict.conditions
    if len(promises) <= _NAMES_SHOWN:
        return f"`{verdict.suggestion}`"
    return f"`{directive_text(promises[:1])}, ...` ({len(promises)} promises in all)"


def promise_meanings(nest: LoopNest, promises: Sequence[Promise]) -> tuple[str, ...]:
    """One sentence for all promises that mean alike."""
    meanings: list[str] = []
    for wording, alike in _by_wording(nest, promises).items():
        said = ", ".join(f"`{promise.text}`" for promise in alike[:_NAMES_SHOWN])
        left = len(alike) - _NAMES_SHOWN
        said += f" and {left} more like {'that' if left == 1 else 'these'}" if left > 0 else ""
        meanings.append(f"{said}: {wording.meaning}.")
    return tuple(meanings)


def named(promises: Sequence[Promise], noun: str) -> str:
    """The names, of many the first few.

    >>> from warplens.analysis.ir.promises.independent import Independent
    >>> named(list(map(Independent, "abcde")), "function")
    '`a`, `b`, `c` and 2 more functions'
    """
    shown = [f"`{promise.subject}`" for promise in promises[:_NAMES_SHOWN]]
    left = len(promises) - len(shown)
    if left:
        return f"{', '.join(shown)} and {left} more {noun}{'s' if left > 1 else ''}"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _by_wording(nest: LoopNest, promises: Sequence[Promise]) -> dict[Wording, list[Promise]]:
    """Promises that are told in the same words, in the order of the kinds."""
    called = unseen_functions(nest.root)
    groups: dict[Wording, list[Promise]] = {wording: [] for kind in KINDS for wording in kind.wordings()}
    for promise in promises:
        groups[promise.wording(called)].append(promise)
    return {wording: alike for wording, alike in groups.items() if alike}


def _gives_pointer(nest: LoopNest, functions: Sequence[Promise]) -> bool:
    names = {promise.subject for promise in functions}
    return any(
        isinstance(part, Call) and part.function in names and isinstance(part.type, PointerTo)
        for statement in walk_statements((nest.root,))
        for expression in expressions_of(statement)
        for part in walk(expression)
    )
