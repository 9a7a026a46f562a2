"""Loops whose condition asks the same in each iteration: what one does decides whether there is a next one."""

from __future__ import annotations

from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.ir.expression import Load, ScalarRef, Unknown, walk
from warplens.analysis.ir.nest import Loop, walk_statements

WAITS = "its condition reads the same in each iteration: one of them must change it, or something outside the loop"


def waits(loop: Loop) -> bool:
    """Whether a loop has no limit, and nothing that its condition names moves with its iterations.

    It ends after an iteration that changes what the condition reads, or never: its iterations can't run at once.
    """
    if loop.limits or loop.limit_reads or not loop.bound_reads:
        return False
    if all(reason.kind != "uncounted" for reason in loop.bound_reasons):
        return False
    inside = (statement.iterator for statement in walk_statements((loop,)) if isinstance(statement, Loop))
    changed = {*inside, *assigned_scalars(loop.body), *(one.name for one in loop.inductions)}
    for read in loop.bound_reads:
        for part in walk(read):
            if isinstance(part, Unknown) and not part.reads:
                return False
            names = {part.name} if isinstance(part, ScalarRef) else set()
            if isinstance(part, Load):
                names = {symbol for index in part.access.indices if index is not None for symbol in index.symbols}
            if not names.isdisjoint(changed):
                return False
    return True
