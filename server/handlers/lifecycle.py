"""From `initialize` to `shutdown`, and what changes around the documents meanwhile: settings, folders, other files."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.server import scheduler
from warplens.server.features import pull_diagnostics
from warplens.server.files.folder_files import SOURCES
from warplens.server.handlers.at_client import register_at_client
from warplens.server.lsp.uri_path import path_of
from warplens.server.render.pictures.theme import THEMES

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


def register(server: WarplensServer) -> None:
    """The server's start and end, and changes of the workspace."""

    @server.feature(types.INITIALIZE)
    def _initialize(ls: WarplensServer, params: types.InitializeParams) -> None:
        if pull_diagnostics.can_pull(params.capabilities):
            ls.is_pulled = True
            ls.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, pull_diagnostics.options())(pull_diagnostics.pull)
        options = params.initialization_options
        if isinstance(options, dict):
            ls.trusted = options.get("trusted") is not False
            ls.configuration.push(options.get("settings"))
            commands = options.get("commands")
            ls.client_commands = frozenset(map(str, commands if isinstance(commands, list) else ()))
            ls.announces = options.get("announce") is True
            ls.pictures = THEMES.get(str(options.get("images")))

    @server.feature(types.INITIALIZED)
    async def _initialized(ls: WarplensServer, _params: types.InitializedParams) -> None:
        ls.in_background(asyncio.ensure_future(ls.analysis.start()))
        await register_at_client(ls)

    @server.feature(types.SHUTDOWN)
    async def _shutdown(ls: WarplensServer, _params: None) -> None:
        ls.is_shut_down = True
        for document in ls.documents.values():
            scheduler.forget(document)
        await ls.analysis.close()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def _settings_changed(ls: WarplensServer, params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            ls.configuration.push(params.settings)
        ls.configuration.forget()
        scheduler.request_analysis_of_all(ls)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def _files_changed(ls: WarplensServer, params: types.DidChangeWatchedFilesParams) -> None:
        changed = [(path, each.type) for each in params.changes if (path := path_of(each.uri))]
        sources = [(path, kind) for path, kind in changed if path.endswith(SOURCES)]
        if len(sources) < len(params.changes):
            scheduler.request_analysis_of_all(ls)
        created = types.FileChangeType.Created
        scheduler.files_changed(ls, [path for path, kind in sources if kind != created])
        scheduler.files_changed(ls, [path for path, kind in sources if kind == created], are_new=True)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def _folders_changed(ls: WarplensServer, _params: types.DidChangeWorkspaceFoldersParams) -> None:
        ls.configuration.forget()
        scheduler.request_analysis_of_all(ls)
