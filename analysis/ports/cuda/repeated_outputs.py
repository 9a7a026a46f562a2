"""Groups that an output beyond the grid's end may run for the last iteration, in place of none at all.

A condition around each output's part of a loop would keep the compiler from loading once what several outputs read. So
a group that only sets variables of the thread, from memory that the kernel does not write, gets `min(i, n - 1)` for
the iterator: it does what the last iteration does, and nobody looks at the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.expression import Access, Call, ScalarRef, walk
from warplens.analysis.ir.nest import Assign, Exit, If, Loop, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, CType
from warplens.analysis.ports.cuda.body_text import names_in
from warplens.analysis.ports.cuda.grid_axes import Axis
from warplens.analysis.ports.cuda.output_groups import Group, Part, groups_in


def repeatable_groups(parts: tuple[Part, ...], own: frozenset[str], written: frozenset[str]) -> tuple[Group, ...]:
    """Groups that may run for another iteration: what they read has its value there too.

    `own` are variables and arrays of each output, `written` arrays that the kernel writes. Tiles hold what the block's
    last iteration reads.
    """
    every = [group for group, _ in groups_in(parts)]
    chosen = [group for group in every if all(_is_private(one, own, written) for one in _all(group))]
    while True:
        left_out = [group for group in every if group not in chosen]
        unset = frozenset(name for group in left_out for one in _all(group) for name in _set_by(one)) & own
        kept = [group for group in chosen if unset.isdisjoint(frozenset().union(*map(names_in, group.statements)))]
        if len(kept) == len(chosen):
            return tuple(chosen)
        chosen = kept


def last_iteration(axis: Axis, types: Mapping[str, CType]) -> Polynomial | None:
    """The last iteration along an axis, None where the sizes don't say it in `int` arithmetic."""
    loop = axis.loop
    names = {loop.iterator, *axis.origin.symbols, *(name for limit in loop.limits for name in limit.symbols)}
    is_plain = abs(loop.step) == 1 and len(loop.limits) == 1 and not loop.limit_reads and not axis.follows
    if not is_plain or any(types.get(name) != INT for name in names):
        return None
    return loop.limits[0] - loop.step


def may_repeat(axes: Sequence[Axis], types: Mapping[str, CType]) -> bool:
    """Whether every axis has a last iteration that does not depend on the others."""
    return all(axis.is_whole or last_iteration(axis, types) is not None for axis in axes)


def _all(group: Group) -> Sequence[Statement]:
    return tuple(walk_statements(group.statements))


def _set_by(statement: Statement) -> tuple[str, ...]:
    match statement:
        case Assign(target=ScalarRef(name)) | Loop(iterator=name):
            return (name,)
        case Assign(target=Access(array=name)):
            return (name,)
        case _:
            return ()


def _is_private(statement: Statement, own: frozenset[str], written: frozenset[str]) -> bool:
    match statement:
        case Assign(target=ScalarRef(name)) if name in own:
            pass
        case Assign(target=Access(array=name)) if name in own:
            pass
        case Loop() | If() | Exit(kind="break"):
            pass
        case _:
            return False
    if any(access.array in written - own for access in accesses_of(statement)):
        return False
    calls = (node for part in expressions_of(statement) for node in walk(part) if isinstance(node, Call))
    return all(call.is_math for call in calls)
