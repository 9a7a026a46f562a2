"""Loops that the user's own directive joins with the one that it stands above."""

from __future__ import annotations

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.text.directive_text import ExistingDirective


def joined_loops(existing: ExistingDirective | None, root: Loop) -> frozenset[NodeId]:
    """Loops inside of `root` that a `collapse` or `tile` of its directive takes: no line may stand above one.

    Where the number is an expression, all of them that may be meant.
    """
    found = existing.named("collapse", "tile") if existing is not None else ()
    if not found:
        return frozenset()
    clause = found[0]
    count = len(clause.items) if clause.name == "tile" else None
    if count is None and clause.argument.isdigit():
        count = int(clause.argument)
    joined: list[NodeId] = []
    inner = _inner(root)
    while inner is not None and (count is None or len(joined) + 1 < count):
        joined.append(inner.id)
        inner = _inner(inner)
    return frozenset(joined)


def _inner(loop: Loop) -> Loop | None:
    return next((statement for statement in loop.body if isinstance(statement, Loop)), None)
