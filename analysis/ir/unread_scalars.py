"""Scalars that statements name, and statements without values that nothing reads."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.expression import ScalarRef, walk
from warplens.analysis.ir.nest import Assign, If, Loop, Statement, walk_statements


def scalars_in(statement: Statement) -> frozenset[str]:
    """Variables that a statement names, in what is inside of it too."""
    return frozenset(name for one in walk_statements((statement,)) for name in own_scalars(one))


def without_unread(body: tuple[Statement, ...], kept: frozenset[str]) -> tuple[Statement, ...]:
    """The body without assignments to variables that nothing reads but such assignments, except for those `kept`.

    Pointers that walk are among them: accesses know where they lead.
    """
    used = kept
    while True:
        more = used | _used(body, used)
        if more == used:
            return _pruned(body, used)
        used = more


def _used(body: tuple[Statement, ...], used: frozenset[str]) -> frozenset[str]:
    """Variables that statements read which stay because some are `used`."""
    found: set[str] = set()
    for statement in body:
        if not _stays(statement, used):
            continue
        found |= _read_scalars(statement)
        match statement:
            case Loop():
                found |= _used(statement.body, used)
            case If():
                found |= _used((*statement.then, *statement.otherwise), used)
            case _:
                pass
    return frozenset(found)


def _stays(statement: Statement, used: frozenset[str]) -> bool:
    match statement:
        case Assign(target=ScalarRef(name)):
            return name in used
        case Loop():
            is_read = statement.iterator in used and not statement.declares_iterator
            return is_read or any(_stays(one, used) for one in statement.body)
        case If():
            return any(_stays(one, used) for one in (*statement.then, *statement.otherwise))
        case _:
            return True


def _pruned(body: tuple[Statement, ...], used: frozenset[str]) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for statement in body:
        match statement:
            case _ if not _stays(statement, used):
                continue
            case Loop():
                found.append(replace(statement, body=_pruned(statement.body, used)))
            case If():
                then, otherwise = _pruned(statement.then, used), _pruned(statement.otherwise, used)
                found.append(replace(statement, then=then, otherwise=otherwise))
            case _:
                found.append(statement)
    return tuple(found)


def own_scalars(statement: Statement) -> frozenset[str]:
    """Variables that a statement itself reads or sets."""
    own = _read_scalars(statement)
    if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
        return own | {statement.target.name}
    return own | {statement.iterator} if isinstance(statement, Loop) else own


def _read_scalars(statement: Statement) -> frozenset[str]:
    """Variables whose value the statement itself uses; `x += 1` alone does not count as a use of `x`."""
    names = {
        node.name
        for expression in expressions_of(statement)
        for node in walk(expression)
        if isinstance(node, ScalarRef)
    }
    if isinstance(statement, Loop):
        bounds = (statement.start, *statement.limits, *(added for _, added in statement.limit_reads))
        names |= {symbol for bound in bounds if bound is not None for symbol in bound.symbols}
    for access in accesses_of(statement):
        names |= {symbol for index in access.indices if index is not None for symbol in index.symbols}
    return frozenset(names)
