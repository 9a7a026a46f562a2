"""Scalars that may have one copy per iteration: what is read was written before in the same iteration.

Source: Padua, Wolfe, Advanced compiler optimizations for supercomputers, CACM 29(12), 1986 (scalar expansion);
liveness as in any text on data-flow analysis, on structured code.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from warplens.analysis.ir.expression import Access, Expression, Load, ScalarRef, walk
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
from warplens.analysis.ir.thread_number import THREAD_NUMBER_SYMBOL
from warplens.analysis.ir.types import StructOf

_REMEMBERED = 2048
"""Statements whose flow is kept: a nest asks about each of its loops, and each loop about each of its scalars."""


_REMEMBERED_LOOPS = 128
"""Loops for which the flow behind them is kept."""


def is_read_before_written(body: tuple[Statement, ...], name: str) -> bool:
    """Whether some path from the start of the body reads the scalar before it is assigned."""
    return _flow(body).exposes(name)


def are_elements_read_before_written(body: tuple[Statement, ...], accesses: Iterable[Access]) -> bool:
    """The same of array elements with constant subscripts (`t[0]`); True where a subscript is none."""
    every = [_elements(access) for access in accesses]
    flow = _flow(body)
    return any(not keys or any(map(flow.exposes, keys)) for keys in every)


def is_written_on_every_path(loop: Loop, name: str) -> bool:
    """Whether each iteration of the loop leaves a value in the scalar.

    Inner loops are assumed to run, but for those whose bounds differ between iterations (a triangle's last row). Those
    are too where the scalar is an iterator: that its last value is used after two loops is hardly ever meant.
    """
    moving = {loop.iterator}
    for statement in walk_statements(loop.body):
        if isinstance(statement, Loop):
            if statement.iterator == name:
                moving = set()
                break
            moving.add(statement.iterator)
        elif isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
            moving.add(statement.target.name)
    return name in _flow(loop.body, frozenset(moving)).written


def is_surely_written(body: tuple[Statement, ...], name: str) -> bool:
    """Whether every path through the body leaves a value in the scalar; no inner loop is assumed to run."""
    return name in _flow(body).written


def is_live_after(nest: LoopNest, loop: NodeId, name: str) -> bool:
    """Whether the value that the loop leaves in the scalar may be read later, in the nest or after it."""
    for rest, around in _flows_after(_Same(nest.root), loop):
        if rest.exposes(name) or name in rest.written:
            return rest.exposes(name)
        if around is not None and around.exposes(name):
            return True
    return next((s.used_after for s in nest.scalars if s.name == name), True)


def are_elements_live_in(nest: LoopNest, loop: NodeId, accesses: Iterable[Access]) -> bool:
    """Whether statements of the nest behind the loop may read what it leaves in such elements (`t[0]`)."""
    every = [_elements(access) for access in accesses]
    flows = _flows_after(_Same(nest.root), loop)
    return any(not keys or any(_is_exposed_in(flows, key) for key in keys) for keys in every)


def _is_exposed_in(flows: Iterable[tuple[_Flow, _Flow | None]], key: str) -> bool:
    for rest, around in flows:
        if rest.exposes(key) or key in rest.written:
            return rest.exposes(key)
        if around is not None and around.exposes(key):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Flow:
    """Scalars that statements read before they assign them on some path, and those assigned on every path.

    Elements with constant subscripts are among them, by their keys. A part that could not be read exposes every scalar
    but `kept`, those assigned before it; None: there is none.
    """

    exposed: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    kept: frozenset[str] | None = None
    may_leave: bool = False

    def exposes(self, name: str) -> bool:
        """Whether some path reads the scalar before it is assigned."""
        return name in self.exposed or (self.kept is not None and name not in self.kept)

    def either(self, other: _Flow) -> _Flow:
        """Flow where one of the two is run."""
        both = [kept for kept in (self.kept, other.kept) if kept is not None]
        return _Flow(
            self.exposed | other.exposed,
            self.written & other.written,
            frozenset.intersection(*both) if both else None,
            self.may_leave or other.may_leave,
        )

    def after(self, covered: frozenset[str]) -> _Flow:
        """Where these scalars were assigned before."""
        return _Flow(
            self.exposed - covered,
            self.written,
            None if self.kept is None else self.kept | covered,
            self.may_leave,
        )


def _flow(body: tuple[Statement, ...], moving: frozenset[str] | None = None) -> _Flow:
    """Flow of a list of statements; what is written counts although the list may be left early.

    `moving` are the symbols that change; a loop whose bounds have none of them is assumed to run (each, where there
    is none). None: no loop is.
    """
    found = _Flow()
    covered: frozenset[str] = frozenset()
    for statement in body:
        flow = _flow_of(_Same(statement), moving)
        written = found.written if found.may_leave else found.written | flow.written
        found = replace(found.either(flow.after(covered)), written=written)
        covered |= flow.written
    return replace(found, written=frozenset(name for name in found.written if not found.exposes(name)))


class _Same:
    """A statement, compared by identity: its hash would be that of all it holds."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement

    def __hash__(self) -> int:
        return id(self.statement)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.statement is other.statement


@lru_cache(_REMEMBERED)
def _flow_of(same: _Same, moving: frozenset[str] | None) -> _Flow:
    statement = same.statement
    match statement:
        case Assign(_, target, operator, value):
            reads = _reads(value)
            own = frozenset((target.name,)) if isinstance(target, ScalarRef) else _elements(target)
            if not isinstance(target, ScalarRef):
                reads = reads.union(*map(_reads, target.subscripts))
            return _Flow(reads | own if operator else reads, own)
        case If(_, condition, then, otherwise):
            sides = _flow(then, moving).either(_flow(otherwise, moving))
            return replace(sides, exposed=sides.exposed | _reads(condition))
        case Evaluate(_, expression):
            return _Flow(_reads(expression))
        case Loop():
            own = frozenset((statement.iterator,))
            bounds = frozenset[str]().union(*map(_reads, statement.bound_reads))
            inside = _flow(statement.body, moving).after(own)
            runs = _runs(statement) or _runs_alike(statement, moving)
            written = (inside.written | own if runs else own) - bounds
            return replace(inside, exposed=inside.exposed | bounds, written=written)
        case OpaqueStatement():
            return _Flow(kept=frozenset())
        case _:
            return _Flow(may_leave=isinstance(statement, Exit))


@lru_cache(_REMEMBERED_LOOPS)
def _flows_after(same: _Same, loop: NodeId) -> tuple[tuple[_Flow, _Flow | None], ...]:
    """Flow of what follows a loop, and of the loop around it if there is one, from the inside out."""
    path = _path((same.statement,), loop, None) or ()
    return tuple((_flow(rest), None if around is None else _flow(around.body)) for rest, around in reversed(path))


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


def _reads(expression: Expression) -> frozenset[str]:
    names: set[str] = set()
    for node in walk(expression):
        if isinstance(node, ScalarRef):
            names.add(node.name)
        elif isinstance(node, Load):
            names |= _elements(node.access)
    return frozenset(names)


def _elements(access: Access) -> frozenset[str]:
    """Keys of an element with constant subscripts, the same bytes for equal keys; no scalar has such a name.

    A whole struct has one for each member. Empty where a subscript is no constant.
    """
    if any(index is None or not index.symbols <= {THREAD_NUMBER_SYMBOL} for index in access.indices):
        return frozenset()
    parts = [access]
    if isinstance(access.type, StructOf) and not access.member and access.type.fields and not access.type.is_union:
        parts = [replace(access, member=f.name, member_offset_bytes=f.offset_bytes, type=f.type)
                 for f in access.type.fields]  # fmt: skip
    extents = "".join(map(str, access.extents))
    return frozenset(f"[{part.element}, {part.element_bytes}, {part.type}{extents}" for part in parts)
