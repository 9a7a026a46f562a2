"""Code actions: the catalogue's fixes, and an assumption or a promise made explicit.

Offered cheaply, from the report; the edit is computed when the action is chosen, if the client can wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from warplens.analysis.ir.ids import NodeId
from warplens.server.features.comment_actions import comment_actions, comment_edits
from warplens.server.features.fix_actions import fix_actions, fix_edit, slower_fix_actions, touched_loops
from warplens.server.features.fix_reference import analysed_nests, referred_fix, referred_nest, written_edits
from warplens.server.features.mapping_actions import PIN, mapping_actions, mapping_edits
from warplens.server.features.off_actions import HERE, IN_FILE, off_actions, off_edits, off_in_file
from warplens.server.features.size_actions import ONCE, size_actions, size_in_file
from warplens.server.features.workspace_edit import workspace_edit
from warplens.server.lsp.client_support import client_support

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


async def code_actions(ls: WarplensServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done for the nests that the range touches."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return []
    wanted = document.positions.span(params.range)
    actions: list[types.CodeAction] = []
    slower: list[types.CodeAction] = []
    pins: list[types.CodeAction] = []
    for _, nest in analysed_nests(document):
        touched = touched_loops(nest.spans, wanted)
        if NodeId(0) in touched:
            actions += fix_actions(document, nest, touched, params.context)
            slower += slower_fix_actions(document, nest, touched, params.context)
            actions += comment_actions(document, nest, touched, params.context)
            actions += size_actions(ls, document, nest)
            actions += off_actions(ls, document, nest, wanted, params.context)
            pins += mapping_actions(ls, document, nest, params.context)
    actions += [*slower, *pins]
    only = params.context.only
    if only is not None:
        actions = [a for a in actions if any(_is_kind(a.kind, kind) for kind in only)]
    client = client_support(ls.client_capabilities)
    if not client.shows_disabled:
        actions = [a for a in actions if a.disabled is None]
    if not client.resolves_actions:
        actions = [a for a in actions if a.disabled is not None or await _resolves(ls, a)]
    return actions


async def resolve(ls: WarplensServer, action: types.CodeAction) -> types.CodeAction:
    """Compute the edit; an action whose loop was edited meanwhile is refused as LSP wants."""
    if action.command is not None:  # the client does what it says
        return action
    data: dict[str, Any] = action.data if isinstance(action.data, dict) else {}
    client = client_support(ls.client_capabilities)
    if data.get("action") == "fix":
        found = referred_fix(ls, data)
        action.edit = fix_edit(client, found, await written_edits(ls, found))
    elif data.get("action") == IN_FILE:
        document, _, _ = referred_nest(ls, data)
        action.edit = off_in_file(ls, document, data)
    elif data.get("action") == ONCE:
        document, _, nest = referred_nest(ls, data)
        action.edit = size_in_file(ls, document, nest, data)
    elif data.get("action") == HERE:
        document, _, nest = referred_nest(ls, data)
        action.edit = workspace_edit(client, document, action.title, off_edits(document, nest, data))
    elif data.get("action") == PIN:
        document, _, nest = referred_nest(ls, data)
        action.edit = workspace_edit(client, document, action.title, mapping_edits(document, nest, data))
    else:
        document, _, nest = referred_nest(ls, data)
        action.edit = workspace_edit(client, document, action.title, comment_edits(document, nest, data))
    return action


async def _resolves(ls: WarplensServer, action: types.CodeAction) -> bool:
    """Compute the edit for a client that wants it at once; what can't be applied is not offered to it."""
    try:
        await resolve(ls, action)
    except JsonRpcException:
        return False
    return True


def _is_kind(kind: types.CodeActionKind | str | None, wanted: types.CodeActionKind | str) -> bool:
    """Whether a kind is the wanted one or below it: `refactor` wants `refactor.rewrite` too, the empty kind all."""
    name, above = (each.value if isinstance(each, types.CodeActionKind) else each or "" for each in (kind, wanted))
    return not above or f"{name}.".startswith(f"{above}.")
