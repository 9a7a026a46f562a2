"""Scalars that may have one copy per iteration: what is read was written before in the same iteration.

Source: Padua, Wolfe, Advanced compiler optimizations for supercomputers, CACM 29(12), 1986 (scalar expansion);
liveness as in any text on data-flow analysis, on structured code.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.ir.expression import Expression, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import (
    Assign,
    Evaluate,
    Exit,
    If,
    Loop,
    LoopNest,
    OpaqueStatement,
    Statement,
    walk_statements,
)


def is_read_before_written(body: tuple[Statement, ...], name: str) -> bool:
    """Whether some path from the start of the body reads the scalar before it is assigned."""
    return _scan(body, name)[0]


def is_written_on_every_path(loop: Loop, name: str) -> bool:
    """Whether each iteration of the loop leaves a value in the scalar.

    Inner loops are taken to run, but for those whose bounds differ between iterations (a triangle's last row). Those
    are too where the scalar is an iterator: that its last value is used after two loops is hardly ever meant.
    """
    moving = {loop.iterator}
    for statement in walk_statements(loop.body):
        if isinstance(statement, Loop):
            if statement.iterator == name:
                return _scan(loop.body, name, frozenset())[1]
            moving.add(statement.iterator)
        elif isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
            moving.add(statement.target.name)
    return _scan(loop.body, name, frozenset(moving))[1]


def is_live_after(nest: LoopNest, loop: NodeId, name: str) -> bool:
    """Whether the value that the loop leaves in the scalar may be read later, in the nest or after it."""
    for rest, around in _continuations((nest.root,), loop):
        exposed, written = _scan(rest, name)
        if exposed or written:
            return exposed
        if around is not None and is_read_before_written(around.body, name):
            return True
    return next((s.used_after for s in nest.scalars if s.name == name), True)


def _continuations(body: tuple[Statement, ...], loop: NodeId) -> Iterator[tuple[tuple[Statement, ...], Loop | None]]:
    """What runs after the loop, innermost first: the rest of each enclosing list, and the loop whose body it ends."""
    path = _path(body, loop, None)
    yield from reversed(path or ())


def _path(
    body: tuple[Statement, ...], loop: NodeId, around: Loop | None
) -> tuple[tuple[tuple[Statement, ...], Loop | None], ...] | None:
    for at, statement in enumerate(body):
        here = (body[at + 1 :], around)
        if statement.id == loop:
            return (here,)
        below = None
        if isinstance(statement, Loop):
            below = _path(statement.body, loop, statement)
        elif isinstance(statement, If):
            below = _path(statement.then, loop, None) or _path(statement.otherwise, loop, None)
        if below is not None:
            return (here, *below)
    return None


def _scan(body: tuple[Statement, ...], name: str, moving: frozenset[str] | None = None) -> tuple[bool, bool]:
    """(read before written on some path, written on every path, those that leave early included).

    `moving` are the symbols that change; a loop whose bounds have none of them is taken to run (each, where there
    is none). None: no loop is.
    """
    covered = written = may_leave = False
    for statement in body:
        exposed, writes = _statement(statement, name, moving)
        if exposed and not covered:
            return True, False
        covered = covered or writes
        written = written or (writes and not may_leave)
        may_leave = may_leave or any(isinstance(s, Exit) for s in walk_statements((statement,)))
    return False, written


def _statement(statement: Statement, name: str, moving: frozenset[str] | None) -> tuple[bool, bool]:
    match statement:
        case Assign(_, target, operator, value):
            reads = _reads(value, name)
            if isinstance(target, ScalarRef):
                own = target.name == name
                return reads or (own and bool(operator)), own
            return reads or any(_reads(s, name) for s in target.subscripts), False
        case If(_, condition, then, otherwise):
            sides = (_scan(then, name, moving), _scan(otherwise, name, moving))
            exposed = _reads(condition, name) or sides[0][0] or sides[1][0]
            return exposed, sides[0][1] and sides[1][1]
        case Evaluate(_, expression):
            return _reads(expression, name), False
        case Loop():
            if any(_reads(bound, name) for bound in statement.bound_reads):
                return True, False
            if statement.iterator == name:
                return False, True
            exposed, written = _scan(statement.body, name, moving)
            return exposed, written and (_runs(statement) or _runs_alike(statement, moving))
        case OpaqueStatement():
            return True, False
        case _:
            return False, False


def _runs(loop: Loop) -> bool:
    """Whether the loop is known to run at least once, whatever the sizes."""
    if loop.start is None or not loop.limits or loop.bound_reads:
        return False
    distances = [(limit - loop.start) * (1 if loop.step > 0 else -1) for limit in loop.limits]
    return all(distance.is_constant and distance.constant_term > 0 for distance in distances)


def _runs_alike(loop: Loop, moving: frozenset[str] | None) -> bool:
    """Whether the loop's bounds are the same each time."""
    if not moving:
        return moving is not None
    if loop.start is None or loop.bound_reads:
        return False
    return all(bound.symbols.isdisjoint(moving) for bound in (loop.start, *loop.limits))


def _reads(expression: Expression, name: str) -> bool:
    return any(isinstance(node, ScalarRef) and node.name == name for node in walk(expression))
