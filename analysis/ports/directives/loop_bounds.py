"""What a directive needs to know of a loop's bounds."""

from __future__ import annotations

from warplens.analysis.ir.nest import Loop


def has_one_bound(loop: Loop) -> bool:
    """Whether the header is one comparison of values that are known before the loop."""
    return len(loop.limits) == 1 and loop.start is not None and not loop.bound_reads


def bound_symbols(loop: Loop) -> frozenset[str]:
    """Names in the loop's bounds."""
    bounds = (*loop.limits, *((loop.start,) if loop.start is not None else ()))
    return frozenset(name for bound in bounds for name in bound.symbols)


def certainly_runs(loop: Loop) -> bool:
    """Whether the loop has an iteration whatever the sizes."""
    if len(loop.limits) != 1 or loop.start is None:
        return False
    distance = loop.limits[0] - loop.start
    return distance.is_constant and distance.constant_term * loop.step > 0
