"""Writes that all store one value: `if (bad(x[i])) ok = 0;`, `seen[idx[i]] = 1`. Their order doesn't matter."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.dependence.subscripts.affine_condition import expression_key
from warplens.analysis.dependence.subscripts.guarded_values import guarded_values
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, assigned_scalars, same_layout
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.expression import Call, Expression, Load, ScalarRef, Unknown, walk
from warplens.analysis.ir.nest import Assign, Loop, walk_statements


def same_value_store(loop: Loop, name: str, group: list[Reference]) -> tuple[Reduction, ...]:
    """The reduction of all writes to `name` in the loop, empty if there is a read or they may store different values.

    `group` are all references to it in the loop.
    """
    writes = {r.statement: r for r in group}
    if not writes or any(not r.is_write for r in group):
        return ()
    assigns = [s for s in walk_statements(loop.body) if isinstance(s, Assign) and s.id in writes]
    first = group[0]
    parts = {(r.first_byte, r.size_bytes) for r in group}
    if len(assigns) != len(writes) or len(parts) != 1 or not all(same_layout(first, r) for r in group):
        return ()
    if not store_one_value(loop, assigns):
        return ()
    return (Reduction(name, "store", assigns[0].id, first.access is not None),)


def store_one_value(loop: Loop, assigns: Sequence[Assign]) -> bool:
    """Whether assignments in a loop all store the same, which nothing in the loop changes."""
    changing = assigned_scalars(loop.body) | {loop.iterator}
    changing |= {s.iterator for s in walk_statements(loop.body) if isinstance(s, Loop)}
    said = guarded_values(loop.body) if any(isinstance(s.value, ScalarRef) for s in assigns) else {}
    values = [said.get(s.id, s.value) for s in assigns]
    if any(s.operator for s in assigns) or not all(_is_invariant(value, changing) for value in values):
        return False
    return len({expression_key(value) for value in values}) == 1


def _is_invariant(value: Expression, changing: frozenset[str]) -> bool:
    return not any(
        isinstance(node, Load | Call | Unknown) or (isinstance(node, ScalarRef) and node.name in changing)
        for node in walk(value)
    )
