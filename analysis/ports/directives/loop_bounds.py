"""What a directive needs to know of a loop's bounds."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.ir.expression import Load, ScalarRef, walk
from warplens.analysis.ir.nest import KnownRange, Loop


def has_one_bound(loop: Loop) -> bool:
    """Whether the header is one comparison of values that are known before the loop."""
    return len(loop.limits) == 1 and loop.start is not None and not loop.bound_reads


def bound_symbols(loop: Loop) -> frozenset[str]:
    """Names in the loop's bounds."""
    bounds = (*loop.limits, *((loop.start,) if loop.start is not None else ()))
    return frozenset(name for bound in bounds for name in bound.symbols)


def certainly_runs(loop: Loop, known: Iterable[KnownRange] = ()) -> bool:
    """Whether the loop has an iteration whatever the sizes, of which this much is `known`."""
    if len(loop.limits) != 1 or loop.start is None:
        return False
    distance = loop.limits[0] - loop.start if loop.step > 0 else loop.start - loop.limits[0]
    at_least = (distance - 1, *(distance - 1 - each.value for each in known))
    return any(rest.is_constant and rest.constant_term >= 0 for rest in at_least)


def is_counted_before(loop: Loop, written: Collection[str]) -> bool:
    """Whether the iterations are known before the first: bounds may be read from what the loop doesn't change."""
    if has_one_bound(loop):
        return True
    has_start = loop.start is not None or loop.start_read is not None
    if not has_start or len(loop.limits) + len(loop.limit_reads) != 1:
        return False
    parts = [part for bound in loop.bound_reads for part in walk(bound)]
    changed = assigned_scalars(loop.body) | {loop.iterator}
    if any(isinstance(part, ScalarRef) and part.name in changed for part in parts):
        return False
    return not any(isinstance(part, Load) and part.access.array in written for part in parts)
