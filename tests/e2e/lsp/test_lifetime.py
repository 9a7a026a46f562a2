"""No process outlives its server."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cold_start

SERVE = "import sys; from warplens.server.cli.main import main; sys.exit(main(['lsp']))"
LOOP = "void f(int n, float *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 0;\n}\n"


def runs(process_id: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent to ask does not."""
    try:
        status = Path(f"/proc/{process_id}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.asyncio
async def test_the_analysis_process_ends_with_a_killed_server(start) -> None:
    editor = await start()
    uri = editor.open("f.c", LOOP)
    await editor.diagnostics(uri)
    worker = (await editor.ask("warplens/status"))["analysisProcessId"]
    assert runs(worker)
    assert editor.client._server is not None
    os.kill(editor.client._server.pid, signal.SIGKILL)
    async with asyncio.timeout(30):
        while runs(worker):  # noqa: ASYNC110 - another process's end has no event here
            await asyncio.sleep(0.02)
    editor.client.capabilities = None  # there is no session left to shut down


@pytest.mark.asyncio
@pytest.mark.parametrize(("farewell", "code"), [(("shutdown", "exit"), 0), (("exit",), 1), ((), 1)])
async def test_the_exit_code_tells_whether_the_end_was_asked_for(farewell, code: int) -> None:
    def message(method: str, **more: object) -> bytes:
        content = json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode()
        return b"Content-Length: %d\r\n\r\n%s" % (len(content), content)

    server = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", SERVE, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    written = message("initialize", id=1, params={"capabilities": {}, "processId": None, "rootUri": None})
    if "shutdown" in farewell:
        written += message("shutdown", id=2)
    if "exit" in farewell:
        written += message("exit")
    async with asyncio.timeout(60):
        await server.communicate(written)
    assert server.returncode == code
