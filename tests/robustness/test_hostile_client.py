"""Whatever a client sends, the server lives, answers every request, and then says what a fresh server says."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types
from support.examples import examples
from support.hostile_messages import hostile
from support.wire import Wire, framed
from warplens.server.cli.lsp import _who_may_connect
from warplens.server.lsp.edited_lines import EditedLines
from warplens.server.lsp.positions import PositionMap

LOOP = """void f(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i] + 1;
}
"""
SEED = int(os.environ.get("WARPLENS_FUZZ_SEED", "20261123"))
MESSAGES = int(os.environ.get("WARPLENS_FUZZ_MESSAGES", "600"))


def answers_about(wire: Wire, name: str = "fresh.c", version: int = 1) -> dict[str, Any]:
    """All that is said of a file that was not open before."""
    wire.published.pop(wire.uri(name), None)
    uri = wire.open(name, LOOP, version)
    document = {"textDocument": {"uri": uri}}
    whole = {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 4}}
    diagnostics = wire.diagnostics(uri, version)
    wire.settle()
    actions = wire.request("textDocument/codeAction", {**document, "range": whole, "context": {"diagnostics": []}})
    said = {
        "diagnostics": diagnostics,
        "lenses": wire.lenses(uri),
        "hover": wire.hover(uri, 1, 3),
        "hints": wire.request(
            "textDocument/inlayHint", {**document, "range": {"start": whole["start"], "end": whole["end"]}}
        )["result"],
        "actions": [action["title"] for action in actions["result"]],
    }
    wire.notify("textDocument/didClose", document)
    return said


def reset(wire: Wire) -> None:
    """Take back what the messages before may have set: settings, pictures."""
    wire.notify("workspace/didChangeConfiguration", {"settings": {}})
    wire.notify("warplens/images", {"theme": "none"})


@pytest.mark.parametrize("arguments", [None, [], ["x"], [{"a": 1}], [None, 2]])
def test_commands_take_any_arguments(tmp_path: Path, arguments: list[object] | None) -> None:
    with Wire(tmp_path) as wire:
        wire.initialize()
        for command in ("warplens.restartAnalysis", "warplens.clearCache"):
            asked = {"command": command} if arguments is None else {"command": command, "arguments": arguments}
            assert "error" not in wire.request("workspace/executeCommand", asked)
        assert wire.shut_down() == 0
        assert "Traceback" not in wire.log.read_text()


def test_refusals_are_no_errors_of_ours(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        wire.initialize()
        for method, params in (
            ("textDocument/hover", {"textDocument": 5}),
            ("codeAction/resolve", {"title": "x", "data": {"uri": "file:///gone"}}),
            ("workspace/executeCommand", {"command": "nothing"}),
            ("warplens/previewFix", {"uri": "file:///gone"}),
        ):
            assert "error" in wire.request(method, params)
        assert wire.shut_down() == 0
        log = wire.log.read_text()
        assert "Traceback" not in log
        assert "ERROR" not in log


def test_an_analysis_process_that_can_not_be_started_is_said(tmp_path: Path) -> None:
    """No file can be opened any more; the next one can."""
    program = (
        "import sys, asyncio\n"
        "from warplens.server.worker import early_start, process\n"
        "real, left = asyncio.create_subprocess_exec, [2]\n"
        "async def refused(*a, **k):\n"
        "    left[0] -= 1\n"
        "    if left[0] >= 0: raise OSError(24, 'Too many open files')\n"
        "    return await real(*a, **k)\n"
        "asyncio.create_subprocess_exec = refused\n"
        "from warplens.server.cli import lsp\n"
        "lsp.start_early = lambda: None\n"
        "from warplens.server.cli.main import main\n"
        "sys.exit(main(['lsp']))\n"
    )
    with Wire(tmp_path, program=program) as wire:
        wire.initialize()
        uri = wire.open("f.c", LOOP)
        (said,) = [each["message"] for each in wire.diagnostics(uri)]
        assert said == "the analysis process could not be started: Too many open files"
        seen = len(wire.published[uri])
        wire.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        wire.diagnostics(uri, seen=seen)
        assert len(wire.lenses(uri)) == 1
        assert "Traceback" not in wire.log.read_text()


def test_an_interrupt_ends_the_server_and_its_process(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        wire.initialize()
        uri = wire.open("f.c", LOOP)
        wire.diagnostics(uri)
        child = wire.request("warplens/status", {})["result"]["analysisProcessId"]
        wire.process.send_signal(signal.SIGINT)
        assert wire.process.wait(30) == 130
        deadline = time.monotonic() + 30
        while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not Path(f"/proc/{child}").exists()


@pytest.mark.parametrize(
    ("host", "is_said"),
    [("127.0.0.1", False), ("::1", False), ("localhost", False), ("0.0.0.0", True), ("::", True), ("10.1.2.3", True)],
)
def test_a_socket_that_others_reach_is_said(host: str, is_said: bool) -> None:
    assert (_who_may_connect(host) is not None) == is_said


def test_a_server_lives_through_hostile_messages_and_is_then_as_a_fresh_one(tmp_path: Path) -> None:
    print(f"seed {SEED} (WARPLENS_FUZZ_SEED), {MESSAGES} messages (WARPLENS_FUZZ_MESSAGES)")
    random = Random(SEED)
    with Wire(tmp_path) as wire:
        wire.initialize()
        expected = answers_about(wire)
        assert len(expected["lenses"]) == 1
        uris = [wire.uri("a.c"), wire.uri("b.c"), wire.uri("never.c"), "untitled:x"]
        for name in ("a.c", "b.c"):
            wire.open(name, LOOP)
        asked = []
        for number in range(MESSAGES):
            content, is_answered = hostile(random, uris, f"fuzz {number}")
            wire.send(content)
            if is_answered:
                asked.append(f"fuzz {number}")
            if number % 100 == 99:
                assert "result" in wire.request("warplens/gpus", {})
        assert len(asked) > MESSAGES // 4
        for identifier in asked:
            answer = wire.answer(identifier)
            assert ("result" in answer) != ("error" in answer)
        reset(wire)
        assert answers_about(wire) == expected
        assert wire.shut_down() == 0


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One server for what must not change it."""
    with Wire(tmp_path_factory.mktemp("living")) as wire:
        wire.initialize()
        yield wire


