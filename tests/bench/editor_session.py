"""A client on a language server, ours or clangd, that notes how long answers take."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attrs import evolve as replace
from lsprotocol import types
from pygls.lsp.client import LanguageClient

_LIMIT_S = 120.0
AT_ONCE_S = 0.05
"""Between a change and its save: as quick as keys on macros are."""
_BETWEEN_QUESTIONS_S = 0.05
_CAPABILITIES = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(
        code_action=types.CodeActionClientCapabilities(
            code_action_literal_support=types.ClientCodeActionLiteralOptions(
                types.ClientCodeActionKindOptions(["quickfix", "refactor"])
            ),
            disabled_support=True,
            resolve_support=types.ClientCodeActionResolveOptions(["edit"]),
            data_support=True,
        ),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True),
    ),
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(
            document_changes=True,
            resource_operations=[types.ResourceOperationKind.Create],
            change_annotation_support=types.ChangeAnnotationsSupportOptions(),
        )
    ),
)


@dataclass(frozen=True, slots=True)
class Server:
    """A server's command. `analyses_on_save`: what an edit changes is said once it is saved, not after a pause."""

    name: str
    command: tuple[str, ...]
    analyses_on_save: bool
    environment: dict[str, str] = field(default_factory=dict)
    settings: dict[str, object] | None = None
    """What it is told when it asks; None where the client has no settings."""


WARPLENS = Server("warplens", (str(Path(sys.executable).with_name("warplens")), "lsp"), analyses_on_save=True)


class Session:
    """One client and one server on the files of a folder."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server = server
        self._folder = folder
        self._versions: dict[str, int] = {}
        self.listed: list[types.CodeAction] = []
        self._published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self._last_published_s = 0.0
        self.client = LanguageClient("bench", "1")

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: types.PublishDiagnosticsParams) -> None:
            self._last_published_s = time.perf_counter()
            self._published.put_nowait(params)

        @self.client.feature(types.WORKSPACE_CONFIGURATION)
        def _(params: types.ConfigurationParams) -> list[dict[str, object] | None]:
            return [self.server.settings for _ in params.items]

    @property
    def process_id(self) -> int:
        """The server's own process."""
        process = self.client._server
        assert process is not None
        return process.pid

    async def start(self) -> None:
        """Start the server and shake hands."""
        # An installed package is compiled once; without this, each of our two processes would do it anew.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        await self.client.start_io(*self.server.command, env={**environment, **self.server.environment})
        folder = types.WorkspaceFolder(self._folder.as_uri(), "bench")
        has_settings = self.server.settings is not None
        around = replace(_CAPABILITIES.workspace or types.WorkspaceClientCapabilities(), configuration=has_settings)
        capabilities = replace(_CAPABILITIES, workspace=around)
        await self.client.initialize_async(
            types.InitializeParams(capabilities=capabilities, root_uri=folder.uri, workspace_folders=[folder])
        )
        self.client.initialized(types.InitializedParams())

    async def open(self, path: Path, text: str) -> float:
        """Seconds from didOpen to the diagnostics of that version."""
        uri = path.as_uri()
        self._versions[uri] = 1
        started = time.perf_counter()
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "c", 1, text)))
        await self._diagnostics(uri)
        return time.perf_counter() - started

    async def whole(self) -> float:
        """Wait until all open files are analysed to the end; the time of the last diagnostics."""
        while not all(document.isComplete for document in await self._documents()):  # noqa: ASYNC110
            await asyncio.sleep(_BETWEEN_QUESTIONS_S)
        return self._last_published_s

    async def settled(self) -> None:
        """Wait until nothing is left to do: break-evens come behind the diagnostics."""
        while any(document.breakEvensMissing for document in await self._documents()):  # noqa: ASYNC110
            await asyncio.sleep(1.0)

    async def _documents(self) -> list[Any]:
        if not self.server.analyses_on_save:
            return []
        status = await self.client.protocol.send_request_async("warplens/status", {})
        return list(status.documents)

    async def save(self, path: Path, text: str, after_s: float = AT_ONCE_S) -> float:
        """Seconds to the diagnostics of a changed text: from didSave, or from didChange where that starts them.

        didSave comes `after_s` behind didChange where it is what starts them.
        """
        uri = path.as_uri()
        self._versions[uri] += 1
        started = time.perf_counter()
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._versions[uri], uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        if self.server.analyses_on_save:
            await asyncio.sleep(after_s)
            while not self._published.empty():
                self._published.get_nowait()
            started = time.perf_counter()
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
        await self._diagnostics(uri)
        return time.perf_counter() - started

    async def diagnosed(self, path: Path) -> float:
        """Seconds until a file's diagnostics come that nobody asked for."""
        started = time.perf_counter()
        await self._diagnostics(path.as_uri())
        return time.perf_counter() - started

    async def hover(self, path: Path, line: int, character: int) -> float:
        """Seconds for one hover."""
        at = types.HoverParams(types.TextDocumentIdentifier(path.as_uri()), types.Position(line, character))
        started = time.perf_counter()
        await self.client.text_document_hover_async(at)
        return time.perf_counter() - started

    async def actions(self, path: Path, line: int, character: int) -> float:
        """Seconds for the menu of a place, whose entries are then `listed`."""
        at = types.Position(line, character)
        asked = types.CodeActionParams(
            types.TextDocumentIdentifier(path.as_uri()), types.Range(at, at), types.CodeActionContext([])
        )
        started = time.perf_counter()
        found = await self.client.text_document_code_action_async(asked)
        self.listed = [action for action in found or () if isinstance(action, types.CodeAction)]
        return time.perf_counter() - started

    async def resolve(self, action: types.CodeAction) -> float:
        """Seconds for the edit of an action."""
        started = time.perf_counter()
        await self.client.code_action_resolve_async(action)
        return time.perf_counter() - started

    async def stop(self) -> None:
        """Shut down in order."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def _diagnostics(self, uri: str) -> None:
        while True:
            params = await asyncio.wait_for(self._published.get(), _LIMIT_S)
            if params.uri == uri and params.version in {None, self._versions[uri]}:
                return
