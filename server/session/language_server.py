"""The language server's state: open documents, the analysis process, what the client can do."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCRequestMessage, default_converter
from warplens.server.lsp.client_support import hears_of_hints
from warplens.server.lsp.message_stream import MessageStream
from warplens.server.lsp.protocol import WarplensProtocol
from warplens.server.lsp.uri_path import path_of
from warplens.server.render.pictures.theme import Theme
from warplens.server.render.visible_text import visible
from warplens.server.session.configuration import Configuration
from warplens.server.session.documents import Document
from warplens.server.session.load_ahead import load_ahead
from warplens.server.session.open_programs import OpenPrograms
from warplens.server.session.panel_question import PanelQuestion
from warplens.server.worker.process import AnalysisProcess

if TYPE_CHECKING:
    from warplens.server.settings.folder_config import ConfigProblem

logger = logging.getLogger(__name__)
_new_converter = cast("Callable[[], Converter]", default_converter)


class WarplensServer(LanguageServer):
    """The server's state: open documents, the analysis process, the client's settings.

    Completion, definition and formatting are left to the C server beside it and never advertised.
    """

    protocol: WarplensProtocol

    def __init__(self, analysis: AnalysisProcess | None = None) -> None:
        self.converter = _new_converter()
        self.converter.register_structure_hook(JsonRPCRequestMessage, _as_sent)
        super().__init__(
            "warplens", version("warplens"), protocol_cls=WarplensProtocol, converter_factory=lambda: self.converter
        )
        self.analysis = analysis or AnalysisProcess()
        self.configuration = Configuration()
        self.documents: dict[str, Document] = {}
        self.programs = OpenPrograms()
        self.cancellable: dict[str, asyncio.Task[object]] = {}
        self.trusted = True
        self.client_commands: frozenset[str] = frozenset()
        """The client's commands that links of a hover may name."""
        self.pictures: Theme | None = None
        """The colours of a hover's pictures; None with a client that did not say that it shows images."""
        self.announces = False
        """Whether the client wants to hear of everything new that is known of open documents."""
        self.is_pulled = False
        """Whether the client asks for diagnostics; they are then not pushed."""
        self.is_shut_down = False
        """Whether the client asked for the end, as it must before it says `exit`."""
        self.what_ifs: dict[str, PanelQuestion] = {}
        """The newest question of each panel of the client."""
        self.config_problems: dict[str, tuple[ConfigProblem, ...]] = {}
        """What is wrong in configuration files, by the document whose analysis read them."""
        self.background: set[asyncio.Task[Any]] = set()
        self._reported: set[str] = set()
        """The problems of configurations that the user was told."""
        self._has_loaded_ahead = False
        self._connection: socket.socket | None = None

    def roots(self) -> list[Path]:
        """The workspace's folders."""
        folders = [path for uri in self.workspace.folders if (path := path_of(uri))]
        workspace = self.client_capabilities.workspace
        if not folders and not (workspace and workspace.workspace_folders) and self.workspace.root_path:
            folders = [self.workspace.root_path]  # of a client with folders it is one that may have been removed
        return [Path(path) for path in folders]

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve over standard input and output."""
        super().start_io(cast("BinaryIO", MessageStream(stdin or sys.stdin.buffer)), stdout)

    def start_tcp(self, host: str, port: int) -> None:
        """Serve the first client that connects, as over standard input and output."""
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.create_server((host, port), family=family) as listener:
            connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        with (
            contextlib.suppress(ConnectionError),  # of what could not be sent any more
            connection,
            connection.makefile("rb") as stdin,
            connection.makefile("wb") as stdout,
        ):
            self.start_io(stdin, stdout)

    def shutdown(self) -> None:
        """As pygls has it, which waits for the thread that reads: a connection has to end for that."""
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)
        super().shutdown()  # type: ignore[no-untyped-call]  # pygls has no types here

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Answer to what is no JSON; other defects are shown."""
        if source is JsonRpcException and isinstance(error, ValueError | RecursionError):
            self.protocol.refuse_unreadable(error)
        else:
            super().report_server_error(error, source)

    def show_warning(self, message: str) -> None:
        """Tell the user."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, visible(f"Warplens: {message}")))

    def report_config_problems(self, problems: Iterable[ConfigProblem]) -> None:
        """Tell each problem of a configuration once."""
        for problem in problems:
            if problem.text not in self._reported:
                self._reported.add(problem.text)
                self.show_warning(problem.text)

    def refresh(self) -> None:
        """Tell the client that there is something new: lenses and inlay hints are fetched again, if it can be asked."""
        if self.announces:
            self.protocol.notify("warplens/analysed", {})
        workspace = self.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)
        if hears_of_hints(self.client_capabilities):
            self.workspace_inlay_hint_refresh(None)

    def forget_reported_problems(self) -> None:
        """Tell the problems of configurations again."""
        self._reported.clear()

    def load_ahead(self) -> None:
        """Load what hovers and menus need, once, while the analysis process works."""
        if not self._has_loaded_ahead:
            self._has_loaded_ahead = True
            self.in_background(asyncio.ensure_future(load_ahead(self.converter)))

    def in_background(self, task: asyncio.Task[Any]) -> None:
        """Keep a task alive that nobody waits for."""
        self.background.add(task)
        task.add_done_callback(self.background.discard)


def _as_sent(message: dict[str, Any], kind: type[JsonRPCRequestMessage]) -> JsonRPCRequestMessage:
    """A request that the protocol has no type for, its parameters as they are.

    pygls makes named tuples of them, in which names that Python knows (a size `in`) are lost.
    """
    return kind(message["id"], message["method"], message["jsonrpc"], message.get("params"))
