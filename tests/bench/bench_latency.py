"""Open to diagnostics, save to diagnostics, hover, quick fixes: the real server over stdio, as editors drive it.

Prints a table. Never asserted: the figures are kept in docs/performance.md.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from generated_source import c_source
from lsprotocol import types
from pygls.lsp.client import LanguageClient

WARPLENS = str(Path(sys.executable).with_name("warplens"))
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""An installed package is compiled once; without this, each of our two processes would do it anew."""
COLD_ROUNDS = 3
"""After one that compiles what is not compiled yet."""
ROUNDS = 20
CAPABILITIES = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(
        code_action=types.CodeActionClientCapabilities(
            disabled_support=True, resolve_support=types.ClientCodeActionResolveOptions(["edit"]), data_support=True
        )
    ),
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(
            document_changes=True,
            resource_operations=[types.ResourceOperationKind.Create],
            change_annotation_support=types.ChangeAnnotationsSupportOptions(),
        )
    ),
)


class Editor:
    """One client session on one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.uri = path.as_uri()
        self.version = 0
        self.client = LanguageClient("bench", "1")
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: types.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

        @self.client.feature(types.WORKSPACE_CONFIGURATION)
        def _(params: types.ConfigurationParams) -> list[None]:
            return [None for _ in params.items]

    async def start(self) -> None:
        """Start the server and shake hands."""
        await self.client.start_io(WARPLENS, "lsp", env=ENVIRONMENT)
        folder = types.WorkspaceFolder(self.path.parent.as_uri(), "bench")
        await self.client.initialize_async(
            types.InitializeParams(capabilities=CAPABILITIES, root_uri=folder.uri, workspace_folders=[folder])
        )
        self.client.initialized(types.InitializedParams())

    async def open(self, text: str) -> float:
        """Seconds from didOpen to the diagnostics of that version."""
        self.version += 1
        started = time.perf_counter()
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(self.uri, "c", self.version, text))
        )
        await self._diagnostics()
        return time.perf_counter() - started

    async def save(self, text: str) -> float:
        """Seconds from didSave (after a didChange of the whole text) to the diagnostics of that version."""
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        await asyncio.sleep(0.05)
        while not self.published.empty():
            self.published.get_nowait()
        started = time.perf_counter()
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(self.uri)))
        await self._diagnostics()
        return time.perf_counter() - started

    async def hover(self, line: int, character: int) -> float:
        """Seconds for one hover at the client."""
        started = time.perf_counter()
        await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(self.uri), types.Position(line, character))
        )
        return time.perf_counter() - started

    async def actions(self, line: int) -> tuple[float, list[types.CodeAction]]:
        """Seconds for the menu of a line, and its entries."""
        at = types.Position(line, 0)
        started = time.perf_counter()
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self.uri), types.Range(at, at), types.CodeActionContext([])
            )
        )
        return time.perf_counter() - started, [a for a in found or () if isinstance(a, types.CodeAction)]

    async def resolve(self, action: types.CodeAction) -> float:
        """Seconds for the edit of an action."""
        started = time.perf_counter()
        await self.client.code_action_resolve_async(action)
        return time.perf_counter() - started

    async def _diagnostics(self) -> None:
        while True:
            params = await asyncio.wait_for(self.published.get(), 60)
            if params.uri == self.uri and params.version in {None, self.version}:
                return

    async def stop(self) -> None:
        """Shut down in order."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


async def measure(nest_count: int, line_count: int) -> None:
    """One file size: cold opens in fresh servers, then warm saves and hovers in one."""
    text = c_source(nest_count, line_count)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.c")
        cold: list[float] = []
        launched: list[float] = []
        for _ in range(1 + COLD_ROUNDS):
            editor = Editor(path)
            started = time.perf_counter()
            await editor.start()
            cold.append(await editor.open(text))
            launched.append(time.perf_counter() - started)
            await editor.stop()
        editor = Editor(path)
        await editor.start()
        await editor.open(text)
        lines = text.split("\n")
        loops = [n for n, line in enumerate(lines) if line.lstrip().startswith("for (")]
        first = await editor.hover(loops[0], lines[loops[0]].index("for") + 1)
        warm: list[float] = []
        for round_ in range(ROUNDS):
            changed = text.replace("a[(i - 1) * m + j]", f"{round_ + 2}.5 * a[(i - 1) * m + j]", 1)
            warm.append(await editor.save(changed))
        hovers = [await editor.hover(line, lines[line].index("for") + 1) for line in loops for _ in range(3)]
        menus = [await editor.actions(line) for line in loops]
        edits: dict[str, list[float]] = {}
        for action in (action for _, actions in menus for action in actions if not action.disabled):
            data = action.data if isinstance(action.data, dict) else {}
            edits.setdefault(str(data.get("code", data.get("action"))), []).append(await editor.resolve(action))
        await editor.stop()
    print(
        f"{line_count} lines, {nest_count} nests: open to diagnostics {_row(cold[1:])}, from the server's start "
        f"{_row(launched[1:])}; one nest changed, save to diagnostics {_row(warm)}; hover {_row(hovers)}, the first "
        f"(with the client's own start) {1e3 * first:.1f} ms; menu of code actions "
        f"{_row([seconds for seconds, _ in menus])}; edits: "
        + "; ".join(f"{code} ({len(seconds)}) {_row(seconds)}" for code, seconds in sorted(edits.items()))
    )


def _row(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    late = ordered[max(0, -(-len(ordered) * 95 // 100) - 1)]
    return (
        f"median {1e3 * statistics.median(seconds):.1f} ms (95 % {1e3 * late:.1f}, max {1e3 * ordered[-1]:.1f}, "
        f"{len(seconds)} runs)"
    )


if __name__ == "__main__":
    asyncio.run(measure(40, 1000))
    asyncio.run(measure(60, 2000))
