"""The language server: its state, and which handler serves which method. What the handlers do is in features/."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from cattrs import Converter
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter
from pygls.uris import to_fs_path
from warplens.server import scheduler
from warplens.server.configuration import Configuration
from warplens.server.documents import Document
from warplens.server.features import (
    code_actions,
    code_lens,
    diagnostics,
    gpus,
    hover,
    inlay_hints,
    preview,
    pull_diagnostics,
    status,
)
from warplens.server.folder_config import FILE_NAME, ConfigProblem
from warplens.server.measured.profile_file import PROFILE_NAME
from warplens.server.positions import PositionMap
from warplens.server.progress import cancel_work
from warplens.server.render.pictures.theme import THEMES, Theme
from warplens.server.warm_up import warm_up
from warplens.server.worker.process import AnalysisProcess

RESTART_COMMAND = "warplens.restartAnalysis"
logger = logging.getLogger(__name__)
_new_converter = cast("Callable[[], Converter]", default_converter)


class WarplensServer(LanguageServer):
    """The server's state: open documents, the analysis process, the client's settings.

    Completion, definition and formatting are left to the C server beside it and never advertised.
    """

    def __init__(self, analysis: AnalysisProcess | None = None) -> None:
        self.converter = _new_converter()
        super().__init__("warplens", version("warplens"), converter_factory=lambda: self.converter)
        self.analysis = analysis or AnalysisProcess()
        self.configuration = Configuration()
        self.documents: dict[str, Document] = {}
        self.cancellable: dict[str, asyncio.Task[object]] = {}
        self.trusted = True
        self.previews_fixes = False
        """Whether the client has the command behind the links of a hover."""
        self.pictures: Theme | None = None
        """The colours of a hover's pictures; None with a client that did not say that it shows images."""
        self.is_pulled = False
        """Whether the client asks for diagnostics; they are then not pushed."""
        self.is_shut_down = False
        """Whether the client asked for the end, as it must before it says `exit`."""
        self.background: set[asyncio.Task[Any]] = set()
        self._said: set[str] = set()

    def roots(self) -> list[Path]:
        """The workspace's folders."""
        folders = (to_fs_path(uri) for uri in self.workspace.folders)
        root = self.workspace.root_path
        return [Path(path) for path in (*folders, root) if path]

    def show_warning(self, message: str) -> None:
        """Tell the user."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"Warplens: {message}"))

    def report_config_problems(self, problems: Iterable[ConfigProblem]) -> None:
        """Tell each problem of a configuration once."""
        for problem in problems:
            message = f"{problem.path}: {problem.message}" if problem.path else problem.message
            if message not in self._said:
                self._said.add(message)
                self.show_warning(message)

    def refresh_lenses(self) -> None:
        """Ask the client to fetch lenses and inlay hints again, if it can be asked."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)
        if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)

    def analyse_all(self) -> None:
        """Analyse every open document again, all of it."""
        self._said.clear()
        for document in self.documents.values():
            document.skipped.clear()
            scheduler.request_analysis(self, document)

    def in_background(self, task: asyncio.Task[Any]) -> None:
        """Keep a task alive that nobody waits for."""
        self.background.add(task)
        task.add_done_callback(self.background.discard)


def build_server(analysis: AnalysisProcess | None = None) -> WarplensServer:
    """A server with all its features, ready to be started."""
    server = WarplensServer(analysis)
    _register_lifecycle(server)
    _register_documents(server)
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover.hover)
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(code_lens.code_lenses)
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT)(inlay_hints.inlay_hints)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, code_actions.OPTIONS)(code_actions.code_actions)
    server.feature(types.CODE_ACTION_RESOLVE)(code_actions.resolve)
    server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)(cancel_work)

    @server.feature("warplens/gpus")
    def _gpus(_ls: WarplensServer, _params: object) -> list[dict[str, str]]:
        return gpus.gpu_list()

    @server.feature("warplens/images")
    def _images(ls: WarplensServer, params: object) -> None:
        theme = as_json(params)
        ls.pictures = THEMES.get(str(theme.get("theme") if isinstance(theme, dict) else None))

    _register_previews(server)

    @server.feature("warplens/status")
    def _status(ls: WarplensServer, _params: object) -> dict[str, object]:
        return status.status(ls)

    @server.command(RESTART_COMMAND)
    async def _restart_analysis(ls: WarplensServer) -> None:
        await ls.analysis.stop()
        ls.analyse_all()

    return server


