"""What stands for a library's routine in a nest: no code of the user, so it is neither listed nor advised on."""

from __future__ import annotations

from warplens.analysis.facts.calls.call_assumptions import is_stood_in_for
from warplens.analysis.ir.expression import Call
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Evaluate, LoopNest, NestSpans, walk_statements


def stand_in_code(nest: LoopNest, spans: NestSpans) -> frozenset[NodeId]:
    """The loops, statements and accesses that stand where such a routine is called."""
    at = dict((*spans.header, *spans.nodes))
    calls = {
        at[statement.id]
        for statement in walk_statements((nest.root,))
        if isinstance(statement, Evaluate)
        and isinstance(statement.expression, Call)
        and is_stood_in_for(statement.expression)
        and statement.id in at
    }
    return frozenset(node for node, span in at.items() if span in calls)
