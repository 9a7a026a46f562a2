"""What the server asks the client for once it is there, with clients that can be told at run time."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.server.files.folder_files import CONFIG_NAME, MODEL_SUFFIX, MODELS, PROFILE_NAME, SOURCES
from warplens.server.lsp.client_support import PREVIEW_SCHEME

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


async def register_at_client(server: WarplensServer) -> None:
    """Hear of changed settings and files, and serve previews."""
    workspace = server.client_capabilities.workspace
    registrations: list[types.Registration] = []
    if workspace and workspace.did_change_configuration and workspace.did_change_configuration.dynamic_registration:
        registrations.append(
            types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": "warplens"})
        )
    if workspace and workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration:
        sources = (f"*{ending}" for ending in SOURCES)
        names = (CONFIG_NAME, PROFILE_NAME, f"{MODELS}/*{MODEL_SUFFIX}", "compile_commands.json", *sources)
        watchers = [types.FileSystemWatcher(f"**/{name}") for name in names]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        registrations.append(types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if workspace and workspace.text_document_content and workspace.text_document_content.dynamic_registration:
        content = types.TextDocumentContentRegistrationOptions([PREVIEW_SCHEME])
        registrations.append(types.Registration("previews", types.WORKSPACE_TEXT_DOCUMENT_CONTENT, content))
    if registrations:
        with contextlib.suppress(Exception):
            await server.client_register_capability_async(types.RegistrationParams(registrations))