def _register_previews(server: WarplensServer) -> None:
    @server.feature("warplens/fixes")
    def _fixes(ls: WarplensServer, params: object) -> list[dict[str, Any]]:
        asked = ls.converter.structure(as_json(params), types.TextDocumentPositionParams)
        return preview.offered_fixes(ls, asked.text_document.uri, asked.position)

    @server.feature("warplens/previewFix")
    async def _preview_fix(ls: WarplensServer, params: object) -> dict[str, Any]:
        fix = as_json(params)
        return await preview.preview_fix(ls, fix if isinstance(fix, dict) else {})

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def _content(ls: WarplensServer, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        return await preview.preview_content(ls, params.uri)


def as_json(value: Any) -> Any:
    """JSON values of what pygls makes of the parameters of a request that it has no type for."""
    if hasattr(value, "_asdict"):
        return {name: as_json(each) for name, each in value._asdict().items()}
    return [as_json(each) for each in value] if isinstance(value, list) else value


def _register_lifecycle(server: WarplensServer) -> None:
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
            ls.previews_fixes = isinstance(commands, list) and hover.PREVIEW_COMMAND in commands
            ls.pictures = THEMES.get(str(options.get("images")))

    @server.feature(types.INITIALIZED)
    async def _initialized(ls: WarplensServer, _params: types.InitializedParams) -> None:
        ls.in_background(asyncio.ensure_future(ls.analysis.start()))
        warm_up(ls.converter)
        await _register_at_client(ls)

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
        ls.analyse_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def _files_changed(ls: WarplensServer, _params: types.DidChangeWatchedFilesParams) -> None:
        ls.analyse_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def _folders_changed(ls: WarplensServer, _params: types.DidChangeWorkspaceFoldersParams) -> None:
        ls.configuration.forget()
        ls.analyse_all()


def _register_documents(server: WarplensServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _opened(ls: WarplensServer, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        path = to_fs_path(item.uri) or item.uri
        encoding = str(getattr(ls.workspace.position_encoding, "value", ls.workspace.position_encoding))
        document = Document(item.uri, path, item.version, PositionMap(item.text, encoding), encoding)
        ls.documents[item.uri] = document
        scheduler.request_analysis(ls, document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def _changed(ls: WarplensServer, params: types.DidChangeTextDocumentParams) -> None:
        document = ls.documents.get(params.text_document.uri)
        if document is None:
            return
        if document.change(params.text_document.version, params.content_changes):
            diagnostics.publish(ls, document)
        if ls.configuration.known(document.uri).analyse_while_typing:
            scheduler.analyse_after_pause(ls, document)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def _saved(ls: WarplensServer, params: types.DidSaveTextDocumentParams) -> None:
        document = ls.documents.get(params.text_document.uri)
        if document is not None:
            scheduler.request_analysis(ls, document)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def _closed(ls: WarplensServer, params: types.DidCloseTextDocumentParams) -> None:
        document = ls.documents.pop(params.text_document.uri, None)
        if document is not None:
            scheduler.forget(document)
            diagnostics.clear(ls, document.uri)


async def _register_at_client(server: WarplensServer) -> None:
    """Hear of changed settings and files, and serve previews, with clients that can be told at run time."""
    workspace = server.client_capabilities.workspace
    registrations: list[types.Registration] = []
    if workspace and workspace.did_change_configuration and workspace.did_change_configuration.dynamic_registration:
        registrations.append(
            types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": "warplens"})
        )
    if workspace and workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration:
        patterns = (f"**/{FILE_NAME}", f"**/{PROFILE_NAME}", "**/compile_commands.json")
        watchers = [types.FileSystemWatcher(pattern) for pattern in patterns]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        registrations.append(types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if workspace and workspace.text_document_content and workspace.text_document_content.dynamic_registration:
        content = types.TextDocumentContentRegistrationOptions([preview.SCHEME])
        registrations.append(types.Registration("previews", types.WORKSPACE_TEXT_DOCUMENT_CONTENT, content))
    if registrations:
        with contextlib.suppress(Exception):
            await server.client_register_capability_async(types.RegistrationParams(registrations))
