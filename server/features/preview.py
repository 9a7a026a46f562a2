"""What a fix would write, before it is written: as texts, as a diff, and as documents that a client can open.

`warplens/fixes` lists the fixes at a position, `warplens/previewFix` says what one of them changes; a client that
opens documents by `workspace/textDocumentContent` (LSP 3.18) reads the texts under the scheme `warplens-preview`.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import from_fs_path
from warplens.analysis.ports.fix import FixEdits, applied
from warplens.analysis.text.span import Span
from warplens.server.features.fix_actions import fix_edit, touched_loops
from warplens.server.features.fix_reference import FoundFix, analysed_nests, fix_reference, referred_fix, written_edits
from warplens.server.features.workspace_edit import refused
from warplens.server.files.sibling_file import text_at
from warplens.server.lsp.client_support import PREVIEW_SCHEME, client_support
from warplens.server.render.fix_menu import fix_menu
from warplens.server.render.fix_title import fix_title, reason_text
from warplens.server.render.unified_diff import diff_text

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


def offered_fixes(ls: WarplensServer, uri: str, position: types.Position) -> list[dict[str, Any]]:
    """Fixes of the loops at a position: `title`, `refusal` (empty where it can be applied), `gain`, `fix`."""
    document = ls.documents.get(uri)
    if document is None:
        return []
    at = document.positions.offset(position)
    return [
        {
            "title": entry.title,
            "refusal": reason_text(offer),
            "gain": offer.gain,
            "fix": fix_reference(document, nest, offer),
        }
        for _, nest in analysed_nests(document)
        for touched in (touched_loops(nest.spans, Span(at, at)),)
        for entry in fix_menu(nest.fixes, document.break_even_of(nest))
        for offer in (entry.offer,)
        if offer.loop in touched
    ]


async def preview_fix(ls: WarplensServer, fix: dict[str, Any]) -> dict[str, Any]:
    """What a fix changes: `title`, `note`, `promise`, `diff`, `files`, and the `edit` to apply.

    Each file has `uri`, `previewUri`, `exists` and `text`, the text afterwards. `edit` is null where this client can't
    apply it, `problem` then says why.
    """
    found = referred_fix(ls, fix)
    edits = await written_edits(ls, found)
    files = _texts_after(found, edits)
    edit, problem = None, ""
    try:
        edit = ls.converter.unstructure(fix_edit(client_support(ls.client_capabilities), found, edits))
    except JsonRpcException as error:
        problem = error.message
    return {
        "title": fix_title(found.offer, found.document.break_even_of(found.nest)),
        "note": edits.note,
        "promise": edits.promise,
        "restsOn": list(edits.rests_on),
        "diff": "".join(diff_text(_text_now(found, name), text, f"a/{name}", f"b/{name}") for name, text in files),
        "files": [_file(found, fix, name, text) for name, text in files],
        "edit": edit,
        "problem": problem,
    }


async def preview_content(ls: WarplensServer, uri: str) -> types.TextDocumentContentResult:
    """Text of a document that `preview_fix` named."""
    try:
        query = urlsplit(uri).query
        name, fix = json.loads(base64.urlsafe_b64decode(query + "=" * (-len(query) % 4)))
    except (ValueError, TypeError, binascii.Error):
        raise refused("there is no such preview") from None
    found = referred_fix(ls, fix if isinstance(fix, dict) else {})
    text = dict(_texts_after(found, await written_edits(ls, found))).get(name)
    if text is None:
        raise refused("there is no such preview")
    return types.TextDocumentContentResult(text)


def _texts_after(found: FoundFix, edits: FixEdits) -> list[tuple[str, str]]:
    """Every file that the fix changes, by name, with its text afterwards."""
    source = [(found.context.file_name, applied(found.context.source, edits))] if edits.edits else []
    return [*source, *((file.name, file.text) for file in edits.new_files)]


def _file(found: FoundFix, fix: dict[str, Any], name: str, text: str) -> dict[str, Any]:
    return {
        "uri": _uri(found, name),
        "previewUri": _preview_uri(fix, name),
        "exists": os.path.lexists(_path(found, name)) or name == found.context.file_name,
        "text": text,
    }


def _text_now(found: FoundFix, name: str) -> str | None:
    if name == found.context.file_name:
        return found.context.source
    try:
        return text_at(_path(found, name))
    except OSError:
        return None


def _uri(found: FoundFix, name: str) -> str:
    if name == found.context.file_name:
        return found.document.uri
    path = _path(found, name)
    return from_fs_path(str(path)) or path.as_uri()


def _path(found: FoundFix, name: str) -> Path:
    return Path(found.document.path).with_name(name)


def _preview_uri(fix: dict[str, Any], name: str) -> str:
    """All that is needed to make the text again, in characters that no client writes otherwise."""
    query = base64.urlsafe_b64encode(json.dumps([name, fix]).encode()).decode().rstrip("=")
    return f"{PREVIEW_SCHEME}:/{quote(name)}?{query}"