BROKEN = {
    "no length": b"\r\n\r\n",
    "negative length": b"Content-Length: -5\r\n\r\n",
    "no number": b"Content-Length: five\r\n\r\nabcde",
    "length of 26 digits": b"Content-Length: 99999999999999999999999999\r\n\r\n",
    "length of 100 TB": b"Content-Length: 100000000000000\r\n\r\n",
    "line feeds alone": b"\n\n",
    "a line without an end": b"x" * 300_000,
    "body without its end": b'Content-Length: 60\r\n\r\n{"jsonrpc":"2.0","method":"x"}',
    "body longer than said": b'Content-Length: 5\r\n\r\n{"jsonrpc":"2.0","method":"warplens/status","id":1}',
    "no JSON": framed(b"{"),
    "no text": framed(b"\xff\xfe\x00"),
    "too deep": framed(b"[" * 100_000),
    "a long number": framed(b'{"jsonrpc":"2.0","id":' + b"9" * 6000 + b',"method":"x"}'),
    "a list": framed(b"[1, 2]"),
    "a nested request": framed(b'{"x": {"jsonrpc": "2.0", "id": 77, "method": "shutdown"}}'),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_no_message_costs_at_most_the_next_one(living: Wire, content: bytes) -> None:
    living.send(content)
    for _ in range(2):
        living.notify("$/lost", {})  # a body that was cut off takes what follows it
    assert len(living.request("warplens/gpus", {})["result"]) > 3


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: %d\r\n\r\n", b"CONTENT-LENGTH:%d\r\n\r\n", b"Content-Length: %d\n\n",
        b"Content-Length:\t%d \r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nContent-Type: x\r\n\r\n", b"junk Content-Length: %d\r\n\r\n",
    ],
)  # fmt: skip
def test_a_header_of_another_spelling_is_read(living: Wire, header: bytes) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": "spelling", "method": "warplens/gpus"}).encode()
    living.send(header % len(body) + body)
    assert "result" in living.answer("spelling")


