"""A real client of the real server over standard input and output."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest_asyncio
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

Start = Callable[..., Awaitable["Editor"]]


class Editor:
    """What a test does as a user: open, type, save, ask; waits for what the server sends."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.versions: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self.published: list[types.PublishDiagnosticsParams] = []
        self.shown: list[str] = []
        self.refreshed: list[str] = []
        self.arrived = asyncio.Condition()
        self.offered = types.ServerCapabilities()

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str, language: str = "c") -> str:
        uri = self.uri(name)
        self.versions[uri], self.texts[uri] = 1, text
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def edit(self, uri: str, old: str, new: str) -> None:
        """Replace the one occurrence of `old`."""
        text = self.texts[uri]
        assert text.count(old) == 1
        at = text.index(old)
        range_ = types.Range(position(text, at, self.encoding), position(text, at + len(old), self.encoding))
        self.texts[uri] = text.replace(old, new)
        self.versions[uri] += 1
        identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        change = types.TextDocumentContentChangePartial(range_, new)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    def save(self, uri: str) -> None:
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    async def diagnostics(self, uri: str, seen: int = 0) -> list[types.Diagnostic]:
        """The diagnostics of a document for its current version, once there are some after the first `seen`.

        Of a large file on a slow machine the first are those of its first nests: this waits for all.
        """
        await self.first_diagnostics(uri, seen)
        known = len(self.published)
        while not await self._is_complete(uri):
            await self.first_diagnostics(uri, known)
            known = len(self.published)
        return list(self._published_for(uri, seen)[-1].diagnostics)

    async def first_diagnostics(self, uri: str, seen: int = 0) -> list[types.Diagnostic]:
        """As `diagnostics`, but those of a part are enough."""
        async with asyncio.timeout(60), self.arrived:
            while not (found := self._published_for(uri, seen)):
                await self.arrived.wait()
            return list(found[0].diagnostics)

    def _published_for(self, uri: str, seen: int) -> list[types.PublishDiagnosticsParams]:
        return [each for each in self.published[seen:] if (each.uri, each.version) == (uri, self.versions[uri])]

    async def _is_complete(self, uri: str) -> bool:
        """Whether all that belongs to a document's analysis was published before this answer."""
        documents = (await self.ask("warplens/status"))["documents"]
        return all(each.get("isComplete", True) for each in documents if each["uri"] == uri)

    async def settled(self) -> None:
        """Wait for the break-evens, which come behind the diagnostics."""
        async with asyncio.timeout(60):
            while await self._misses_break_evens():  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.02)

    async def _misses_break_evens(self) -> bool:
        documents = (await self.ask("warplens/status"))["documents"]
        return any(each["breakEvensMissing"] for each in documents)

    async def saved(self, uri: str) -> list[types.Diagnostic]:
        """Save and wait for what the analysis publishes."""
        await self.ask("warplens/status")  # what the edits before made the server publish has arrived now
        seen = len(self.published)
        self.save(uri)
        return await self.diagnostics(uri, seen)

    async def hover(self, uri: str, token: str, occurrence: int = 0) -> str | None:
        at = find(self.texts[uri], token, occurrence, self.encoding)
        params = types.HoverParams(types.TextDocumentIdentifier(uri), at)
        hover = await self.client.text_document_hover_async(params)
        if hover is None:
            return None
        assert isinstance(hover.contents, types.MarkupContent)
        return hover.contents.value

    async def ask(self, method: str, params: Any = None) -> Any:
        """Answer of one of the server's own requests."""
        return plain(await self.client.protocol.send_request_async(method, params or {}))

    async def messages(self, word: str) -> list[str]:
        """Messages shown so far that hold a word, waiting until there is one."""
        async with asyncio.timeout(60), self.arrived:
            while not (found := [message for message in self.shown if word in message]):
                await self.arrived.wait()
        return found

    async def lenses(self, uri: str) -> list[types.CodeLens]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        return list(await self.client.text_document_code_lens_async(params) or ())

    async def hints(self, uri: str, range_: types.Range | None = None) -> list[types.InlayHint]:
        """Inlay hints of a range, of the whole document without one."""
        whole = types.Range(types.Position(0, 0), types.Position(self.texts[uri].count("\n") + 1, 0))
        params = types.InlayHintParams(types.TextDocumentIdentifier(uri), range_ or whole)
        return list(await self.client.text_document_inlay_hint_async(params) or ())

    async def actions(
        self, uri: str, token: str, occurrence: int = 0, only: list[types.CodeActionKind | str] | None = None
    ) -> list[types.CodeAction]:
        at = find(self.texts[uri], token, occurrence, self.encoding)
        return await self.actions_in(uri, types.Range(at, at), only)

    async def actions_in(
        self, uri: str, range_: types.Range, only: list[types.CodeActionKind | str] | None = None
    ) -> list[types.CodeAction]:
        context = types.CodeActionContext(diagnostics=[], only=only)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), range_, context)
        actions = await self.client.text_document_code_action_async(params) or ()
        return [action for action in actions if isinstance(action, types.CodeAction)]

    async def apply(self, uri: str, action: types.CodeAction) -> types.WorkspaceEdit:
        """Resolve an action and do what it says: type into the document, create and change files."""
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        assert action.edit is not None
        for change in action.edit.document_changes or ():
            if isinstance(change, types.CreateFile):
                path = self.path(change.uri)
                assert not path.exists()
                path.write_text("")
                continue
            assert isinstance(change, types.TextDocumentEdit)
            if change.text_document.uri == uri:
                assert change.text_document.version == self.versions[uri]
                self.replace(uri, edited(self.texts[uri], change.edits, self.encoding))
            else:
                assert change.text_document.version is None
                path = self.path(change.text_document.uri)
                path.write_text(edited(path.read_text(), change.edits, self.encoding))
        return action.edit

    def path(self, uri: str) -> Path:
        path = self.folder / unquote(urlparse(uri).path).rpartition("/")[2]
        assert path.as_uri() == uri
        return path

    @property
    def encoding(self) -> str:
        return str(types.PositionEncodingKind(self.offered.position_encoding or "utf-16").value)

    def replace(self, uri: str, text: str) -> None:
        """Put another text in the place of the whole."""
        self.texts[uri] = text
        self.versions[uri] += 1
        identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [whole]))


