"""Code actions that say a size once for the whole program, in the folder's `.warplens.toml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from warplens.analysis.program.sizes.said_sizes import SaidSize
from warplens.server.features.comment_actions import assumed_sizes
from warplens.server.features.fix_reference import nest_reference
from warplens.server.features.folder_file_edit import folder_file, folder_file_edit, may_be_edited
from warplens.server.features.workspace_edit import refused
from warplens.server.files.folder_files import CONFIG_NAME
from warplens.server.lsp.client_support import client_support
from warplens.server.render.visible_text import visible
from warplens.server.session.documents import Document
from warplens.server.settings.folder_config import with_size
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.packing import unpack

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

ONCE = "size of program"


def size_actions(ls: WarplensServer, document: Document, nest: NestAnswer) -> list[types.CodeAction]:
    """One action for each size that is assumed."""
    path = folder_file(ls, document)
    if path is None or not may_be_edited(client_support(ls.client_capabilities), path):
        return []
    where = visible(f"{path.parent.name or path.parent}/{CONFIG_NAME}")
    return [
        types.CodeAction(
            f"Set the size `{_root(nest, name).name}` for the program in {where} (assumed {value:.0f})",
            types.CodeActionKind.QuickFix,
            data={**nest_reference(document, nest), "action": ONCE, "name": name},
        )
        for name, value in assumed_sizes(unpack(nest.packed))
    ]


def size_in_file(ls: WarplensServer, document: Document, nest: NestAnswer, data: dict[str, Any]) -> types.WorkspaceEdit:
    """The size in the folder's file, with the value in force for the user to change; raises the error of `refused`."""
    name = str(data.get("name"))
    value = dict(unpack(nest.packed).sizes).get(name)
    if value is None:
        raise refused(f"no loop here depends on `{name}`")
    root = _root(nest, name)
    return folder_file_edit(ls, document, lambda text: with_size(text, root.name, value, root.function))


def _root(nest: NestAnswer, name: str) -> SaidSize:
    """By what a size is said of the program; one that no variable holds is said of the function."""
    return dict(nest.size_roots).get(name) or SaidSize(name, nest.id.function)