def test_requests_that_can_t_be_understood_are_answered(living: Wire) -> None:
    for method, params in (
        ("textDocument/hover", {"textDocument": 3}),
        ("textDocument/codeLens", None),
        ("codeAction/resolve", []),
    ):
        assert living.request(method, params)["error"]["code"] in {-32602, -32603}
    assert living.request("no/such", {})["error"]["code"] == -32601
    assert (
        living.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["error"]["code"]
        == -32600
    )
    living.send(framed(b'{"jsonrpc": "2.0", "id": null, "method": 3}') + framed(b"{"))
    assert living.answer(None)["error"]["code"] in {-32700, -32600, -32603}


def test_before_initialize_and_after_shutdown_requests_are_refused(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        wire.notify(
            "textDocument/didOpen", {"textDocument": {"uri": "x", "languageId": "c", "version": 1, "text": LOOP}}
        )
        wire.notify("initialized", {})
        for method in ("textDocument/hover", "shutdown", "warplens/status", "no/such"):
            assert wire.request(method, {})["error"]["code"] == -32002
        wire.initialize()
        assert len(answers_about(wire)["lenses"]) == 1
        wire.request("shutdown", None)
        for method in ("textDocument/hover", "shutdown", "no/such"):
            assert wire.request(method, {})["error"]["code"] == -32600
        wire.notify("exit", None)
        assert wire.process.wait(30) == 0


def test_exit_without_shutdown_and_the_end_of_the_stream_end_it_with_1(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        wire.initialize()
        wire.notify("exit", None)
        assert wire.process.wait(30) == 1


STRANGE_URIS = [
    "untitled:Untitled-1", "untitled:/etc/x.c", "vscode-remote://host/f.c", "http://host/f.c", "http://[",
    "file://[::1", "",
    "f.c", "/f.c", "file:", "file:///", "file:///a%00b.c", "file:///%ff%fe.c", "file:///a b.c", "file:///%e4%bd%a0.c",
    "file:////x.c", "file://host/share/f.c", "FILE:///F.C", "file:///a?b#c.c", "git:/x.c?%7B%7D", "\ud800:\udfff",
    "file:///\u202e.c", "file:///" + "d/" * 2500 + "f.c", "file:///dev/zero", "file:///dev/stdin",
    "file:///proc/self/mem",
]  # fmt: skip


@pytest.mark.parametrize("identifier", [[1], {}, 1.5])
def test_a_request_whose_id_is_none_is_refused(living: Wire, identifier: Any) -> None:
    living.message({"jsonrpc": "2.0", "id": identifier, "method": "warplens/gpus", "params": {}})
    assert "error" in living.answer(None)
    assert len(living.request("warplens/gpus", {})["result"]) > 3


@pytest.mark.parametrize("uri", STRANGE_URIS)
def test_a_document_of_any_uri_is_analysed_from_its_text(living: Wire, uri: str) -> None:
    living.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "c", "version": 1, "text": LOOP}})
    living.diagnostics(uri)
    assert len(living.lenses(uri)) == 1
    living.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_changes_of_documents_that_are_not_open_read_nothing_and_change_nothing(living: Wire) -> None:
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    for uri in ("file:///dev/zero", "file:///etc/passwd", "file:///proc/self/mem", living.uri("not-open.c")):
        change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": whole, "text": "x"}]}
        living.notify("textDocument/didChange", change)
        living.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        living.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert "result" in living.request("warplens/gpus", {}, 20)


def changed(wire: Wire, uri: str, version: int, changes: list[Any]) -> None:
    wire.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})


