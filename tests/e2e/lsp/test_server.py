"""The server itself: what it offers, its settings, its limits, its restarts, its transports."""

import asyncio
import os
import signal
import socket
import struct
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient

T = TypeVar("T")
LOOP = "void f(int n, float *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 0;\n}\n"


@pytest.mark.asyncio
async def test_what_belongs_to_the_c_server_is_not_offered(tmp_path: Path) -> None:
    client = LanguageClient(converter_factory=default_converter)
    command = "import sys; from warplens.server.cli.main import main; sys.exit(main(['lsp']))"
    await client.start_io(sys.executable, "-P", "-c", command)
    params = types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=tmp_path.as_uri())
    offered = (await client.initialize_session(params)).capabilities
    assert offered.hover_provider
    assert offered.code_lens_provider
    for other in ("completion", "definition", "document_formatting", "references", "rename", "signature_help"):
        assert getattr(offered, f"{other}_provider") is None
    await client.shutdown_session()
    await client.stop()


@pytest.mark.asyncio
async def test_the_profiles_are_listed(start) -> None:
    editor = await start()
    gpus = await editor.ask("warplens/gpus")
    assert "a100" in [gpu["id"] for gpu in gpus]
    assert all(gpu["name"] and gpu["detail"] for gpu in gpus)


@pytest.mark.asyncio
async def test_an_analysis_that_takes_too_long_is_ended_and_reported(start) -> None:
    editor = await start(settings={"analysisTimeLimitSeconds": 0.0001})
    uri = editor.open("f.c", LOOP)
    (ended,) = await editor.diagnostics(uri)
    assert ended.code == "analysis-ended"
    assert "analysisTimeLimitSeconds" in ended.message
    editor.client.set_configuration({"warplens": {"analysisTimeLimitSeconds": 30}})
    seen = len(editor.published)
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
    assert all(d.code != "analysis-ended" for d in await editor.diagnostics(uri, seen))
    assert len(await editor.lenses(uri)) == 1


@pytest.mark.asyncio
async def test_a_killed_analysis_process_is_started_again(start) -> None:
    editor = await start()
    uri = editor.open("f.c", LOOP)
    await editor.diagnostics(uri)
    before = (await editor.ask("warplens/status"))["analysisProcessId"]
    os.kill(before, signal.SIGKILL)
    await editor.saved(uri)
    assert len(await editor.lenses(uri)) == 1
    assert (await editor.ask("warplens/status"))["analysisProcessId"] not in {None, before}


@pytest.mark.asyncio
async def test_the_restart_command_analyses_again_in_a_new_process(start) -> None:
    editor = await start()
    uri = editor.open("f.c", LOOP)
    await editor.diagnostics(uri)
    before = (await editor.ask("warplens/status"))["analysisProcessId"]
    seen = len(editor.published)
    params = types.ExecuteCommandParams("warplens.restartAnalysis")
    await editor.client.workspace_execute_command_async(params)
    await editor.diagnostics(uri, seen)
    assert (await editor.ask("warplens/status"))["analysisProcessId"] != before


@pytest.mark.asyncio
async def test_the_folder_file_counts_before_the_setting(start, tmp_path: Path) -> None:
    (tmp_path / ".warplens.toml").write_text('gpu = "v100"\n[sizes.f]\nn = 77\n')
    editor = await start(settings={"gpu": "h100", "sizes": {"n": 5}})
    uri = editor.open("f.c", LOOP)
    await editor.diagnostics(uri)
    (document,) = (await editor.ask("warplens/status"))["documents"]
    assert document["gpu"] == "v100"
    hover = await editor.hover(uri, "for (")
    assert hover is not None
    assert "77" in hover


@pytest.mark.asyncio
async def test_a_setting_that_names_no_profile_is_said_and_the_default_is_used(start) -> None:
    editor = await start(settings={"gpu": "voodoo2"})
    uri = editor.open("f.c", LOOP)
    await editor.diagnostics(uri)
    assert (await editor.messages("voodoo2"))[0].startswith("Warplens: ")
    (document,) = (await editor.ask("warplens/status"))["documents"]
    assert document["gpu"] == "a100"


