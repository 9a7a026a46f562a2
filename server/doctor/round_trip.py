"""A real server over standard input and output: a small C file is opened, its messages and a hover come back."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from warplens.server.doctor.check import Check

SERVER = (sys.executable, "-P", "-c", "import sys; from warplens.server.cli.main import main; sys.exit(main(['lsp']))")
_LIMIT_S = 60.0
_CODE = "void f(int n, float *x) {\n  for (int i = 0; i < n; i++)\n    x[i] *= 2;\n}\n"
_SETTINGS = {"settings": {"noise": "all"}}


def round_trip_check(command: tuple[str, ...] = SERVER, limit_s: float = _LIMIT_S) -> Check:
    """Start the command, talk to it as an editor does, and end it; nothing is written to disk."""
    return asyncio.run(_check(command, limit_s))


async def _check(command: tuple[str, ...], limit_s: float) -> Check:
    step = ["start"]
    try:
        async with asyncio.timeout(limit_s), _client(command) as client:
            took = await _talk(client, step)
    except TimeoutError:
        return _failed(f"no answer within {limit_s:g} s", step[0])
    except Exception as error:  # noqa: BLE001 - whatever a server that does not work does, it is reported
        return _failed(f"{type(error).__name__}: {error}", step[0])
    times = ", ".join(f"{name} {seconds * 1e3:.0f} ms" for name, seconds in took)
    return Check("server", "ok", f"answers over stdio: {times}")


async def _talk(client: LanguageClient, step: list[str]) -> list[tuple[str, float]]:
    """How long each step took; `step` tells which one is under way."""
    took: list[tuple[str, float]] = []
    arrived: asyncio.Future[types.PublishDiagnosticsParams] = asyncio.get_running_loop().create_future()
    started = time.perf_counter()

    def done(name: str, following: str) -> None:
        nonlocal started
        took.append((name, time.perf_counter() - started))
        started, step[0] = time.perf_counter(), following

    def published_now(params: types.PublishDiagnosticsParams) -> None:
        if not arrived.done():
            arrived.set_result(params)

    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published_now)
    uri = (Path(tempfile.gettempdir()) / "warplens-doctor.c").as_uri()
    parameters = types.InitializeParams(types.ClientCapabilities(), initialization_options=_SETTINGS)
    await client.initialize_async(parameters)
    client.initialized(types.InitializedParams())
    done("start", "first messages")
    item = types.TextDocumentItem(uri, "c", 1, _CODE)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    published = await arrived
    done("first messages", "hover")
    if not published.diagnostics or any(each.code == "analysis-ended" for each in published.diagnostics):
        raise ValueError(f"unexpected messages: {[each.message for each in published.diagnostics]}")
    at = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(1, 2))
    if await client.text_document_hover_async(at) is None:
        raise ValueError("there is no hover on a loop")
    done("hover", "shutdown")
    await client.shutdown_async(None)
    client.exit(None)
    stop: Callable[[], Awaitable[None]] = client.stop
    await stop()
    done("shutdown", "")
    return took


@contextlib.asynccontextmanager
async def _client(command: tuple[str, ...]) -> AsyncIterator[LanguageClient]:
    client = LanguageClient("warplens-doctor", "1")
    await client.start_io(*command)
    process = client._server  # noqa: SLF001 - pygls has no other way to end a server that does not answer
    try:
        yield client
    finally:
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()


def _failed(why: str, step: str) -> Check:
    remedy = "run `warplens lsp --log-level DEBUG` and look at what it says on standard error; please report it"
    return Check("server", "wrong", f"{why} (at: {step})", remedy)
