"""Clients that never wait, never cancel, or cancel everything, and those that leave in the middle of work."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

LOOP = "void f(int n, float *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 0;\n}\n"
NESTS = """void gemm(int n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += 2.0 * a[i * n + k] * b[k * n + j];
}
"""
"""One break-even of it takes many times the portion in which such work is done."""

ASKED = 300


@pytest.mark.asyncio
async def test_every_one_of_many_requests_is_answered_and_the_newest_text_counts(start) -> None:
    editor = await start()
    uri = editor.open("f.c", LOOP)
    for number in range(1, 101):
        editor.edit(uri, f"x[i] = {number - 1};", f"x[i] = {number};")
        editor.save(uri)
    at = types.Position(1, 2)
    params = types.HoverParams(types.TextDocumentIdentifier(uri), at)
    hovers = [editor.client.text_document_hover_async(params) for _ in range(ASKED)]
    assert len(await asyncio.gather(*hovers)) == ASKED
    await editor.diagnostics(uri)
    assert "porting" in await editor.hover(uri, "for (")
    published = [each.version for each in editor.published if each.uri == uri and each.version]
    assert published == sorted(published)
    # An analysis that nobody waits for any more is not begun: the saves while one ran became one.
    analysed = len(published)
    assert analysed < 100


@pytest.mark.asyncio
async def test_the_break_evens_of_documents_that_are_opened_at_once_are_all_found(start) -> None:
    editor = await start()
    for number in range(3):
        editor.open(f"f{number}.c", NESTS.replace("2.0", f"{number}.5"))
    async with asyncio.timeout(60):
        while True:
            documents = (await editor.ask("warplens/status"))["documents"]
            if all(each.get("breakEvensMissing") == 0 for each in documents):
                break
            await asyncio.sleep(0.05)


@pytest.mark.asyncio
async def test_a_client_that_cancels_everything_still_gets_what_it_asks_next(start) -> None:
    editor = await start()
    uri = editor.open("f.c", LOOP)
    await editor.diagnostics(uri)
    document = types.TextDocumentIdentifier(uri)
    header = types.Range(types.Position(1, 2), types.Position(1, 2))
    asked: list[asyncio.Future] = []
    for number in range(ASKED):
        method, params = (
            ("textDocument/hover", types.HoverParams(document, header.start)),
            ("textDocument/codeLens", types.CodeLensParams(document)),
            ("textDocument/codeAction", types.CodeActionParams(document, header, types.CodeActionContext([]))),
        )[number % 3]
        future = editor.client.protocol.send_request(method, params, msg_id=f"r{number}")
        editor.client.cancel_request(types.CancelParams(f"r{number}"))
        asked.append(asyncio.wrap_future(future) if not isinstance(future, asyncio.Future) else future)
    async with asyncio.timeout(60):
        ended = await asyncio.gather(*asked, return_exceptions=True)
    assert len(ended) == ASKED
    assert all(not isinstance(each, BaseException) or is_cancelled(each) for each in ended)
    assert "porting" in await editor.hover(uri, "for (")
    assert await editor.saved(uri) is not None
    assert await editor.lenses(uri)


def is_cancelled(error: BaseException) -> bool:
    return isinstance(error, JsonRpcException) and error.code == types.LSPErrorCodes.RequestCancelled.value


@pytest.mark.asyncio
@pytest.mark.parametrize(("worker", "moment_s"), [(None, 0.0), (None, 0.3), ("runaway_child.py", 1.5)])
async def test_an_end_in_the_middle_of_work_leaves_nothing_behind(start, worker: str | None, moment_s: float) -> None:
    mark = f"WARPLENS_TEST_{os.getpid()}_{moment_s}_{worker}"
    editor = await start(worker=worker, environment={mark: "1"})
    editor.open("f.c", LOOP.replace("*x", "*forever").replace("x[", "forever["))
    await asyncio.sleep(moment_s)
    server = editor.client._server
    assert server is not None
    async with asyncio.timeout(30):
        await editor.client.shutdown_session()
        await server.wait()
        while processes_with(mark):  # noqa: ASYNC110 - another process's end has no event here
            await asyncio.sleep(0.02)
    editor.client.capabilities = None  # there is no session left to shut down
    assert server.returncode == 0


def processes_with(mark: str) -> list[int]:
    """Processes whose environment has a variable, those aside that have ended and wait for their parent."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if mark.encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
