"""Where a nest touches memory: every access in execution order with what stands around it."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.exits import exits_of
from warplens.analysis.ir.expression import Access, Call, Expression, loads, walk
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
)


@dataclass(frozen=True, slots=True)
class AccessSite:
    """One access, the loops around it (outer first) and the statement it belongs to.

    `is_conditional` marks a site that an iteration of its loops may skip: inside an `If`, or after an early exit.
    A loop's header belongs to the loops around that loop, what it reads at the iterator's place to the loop as well; an
    `If`'s condition belongs to the level of the `If`.
    """

    access: Access
    statement: NodeId
    loops: tuple[Loop, ...]
    is_read: bool
    is_write: bool
    is_conditional: bool


def access_sites(nest: LoopNest) -> tuple[AccessSite, ...]:
    """All accesses of the nest in execution order: a statement's reads before its write."""
    return sites_of((nest.root,))


def sites_of(body: tuple[Statement, ...]) -> tuple[AccessSite, ...]:
    """All accesses of a body; `loops` and `is_conditional` speak of what the body holds."""
    sites: list[AccessSite] = []
    _collect(body, (), False, sites)
    return tuple(sites)


def has_unknown_effects(body: tuple[Statement, ...]) -> bool:
    """Whether a statement in the body may read or write anything: not understood, or an impure call."""
    for statement in body:
        match statement:
            case OpaqueStatement():
                return True
            case Evaluate(_, expression):
                if any(
                    isinstance(p, Call) and not p.is_math and p.effects in {"unknown", "unseen", "leaves"}
                    for p in walk(expression)
                ):
                    return True
            case Loop():
                if has_unknown_effects(statement.body):
                    return True
            case If():
                if has_unknown_effects(statement.then) or has_unknown_effects(statement.otherwise):
                    return True
            case _:
                pass
    return False


def _collect(body: tuple[Statement, ...], loops: tuple[Loop, ...], guarded: bool, sites: list[AccessSite]) -> None:
    for statement in body:
        match statement:
            case Assign():
                _reads(statement.value, statement.id, loops, guarded, sites)
                if isinstance(statement.target, Access):
                    for subscript in statement.target.subscripts:
                        _reads(subscript, statement.id, loops, guarded, sites)
                    sites.append(
                        AccessSite(statement.target, statement.id, loops, bool(statement.operator), True, guarded)
                    )
            case Evaluate():
                _reads(statement.expression, statement.id, loops, guarded, sites)
            case If():
                _reads(statement.condition, statement.id, loops, guarded, sites)
                _collect(statement.then, loops, True, sites)
                _collect(statement.otherwise, loops, True, sites)
                guarded = guarded or any(exits_of((statement,)))
            case Loop():
                for read in statement.bound_reads:
                    around = (*loops, statement) if _goes_along(read, statement.iterator) else loops
                    _reads(read, statement.id, around, guarded, sites)
                leaves = any(exits_of(statement.body))  # an iteration may be the last: every site in it may be skipped
                _collect(statement.body, (*loops, statement), guarded or leaves, sites)
                guarded = guarded or any(exits_of((statement,)))
            case Exit():
                guarded = True
            case OpaqueStatement():
                pass


def _goes_along(read: Expression, iterator: str) -> bool:
    """Whether it is another element in each iteration: `while (*p > x) p++`."""
    return any(index is not None and iterator in index.symbols for access in loads(read) for index in access.indices)


def _reads(
    expression: Expression, statement: NodeId, loops: tuple[Loop, ...], guarded: bool, sites: list[AccessSite]
) -> None:
    sites.extend(AccessSite(access, statement, loops, True, False, guarded) for access in loads(expression))
