"""Flags that spare work once they are set: `if (found) continue; if (bad(x[i])) found = 1;`.

Whether an iteration sees the flag of another one decides only if it looks for itself. Where looking leaves nothing
behind but the flag, it ends the same in any order: set if one of them would have set it at first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from warplens.analysis.dependence.scalars.same_value_store import store_one_value
from warplens.analysis.dependence.scalars.value_order import is_repeatable
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Access, Expression, Load, ScalarRef, Unknown, walk
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, OpaqueStatement, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial


def sparing_flag(loop: Loop, name: str, find_kept: Callable[[], Collection[str]]) -> tuple[Reduction, ...]:
    """The store that a flag is whose reads only decide whether the loop's iterations look further; else empty.

    `find_kept` gives the scalars and arrays that somebody reads after an iteration; it is asked of few variables.
    """
    every = list(walk_statements(loop.body))
    assigns = [s for s in every if isinstance(s, Assign)]
    writes = [s for s in assigns if isinstance(s.target, ScalarRef) and s.target.name == name]
    names = {name, *_copies(name, assigns)}
    if not writes or not store_one_value(loop, writes):
        return ()
    left = {*find_kept()} - {name}
    if not names.isdisjoint(left):
        return ()
    looks = [s for s in every if isinstance(s, If) and not names.isdisjoint(_names_in(s.condition))]
    looking = {s.id: s for s in walk_statements(tuple(looks))}
    if not all(_leaves_nothing(s, left) for s in looking.values()):
        return ()
    written = names | {target for s in looking.values() if (target := _target(s))}
    for statement in every:
        is_copy = isinstance(statement, Assign) and _target(statement) in names
        if statement.id not in looking and not is_copy and not written.isdisjoint(_read_by(statement)):
            return ()
    return (Reduction(name, "store", writes[0].id),)


def _copies(name: str, assigns: Sequence[Assign]) -> frozenset[str]:
    """Scalars that are only ever given what the flag holds."""
    given: dict[str, list[Assign]] = {}
    for assign in assigns:
        if isinstance(assign.target, ScalarRef) and assign.target.name != name:
            given.setdefault(assign.target.name, []).append(assign)
    return frozenset(copy for copy, each in given.items() if all(_is_copy(assign, name) for assign in each))


def _is_copy(assign: Assign, name: str) -> bool:
    return not assign.operator and isinstance(assign.value, ScalarRef) and assign.value.name == name


def _leaves_nothing(statement: Statement, kept: Collection[str]) -> bool:
    """Whether nobody notices behind the loop that the statement ran."""
    if _target(statement) in kept or isinstance(statement, Evaluate | OpaqueStatement):
        return False
    parts = expressions_of(statement)
    return all(map(is_repeatable, parts)) and not any(isinstance(node, Unknown) for p in parts for node in walk(p))


def _target(statement: Statement) -> str:
    """The scalar or array that a statement sets, empty if none."""
    match statement:
        case Assign(_, ScalarRef(name)) | Assign(_, Access(array=name)) | Loop(iterator=name):
            return name
        case _:
            return ""


def _read_by(statement: Statement) -> set[str]:
    """Scalars and arrays whose values a statement reads, in subscripts and bounds too."""
    found = set[str]().union(*map(_names_in, expressions_of(statement)))
    if isinstance(statement, Assign) and statement.operator:
        found.add(_target(statement))
    if isinstance(statement, Assign) and isinstance(statement.target, Access):
        found |= _symbols(statement.target.indices)
    if isinstance(statement, Loop):
        found |= _symbols((statement.start, *statement.limits))
    return found


def _names_in(expression: Expression) -> set[str]:
    found: set[str] = set()
    for node in walk(expression):
        if isinstance(node, ScalarRef):
            found.add(node.name)
        elif isinstance(node, Load):
            found |= {node.access.array, *_symbols(node.access.indices)}
    return found


def _symbols(values: Iterable[Polynomial | None]) -> set[str]:
    return {name for value in values if value is not None for name in value.symbols}
