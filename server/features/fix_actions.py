"""Code actions of the catalogue's fixes: directives, CUDA, restructuring."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from lsprotocol import types
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.ports.fix import FixEdits, OfferedFix
from warplens.analysis.text.span import Span
from warplens.server.features.fix_reference import FoundFix, fix_reference
from warplens.server.features.workspace_edit import workspace_edit
from warplens.server.lsp.client_support import ClientSupport
from warplens.server.render.fix_menu import MenuEntry, fix_menu
from warplens.server.render.fix_title import fix_title, reason_text
from warplens.server.session.documents import Document
from warplens.server.worker.job import NestAnswer


def touched_loops(spans: NestSpans, wanted: Span) -> set[NodeId]:
    """Loops of a nest that a range touches."""
    base = spans.base
    return {n for n, s in spans.whole if s.start + base <= wanted.end and wanted.start <= s.end + base}


def fix_actions(
    document: Document, nest: NestAnswer, touched: AbstractSet[NodeId], context: types.CodeActionContext
) -> list[types.CodeAction]:
    """An action for each fix of the touched loops but those that make it slower, refused ones with their reason.

    What mends wrong code comes first, then what gains most.
    """
    return [_action(document, nest, each, context) for each in _menu(document, nest, touched) if not each.is_slower]


def slower_fix_actions(
    document: Document, nest: NestAnswer, touched: AbstractSet[NodeId], context: types.CodeActionContext
) -> list[types.CodeAction]:
    """An action for each fix of the touched loops that is predicted to make it slower, and says so in its title."""
    return [_action(document, nest, each, context) for each in _menu(document, nest, touched) if each.is_slower]


def _menu(document: Document, nest: NestAnswer, touched: AbstractSet[NodeId]) -> list[MenuEntry]:
    return [each for each in fix_menu(nest.fixes, document.break_even_of(nest)) if each.offer.loop in touched]


def fix_edit(client: ClientSupport, found: FoundFix, edits: FixEdits) -> types.WorkspaceEdit:
    """The edit of a fix; what can't be applied is an error with the reason."""
    title = fix_title(found.offer, found.document.break_even_of(found.nest))
    return workspace_edit(client, found.document, title, edits)


def _action(
    document: Document, nest: NestAnswer, entry: MenuEntry, context: types.CodeActionContext
) -> types.CodeAction:
    offer = entry.offer
    data: dict[str, Any] = fix_reference(document, nest, offer)
    mends = any(finding.code in offer.findings for finding in nest.findings)
    return types.CodeAction(
        entry.title,
        types.CodeActionKind.QuickFix if mends else types.CodeActionKind.RefactorRewrite,
        diagnostics=_mended(document, nest, offer, context) or None,
        disabled=types.CodeActionDisabled(reason_text(offer)) if offer.refusal else None,
        data=data,
    )


def _mended(
    document: Document, nest: NestAnswer, offer: OfferedFix, context: types.CodeActionContext
) -> list[types.Diagnostic]:
    """The diagnostics in the loop of a fix that it mends."""
    whole = dict(nest.spans.whole).get(offer.loop)
    if whole is None:
        return []
    place = document.positions.range(whole.shifted(nest.spans.base))
    first, last = (_order(place.start), _order(place.end))
    return [d for d in context.diagnostics if d.code in offer.findings and first <= _order(d.range.start) <= last]


def _order(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
