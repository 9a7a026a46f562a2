"""Findings about loops that stand for a library's routine: its code can't be changed here, so they are not shown."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.advice.finding import Finding
from warplens.analysis.facts.call_assumptions import is_stood_in_for
from warplens.analysis.ir.expression import Call
from warplens.analysis.ir.nest import Evaluate, LoopNest, NestSpans, walk_statements


def about_own_code(found: Iterable[Finding], nest: LoopNest, spans: NestSpans) -> tuple[Finding, ...]:
    """Findings but those whose node stands where such a routine is called."""
    at = dict((*spans.header, *spans.nodes))
    calls = {
        at.get(statement.id)
        for statement in walk_statements((nest.root,))
        if isinstance(statement, Evaluate)
        and isinstance(statement.expression, Call)
        and is_stood_in_for(statement.expression)
    }
    return tuple(finding for finding in found if at.get(finding.node) not in calls - {None})
