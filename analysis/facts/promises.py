"""What the user says of names: as the analysis uses it, as assumptions, and as the comment that states it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from warplens.analysis.frontend.comments.warplens_comments import read_promises
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest, walk_statements
from warplens.analysis.ir.promise import TABLE_KINDS, Promise

_WORDS = {
    "injective": "has no repeats",
    "increasing": "is increasing",
    "independent": "is independent",
    "unshared": "has no shared elements",
    "agreeing": "has no conflicting writes",
    "size": "",
    "kept": "keeps its value",
    "private": "is private",
    "separate": "",
    "unordered": "",
    "uncalled": "is never called",
    "ordinary": "is ordinary memory",
}
_SENTENCES = {
    "injective": "`{}` is taken to hold no value twice, from the comment in the source.",
    "increasing": "`{}` is taken to be increasing, from the comment in the source.",
    "unshared": "`{}` is taken to have no element that one iteration writes and another one touches, from the comment "
    "in the source.",
    "agreeing": "Iterations that write one element of `{}` are taken to write the same value, from the comment in the "
    "source.",
    "size": "`{}` is taken to hold, from the comment in the source.",
    "kept": "No iteration is taken to change what `{}` holds, from the comment in the source.",
    "private": "What an iteration reads in `{}` is taken to be what it wrote itself, from the comment in the source.",
    "separate": "`{}` is taken to hold in this loop, from the comment in the source.",
    "unordered": "In which order the loop prints is taken not to matter, and each print to succeed, from the comment "
    "in the source.",
    "uncalled": "`{}` is taken not to be called in this loop, from the comment in the source.",
    "ordinary": "Nothing but the loop is taken to read or change `{}` while it runs, from the comment in the source.",
    "function": "What calls of `{}` touch or point to in one iteration is taken not to be touched by another one "
    "(reading alone apart), from the comment in the source.",
    "variable": "What one iteration leaves in `{}` is taken not to matter to another, from the comment in the source.",
}


_LINE_CHARACTERS = 100


def independent_names(promises: Iterable[Promise]) -> frozenset[str]:
    """Functions and scalars that somebody vouches for."""
    return frozenset(promise.name for promise in promises if promise.kind == "independent")


def by_array(facts: Iterable[Promise]) -> dict[str, frozenset[str]]:
    """What is said of each array of subscripts."""
    found: dict[str, frozenset[str]] = {}
    for fact in facts:
        if fact.kind in TABLE_KINDS:
            found[fact.name] = found.get(fact.name, frozenset()) | {fact.kind}
    return found


def known_tables(nest: LoopNest) -> tuple[Promise, ...]:
    """What the initialisers of constant tables say of their values, unless one is read as another type."""
    tables = {array.name: array for array in nest.arrays if array.holds}
    if not tables:
        return ()
    for statement in walk_statements((nest.root,)):
        for access in accesses_of(statement):
            if access.array in tables and (access.type != tables[access.array].element or len(access.indices) != 1):
                del tables[access.array]
    return tuple(Promise(array.name, kind) for array in tables.values() for kind in array.holds)


def said_of(loop: NodeId, promises: Iterable[Promise]) -> tuple[Promise, ...]:
    """Promises that hold for the iterations of a loop."""
    return tuple(dict.fromkeys(replace(p, loop=None) for p in promises if p.loop in {None, loop}))


def directive_text(promises: Iterable[Promise]) -> str:
    """The comment that states them.

    >>> directive_text([Promise("idx", "injective"), Promise("row", "increasing")])
    '// warplens: idx has no repeats, row is increasing'
    """
    return "// warplens: " + ", ".join(promise_text(promise) for promise in promises)


def directive_lines(promises: Iterable[Promise]) -> tuple[str, ...]:
    """The same as comments of lines that can be read, each with as many promises as it holds.

    >>> [line.count(",") for line in directive_lines(Promise(f"function_{n}", "independent") for n in range(7))]
    [2, 2, 0]
    """
    lines: list[tuple[Promise, ...]] = []
    for promise in promises:
        longer = (*lines[-1], promise) if lines else ()
        if longer and len(directive_text(longer)) <= _LINE_CHARACTERS:
            lines[-1] = longer
        else:
            lines.append((promise,))
    return tuple(map(directive_text, lines))


def promise_text(promise: Promise) -> str:
    """One promise as a comment says it."""
    return f"{promise.name} {_WORDS[promise.kind]}".strip()


def can_be_stated(promise: Promise) -> bool:
    """Whether a comment can say it: `(*pointer)` and the second `t` of a nest have no name that it could use.

    >>> can_be_stated(Promise("ops->run", "independent")), can_be_stated(Promise("t'2", "independent"))
    (True, False)
    """
    return [d.promise for d in read_promises(directive_text((promise,)))] == [promise]


def table_reason(table: Promise) -> str:
    """Why something is known of a constant table.

    >>> table_reason(Promise("perm", "injective"))
    '`perm` holds no value twice: its initialiser'
    """
    said = "holds no value twice" if table.kind == "injective" else "is increasing"
    return f"`{table.name}` {said}: its initialiser"


def promise_assumption(promise: Promise, *, is_function: bool) -> Assumption:
    """What the user said, as a verdict shows it."""
    about = promise.kind if promise.kind != "independent" else "function" if is_function else "variable"
    return Assumption("promise", promise.name, _SENTENCES[about].format(promise.name), origin="directive")
