"""Loops of which it is known how often they run before they do."""

from __future__ import annotations

from collections.abc import Collection

from warplens.analysis.ir.nest import Loop


def is_counted(loop: Loop) -> bool:
    """Whether everything that decides how often a loop runs is in the IR."""
    unclear = any(reason.kind == "uncounted" for reason in loop.bound_reasons)
    has_start = loop.start is not None or loop.start_read is not None
    is_read = loop.start_read is not None or bool(loop.limit_reads)
    return has_start and bool(loop.limits or loop.limit_reads) and not unclear and (not loop.bound_reads or is_read)


def counts_from_its_start(loop: Loop, others: Collection[str]) -> bool:
    """Whether threads count a loop's iterations from where it starts in an iteration of `others`, other loops' names.

    So they do where it is a window, whose length is the same in each (the points of a tile), or has a step: with a
    thread for all values that the iterator takes in any of them, most would never have an iteration.
    """
    if loop.start is None or loop.start.symbols.isdisjoint(others):
        return False
    return abs(loop.step) != 1 or any((limit - loop.start).symbols.isdisjoint(others) for limit in loop.limits)