def plain(value: Any) -> Any:
    """JSON values of what pygls makes of an answer without a type."""
    if hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def find(text: str, token: str, occurrence: int = 0, encoding: str = "utf-16") -> types.Position:
    at = -1
    for _ in range(occurrence + 1):
        at = text.index(token, at + 1)
    return position(text, at, encoding)


def position(text: str, at: int, encoding: str = "utf-16") -> types.Position:
    line = text.count("\n", 0, at)
    column = text[text.rfind("\n", 0, at) + 1 : at]
    codec, unit = _UNITS[encoding]
    return types.Position(line, len(column.encode(codec)) // unit)


_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def edited(text: str, edits: Sequence[Any], encoding: str = "utf-16") -> str:
    """A text after edits, last first as clients do it."""
    for edit in sorted(edits, key=lambda e: (-e.range.start.line, -e.range.start.character)):
        start, end = (offset(text, p, encoding) for p in (edit.range.start, edit.range.end))
        text = text[:start] + edit.new_text + text[end:]
    return text


def offset(text: str, at: types.Position, encoding: str = "utf-16") -> int:
    """Offset of a position; one below the last line is the end."""
    lines = text.split("\n")
    if at.line >= len(lines):
        return len(text)
    codec, unit = _UNITS[encoding]
    before = lines[at.line].encode(codec)[: unit * at.character].decode(codec)
    return sum(len(line) + 1 for line in lines[: at.line]) + len(before)


_client_converter = cache(default_converter)
"""One for all clients: it builds its code for a type of message when it meets it."""


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Start a server for a folder: `await start(settings={...}, options={...}, client="neovim", encodings=[...])`.

    `adjust` changes the capabilities of the client; `worker` is the file of an analysis process to use instead of the
    real one, `folder` the workspace's, `environment` what is added to this process's own; `is_disk_full` fails every
    write to a file.
    """
    clients: list[LanguageClient] = []

    async def starter(
        settings: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        client: str = "visual-studio-code",
        encodings: list[types.PositionEncodingKind] | None = None,
        formats: list[types.MarkupKind] | None = None,
        worker: str | None = None,
        adjust: Callable[[types.ClientCapabilities], None] = lambda _capabilities: None,
        folder: Path = tmp_path,
        environment: Mapping[str, str] | None = None,
        is_disk_full: bool = False,
    ) -> Editor:
        language_client = LanguageClient(converter_factory=_client_converter)
        editor = Editor(language_client, folder)
        _listen(language_client, editor)
        program = f"{_FULL_DISK if is_disk_full else ''}{_command(worker)}"
        own = {**os.environ, **(environment or {})}
        await language_client.start_io(sys.executable, "-P", "-c", program, env=own)
        clients.append(language_client)
        capabilities = client_capabilities(client)
        if capabilities.general:
            capabilities.general.position_encodings = encodings
        document = capabilities.text_document
        if formats and document and document.hover:
            document.hover.content_format = formats
        adjust(capabilities)
        if settings is not None:
            language_client.set_configuration({"warplens": settings})
        root = types.WorkspaceFolder(folder.as_uri(), "workspace")
        params = types.InitializeParams(
            capabilities=capabilities, workspace_folders=[root], root_uri=root.uri, initialization_options=options
        )
        editor.offered = (await language_client.initialize_session(params)).capabilities
        return editor

    yield starter
    for each in clients:
        await each.shutdown_session()
        await each.stop()


_FULL_DISK = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "


def _command(worker: str | None) -> str:
    """The server's program; with the name of a file beside this one as the program of its analysis process."""
    if worker is None:
        return "import sys; from warplens.server.cli.main import main; sys.exit(main(['lsp']))"
    child = (sys.executable, "-P", str(Path(__file__).with_name(worker)))
    return (
        "from warplens.server.app import build_server\n"
        "from warplens.server.worker.process import AnalysisProcess\n"
        f"build_server(AnalysisProcess({child!r})).start_io()"
    )


def _listen(client: LanguageClient, editor: Editor) -> None:
    async def published(_client: LanguageClient, params: types.PublishDiagnosticsParams) -> None:
        async with editor.arrived:
            editor.published.append(params)
            editor.arrived.notify_all()

    async def shown(_client: LanguageClient, params: types.ShowMessageParams) -> None:
        async with editor.arrived:
            editor.shown.append(params.message)
            editor.arrived.notify_all()

    def done(_client: LanguageClient, _params: object) -> None:
        return None

    def refresh(method: str) -> Callable[[LanguageClient, object], Awaitable[None]]:
        async def refreshed(_client: LanguageClient, _params: object) -> None:
            async with editor.arrived:
                editor.refreshed.append(method)
                editor.arrived.notify_all()

        return refreshed

    own = {
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: published,
        types.WINDOW_SHOW_MESSAGE: shown,
        types.CLIENT_REGISTER_CAPABILITY: done,
        types.WORKSPACE_CODE_LENS_REFRESH: refresh("lenses"),
        types.WORKSPACE_INLAY_HINT_REFRESH: refresh("hints"),
        types.WORKSPACE_DIAGNOSTIC_REFRESH: refresh("diagnostics"),
    }
    register_lsp_features(client, {**DEFAULT_CLIENT_FEATURES, **own})
