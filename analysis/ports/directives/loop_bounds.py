"""What a directive needs to know of a loop's bounds."""

from __future__ import annotations

from collections.abc import Iterable

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