@pytest.mark.asyncio
async def test_lenses_can_be_turned_off(start) -> None:
    editor = await start(settings={"codeLens": {"enabled": False}})
    uri = editor.open("f.c", LOOP)
    await editor.diagnostics(uri)
    assert await editor.lenses(uri) == []


@pytest.mark.asyncio
async def test_in_an_untrusted_workspace_no_compiler_runs(start) -> None:
    editor = await start(options={"trusted": False})
    uri = editor.open("f.c", "#define N 64\n" + LOOP)
    await editor.diagnostics(uri)
    (document,) = (await editor.ask("warplens/status"))["documents"]
    assert document["preprocessor"] not in {"cc", "gcc", "clang"}
    assert len(await editor.lenses(uri)) == 1


@pytest.mark.asyncio
async def test_neovim_is_served_like_vs_code(start) -> None:
    editor = await start(client="neovim")
    uri = editor.open("f.c", LOOP)
    await editor.diagnostics(uri)
    assert len(await editor.lenses(uri)) == 1
    assert any(a.edit or a.data for a in await editor.actions(uri, "for ("))


@pytest_asyncio.fixture
async def tcp() -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A server that waits for its client, and its port."""
    probe = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
    port = probe.sockets[0].getsockname()[1]
    probe.close()
    await probe.wait_closed()
    command = (
        f"import sys; from warplens.server.cli.main import main; sys.exit(main(['lsp', '--tcp', '127.0.0.1:{port}']))"
    )
    server = await asyncio.create_subprocess_exec(sys.executable, "-P", "-c", command, stderr=asyncio.subprocess.PIPE)
    yield server, port
    if server.returncode is None:
        server.kill()
    await server.wait()


async def connected(connect: Callable[[], Awaitable[T]]) -> T:
    """What `connect` gives once there is a server."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await connect()
            except OSError:
                await asyncio.sleep(0.05)


@pytest.mark.asyncio
async def test_over_tcp(tcp: tuple[asyncio.subprocess.Process, int], tmp_path: Path) -> None:
    server, port = tcp
    client = LanguageClient(converter_factory=default_converter)
    try:
        await connected(lambda: client.start_tcp("127.0.0.1", port))
        async with asyncio.timeout(60):
            params = types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=tmp_path.as_uri())
            result = await client.initialize_session(params)
            assert result.server_info is not None
            assert result.server_info.name == "warplens"
            await client.shutdown_async(None)
            client.exit(None)
            assert await server.wait() == 0
    finally:
        await client.stop()


@pytest.mark.asyncio
async def test_over_tcp_a_message_is_found_behind_what_is_none(tcp: tuple[asyncio.subprocess.Process, int]) -> None:
    server, port = tcp
    reader, writer = await connected(lambda: asyncio.open_connection("127.0.0.1", port))
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
    writer.write(b"GET / HTTP/1.1\r\n\r\nContent-Length: 99999999999999999999\r\n\r\n")
    writer.write(b"content-length: %d\r\n\r\n%b" % (len(body), body))
    async with asyncio.timeout(60):
        assert (await reader.readline()).startswith(b"Content-Length: ")
        writer.close()
        assert await server.wait() == 1  # it went without asking for a shutdown


@pytest.mark.asyncio
async def test_over_tcp_a_client_that_dies_is_the_end(tcp: tuple[asyncio.subprocess.Process, int]) -> None:
    server, port = tcp
    reader, writer = await connected(lambda: asyncio.open_connection("127.0.0.1", port))
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
    writer.write(b"content-length: %d\r\n\r\n%b" % (len(body), body))
    async with asyncio.timeout(60):
        assert (await reader.readline()).startswith(b"Content-Length: ")
        no_farewell = struct.pack("ii", 1, 0)  # the system says nothing but that the connection is reset
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_farewell)
        writer.transport.abort()
        _, said = await server.communicate()
    assert server.returncode == 1
    assert b"Traceback" not in said
