"""Code actions that write what only the user can know: a size, or a promise, as a comment above a loop."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from lsprotocol import types
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.promises.comment import directive_lines
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import FixEdits
from warplens.analysis.ports.source_lines import lines_above
from warplens.server.features.fix_reference import nest_reference
from warplens.server.lsp.places import header_span
from warplens.server.session.documents import Document
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.packing import unpack

_ASSUMED_SIZE = "WL901"
_UNDECIDED = "WL102"


def comment_actions(
    document: Document, nest: NestAnswer, touched: AbstractSet[NodeId], context: types.CodeActionContext
) -> list[types.CodeAction]:
    """A promise for each touched loop that waits for one, and the nest's assumed sizes."""
    evaluation = unpack(nest.packed)
    reference = nest_reference(document, nest)
    return [
        *(
            types.CodeAction(
                _promise_title(verdict),
                types.CodeActionKind.QuickFix,
                diagnostics=_about(document, nest, verdict.loop, context) or None,
                data={**reference, "action": "promise", "loop": verdict.loop},
            )
            for verdict in evaluation.facts.verdicts
            if verdict.conditions and verdict.loop in touched
        ),
        *(
            types.CodeAction(
                f"Set the size `{name}` (assumed {value:.0f})",
                types.CodeActionKind.QuickFix,
                diagnostics=[d for d in context.diagnostics if d.code == _ASSUMED_SIZE] or None,
                data={**reference, "action": "size", "name": name},
            )
            for name, value in assumed_sizes(evaluation)
        ),
    ]


def comment_edits(document: Document, nest: NestAnswer, data: dict[str, Any]) -> FixEdits:
    """The comment above the loop that it is about; empty for a name or a loop that is not known."""
    evaluation = unpack(nest.packed)
    if data.get("action") == "size":
        loop = NodeId(0)
        # The value in force stands there for the user to change.
        lines = tuple(f"// warplens: {name} = {value}" for name, value in evaluation.sizes if name == data.get("name"))
    else:
        loop = NodeId(int(data.get("loop", 0)))
        lines = directive_lines(evaluation.facts.verdict(loop).conditions)
    span = header_span(nest.spans, loop)
    return FixEdits((lines_above(document.text, span.start, lines),) if span and lines else ())


def assumed_sizes(evaluation: NestEvaluation) -> list[tuple[str, float]]:
    """Sizes that nobody said, with their values."""
    return [
        (assumption.subject, assumption.value)
        for assumption in evaluation.assumptions
        if assumption.kind == "size" and assumption.origin in {"default", "inferred"} and assumption.value is not None
    ]


def _about(
    document: Document, nest: NestAnswer, loop: NodeId, context: types.CodeActionContext
) -> list[types.Diagnostic]:
    """The diagnostic that says what would have to be promised of a loop."""
    span = header_span(nest.spans, loop)
    start = document.positions.position(span.start) if span else None
    return [d for d in context.diagnostics if d.code == _UNDECIDED and d.range.start == start]


def _promise_title(verdict: LoopVerdict) -> str:
    """What will be promised, of much the first."""
    first, *others = verdict.conditions
    return f"Promise `{first.text}`{f' and {len(others)} more' if others else ''}: the loop is then parallel"
