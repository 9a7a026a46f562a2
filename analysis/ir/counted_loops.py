"""Loops of which it is known how often they run before they do."""

from __future__ import annotations

from warplens.analysis.ir.nest import Loop


def is_counted(loop: Loop) -> bool:
    """Whether everything that decides how often a loop runs is in the IR."""
    unclear = any(reason.kind == "uncounted" for reason in loop.bound_reasons)
    has_start = loop.start is not None or loop.start_read is not None
    is_read = loop.start_read is not None or bool(loop.limit_reads)
    return has_start and bool(loop.limits or loop.limit_reads) and not unclear and (not loop.bound_reads or is_read)
