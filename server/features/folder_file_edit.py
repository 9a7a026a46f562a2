"""Changes of the `.warplens.toml` that counts for a document, as edits that the editor makes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import from_fs_path
from warplens.analysis.text.span import Span
from warplens.server.features.workspace_edit import refused
from warplens.server.files.folder_files import CONFIG_NAME
from warplens.server.files.regular_file import read_inside
from warplens.server.lsp.client_support import ClientSupport, client_support
from warplens.server.lsp.positions import PositionMap
from warplens.server.session.documents import Document, difference
from warplens.server.settings.folder_config import ConfigEditError, nearest_config

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

_MAX_BYTES = 1 << 20


def folder_file(ls: WarplensServer, document: Document) -> Path | None:
    """The file that counts for a document, else the one to make, in the innermost workspace folder around it."""
    if not document.uri.startswith("file:"):
        return None
    folder, roots = Path(document.path).parent, ls.roots()
    around = [root for root in roots if folder.is_relative_to(root)]
    new = max(around, key=lambda root: len(root.parts), default=folder) / CONFIG_NAME
    return nearest_config(folder, roots) or new


def may_be_edited(client: ClientSupport, path: Path) -> bool:
    """Whether a client can change that file, or make it."""
    return client.takes_document_changes and (client.creates_files or path.is_file())


def folder_file_edit(ls: WarplensServer, document: Document, change: Callable[[str], str]) -> types.WorkspaceEdit:
    """The folder's file as `change` makes it of its text, or that file made; raises the error of `refused`."""
    path = folder_file(ls, document)
    if path is None:
        raise refused("there is no folder for a file")
    is_new = not path.is_file()
    if is_new and path.is_symlink():
        raise refused(f"{path.name} can't be changed: it is a link to nothing, behind which another file would be made")
    try:
        before = "" if is_new else read_inside(path, path.parent, _MAX_BYTES).decode("utf-8")
        after = change(before)
    except (OSError, ValueError, ConfigEditError) as error:
        raise refused(f"{path.name} can't be changed: {error}") from None
    return _edit(client_support(ls.client_capabilities), path, before, after, document.encoding, is_new=is_new)


def _edit(
    client: ClientSupport, path: Path, before: str, after: str, encoding: str, *, is_new: bool
) -> types.WorkspaceEdit:
    change_in = difference(before, after)
    place = PositionMap(before, encoding).range(Span(change_in.start, change_in.old_end))
    uri = from_fs_path(str(path)) or path.as_uri()
    edit = types.TextEdit(place, after[change_in.start : change_in.new_end])
    change = types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, None), [edit])
    if not is_new:
        return types.WorkspaceEdit(document_changes=[change])
    if not client.creates_files:
        raise refused(f"this editor can't create files: write {path.name} by hand")
    options = types.CreateFileOptions(overwrite=False, ignore_if_exists=True)
    return types.WorkspaceEdit(document_changes=[types.CreateFile(uri, options=options), change])