def lenses_at_last(wire: Wire, uri: str) -> list[dict[str, Any]]:
    """Of a file with loops, when its analysis has ended."""
    for _ in range(600):
        if lenses := wire.lenses(uri):
            return lenses
        time.sleep(0.05)
    return []


def between(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    return {"start": {"line": start[0], "character": start[1]}, "end": {"line": end[0], "character": end[1]}}


def test_versions_in_any_order_and_positions_outside_of_the_text_are_followed(living: Wire) -> None:
    uri = living.open("versions.c", "int a;\n")
    living.diagnostics(uri)
    largest = 2**31 - 1
    for version, range_, text in (
        (7, between((0, 0), (0, 0)), LOOP),
        (7, between((largest, largest), (largest, largest)), "// end\n"),
        (3, between((largest, 0), (0, 0)), "// inverted, so at its start\n"),
        (1, between((0, largest), (1, largest)), ""),
        (9, between((1, 0), (0, 0)), ""),
    ):
        changed(living, uri, version, [{"range": range_, "text": text}])
    changed(living, uri, 10, [{"text": LOOP}])
    living.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert len(lenses_at_last(living, uri)) == 1
    living.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


@pytest.mark.parametrize("line", [-1, 2**31, 2**64, "x", None])
def test_after_a_change_that_makes_no_sense_nothing_is_said_until_the_file_is_opened_again(
    living: Wire, line: Any
) -> None:
    name = f"lost {line}.c"
    uri = living.open(name, LOOP)
    assert len(lenses_at_last(living, uri)) == 1
    changed(living, uri, 2, [{"range": between((line, 0), (1, 0)), "text": "x"}])
    assert living.lenses(uri) == []
    assert "open it again" in living.published[uri][-1]["diagnostics"][0]["message"]
    living.open(name, LOOP, 5)
    assert len(lenses_at_last(living, uri)) == 1
    assert "open it again" not in str(living.diagnostics(uri, 5))


def test_100_000_edits_in_one_notification(living: Wire) -> None:
    text = "// line\n" * 20_000 + LOOP
    uri = living.open("many.c", text)
    living.diagnostics(uri)
    random = Random(SEED)
    changes = []
    for _ in range(50_000):
        line = random.randrange(20_000)
        changes += [
            {"range": between((line, 3), (line, 3)), "text": "a\r\nb"},
            {"range": between((line, 4), (line + 1, 1)), "text": ""},
        ]
    changed(living, uri, 2, changes)
    living.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    (lens,) = lenses_at_last(living, uri)
    assert lens["range"]["start"]["line"] == 20_001
    living.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_a_document_of_50_mb_and_a_line_of_1_mb(living: Wire) -> None:
    for text in ("/*" + " " * (1 << 20) + "*/ " + LOOP, f"// {'x' * 76}\n" * (50 * 2**20 // 80) + LOOP):
        started = time.monotonic()
        uri = living.open("huge.c", text)
        living.diagnostics(uri)
        assert len(living.lenses(uri)) <= 1
        print(f"{len(text) / 1e6:.0f} MB: {time.monotonic() - started:.1f} s")
        living.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        living.published.pop(uri)
    small = living.open("small.c", LOOP)
    living.diagnostics(small)
    assert len(living.lenses(small)) == 1


TEXTS = st.text("ab\r\n\té\U0001f600", max_size=30)
POSITIONS = st.builds(types.Position, st.integers(0, 12), st.integers(0, 12))


@settings(max_examples=examples(300))
@given(
    TEXTS, st.lists(st.tuples(POSITIONS, POSITIONS, TEXTS), max_size=8), st.sampled_from(["utf-8", "utf-16", "utf-32"])
)
def test_many_edits_at_once_are_the_same_as_one_after_the_other(
    text: str, edits: list[tuple[types.Position, types.Position, str]], encoding: str
) -> None:
    lines = EditedLines(text, encoding)
    for start, end, new in edits:
        range_ = types.Range(start, end)
        span = PositionMap(text, encoding).span(range_)
        text = f"{text[: span.start]}{new}{text[span.end :]}"
        lines.replace(range_, new)
        assert lines.text == text
