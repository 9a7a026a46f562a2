"""Branches that all iterations of a loop take, or none: `if (p.is_set) p.last = x[i];` where only the code before says.

What such a branch sets is set by every iteration, or by none and then stands there from before.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.ir.expression import Access, Call, Expression, Load, ScalarRef, Unknown, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Exit, If, Loop, LoopNest, OpaqueStatement, Statement, walk_statements
from warplens.analysis.ir.types import Scalar

Sides = frozenset[tuple[NodeId, bool]]
"""Branches around a statement, each with whether it is what happens where its condition holds."""


def settled_sides(nest: LoopNest, loop: Loop) -> dict[NodeId, Sides]:
    """Assignments of a loop's body that stand in nothing but such branches, with these.

    There are none where a loop may be left.
    """
    inside = tuple(walk_statements(loop.body))
    if any(isinstance(s, Exit | OpaqueStatement) for s in inside):
        return {}
    moving = assigned_scalars(loop.body) | {loop.iterator, *(s.iterator for s in inside if isinstance(s, Loop))}
    moving |= {scalar.name for scalar in nest.scalars if scalar.address_taken}
    written = [s.target for s in inside if isinstance(s, Assign) and isinstance(s.target, Access)]
    return dict(_sides(loop.body, frozenset(), frozenset(moving), tuple(written)))


def _sides(
    body: tuple[Statement, ...], around: Sides, moving: frozenset[str], written: tuple[Access, ...]
) -> Iterator[tuple[NodeId, Sides]]:
    for statement in body:
        if isinstance(statement, Assign) and around:
            yield statement.id, around
        elif isinstance(statement, If) and _stands(statement.condition, moving, written):
            for branch, holds in ((statement.then, True), (statement.otherwise, False)):
                yield from _sides(branch, around | {(statement.id, holds)}, moving, written)


def _stands(condition: Expression, moving: frozenset[str], written: tuple[Access, ...]) -> bool:
    """Whether a condition is the same in all iterations."""
    for part in walk(condition):
        match part:
            case Call() | Unknown():
                return False
            case ScalarRef(name=name) if name in moving:
                return False
            case Load(access=access) if any(i is not None and not moving.isdisjoint(i.symbols) for i in access.indices):
                return False
            case Load(access=access) if any(a.array == access.array and not _differ(a, access) for a in written):
                return False
    return True


def _differ(one: Access, other: Access) -> bool:
    """Whether they touch different members of whatever elements of one layout they touch."""
    if one.element_bytes != other.element_bytes or one.extents[1:] != other.extents[1:]:
        return False
    if not isinstance(one.type, Scalar) or not isinstance(other.type, Scalar) or len(one.indices) != len(other.indices):
        return False
    first, second = (a.member_offset_bytes for a in (one, other))
    return first + one.type.size_bytes <= second or second + other.type.size_bytes <= first
