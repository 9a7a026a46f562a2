"""Messages that no client should send, made from those that every client does, by a seeded generator."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

from support.wire import framed

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 3, 2**31 - 1, 2**31, 2**53, 2**64, -(2**63), 10**400, 1.5, 1e308, "", "x", "0",
    "n" * 5000,
    "\0", "\ud800", "\u202e", "file:///", "file:///etc/passwd", "file:///dev/zero", "file:///a%00b", "file:///%ff%fe",
    "file://[::1", "http://[", "untitled:Untitled-1", "vscode-remote://host/f.c", "../../x", [], [[]], [None], {},
    {"a": 1},
    {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "id": 1, "method": "exit"}, {"line": 0, "character": 0}, {"uri": []}, [1,
    2, 3],
    {"line": -1, "character": 2**40}, {"start": 1, "end": 2}, {"in": 1, "class": 2, "_x": 3, "": 4},
)  # fmt: skip
METHODS = (
    "textDocument/hover", "textDocument/codeLens", "textDocument/inlayHint", "textDocument/codeAction",
    "codeAction/resolve",
    "textDocument/diagnostic", "workspace/executeCommand", "workspace/textDocumentContent", "warplens/gpus",
    "warplens/status", "warplens/fixes", "warplens/noFixes", "warplens/previewFix", "warplens/whatIf",
    "warplens/compareGpus",
    "warplens/report",
    "warplens/reportNest", "warplens/reportPage", "textDocument/completion", "initialize", "no/such", "", "$/unknown",
)  # fmt: skip
NOTIFICATIONS = (
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
    "workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders",
    "window/workDoneProgress/cancel", "$/cancelRequest", "$/setTrace", "$/progress", "initialized", "warplens/images",
    "notebookDocument/didOpen", "notebookDocument/didChange", "no/such", "$/no", "textDocument/willSave",
)  # fmt: skip
BYTES = (
    b"\r\n", b"\n\n\n", b"hello\r\n", b"Content-Length: -5\r\n\r\n", b"Content-Length: 0\r\n\r\n",
    b"Content-Length: x\r\n\r\n",
    b"Content-Length: 99999999999999999999999999\r\n\r\n", b"Content-Length: 100000000000000\r\n\r\n",
    b"Content-Type: utf-16\r\n\r\n", b"\0\xff\xfe\r\n", b"Content-Length 5\r\n\r\nabcde", b"x" * 200_000, b"{}",
    b"}\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
)  # fmt: skip
BODIES = (
    b"", b"{", b"null", b"[]", b"3", b'"x"', b"{}", b"[" * 50_000, b'{"a":' * 20_000, b"\xff\xfe", b"\xef\xbb\xbf{}",
    b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"1.0","id":1,"method":"shutdown"}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b"}",
    b'{"jsonrpc":"2.0","id":null,"method":"warplens/gpus"}', b'{"jsonrpc":"2.0","id":[1],"method":"warplens/gpus"}',
    b'{"jsonrpc":"2.0","id":"a","method":["x"]}', b'{"jsonrpc":"2.0","id":"a","method":null}',
    b'{"jsonrpc":"2.0","method":{}}',
    b'{"jsonrpc":"2.0","id":"b","result":1}', b'{"jsonrpc":"2.0","id":"b","error":1}',
    b'{"jsonrpc":"2.0","id":{},"result":{}}',
    b'[{"jsonrpc":"2.0","id":"c","method":"warplens/gpus"}]', b'{"jsonrpc":"2.0","id":1e999,"method":"x"}', b"NaN",
    b'{"jsonrpc":"2.0","id":"d","method":"x","id":"e"}', b'{"jsonrpc":"2.0","error":{"code":"x"}}',
    '{"é":1}'.encode("utf-16"),
)  # fmt: skip


def proper(uri: str, version: int) -> dict[str, Any]:
    """Parameters as they should be, by method."""
    document = {"textDocument": {"uri": uri}}
    position = {"line": 1, "character": 3}
    whole = {"start": position, "end": {"line": 3, "character": 0}}
    fix = {"uri": uri, "version": version, "start": 0, "ordinal": 0, "action": "fix", "code": "openmp", "loop": 0}
    return {
        "textDocument/hover": {**document, "position": position},
        "textDocument/codeLens": document,
        "textDocument/inlayHint": {**document, "range": whole},
        "textDocument/codeAction": {**document, "range": whole, "context": {"diagnostics": [], "only": ["quickfix"]}},
        "codeAction/resolve": {"title": "x", "data": fix},
        "textDocument/diagnostic": document,
        "workspace/executeCommand": {"command": "warplens.whatIf", "arguments": [{"uri": uri}]},
        "workspace/textDocumentContent": {"uri": "warplens-preview:/f.c?W10"},
        "warplens/fixes": {**document, "position": position},
        "warplens/noFixes": {**document, "position": position},
        "warplens/previewFix": fix,
        "warplens/whatIf": {**document, "position": position, "changes": {"sizes": {"n": 7}, "gpu": "v100"}},
        "warplens/report": {**document},
        "warplens/reportNest": {**document, "function": "f", "ordinal": 0},
        "textDocument/didOpen": {
            "textDocument": {"uri": uri, "languageId": "c", "version": version, "text": "int x;\n"}
        },
        "textDocument/didChange": {
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"range": whole, "text": "y"}, {"text": "int z;\n"}],
        },
        "textDocument/didSave": document,
        "textDocument/didClose": document,
        "workspace/didChangeConfiguration": {"settings": {"warplens": {"gpu": "v100", "sizes": {"n": 5}}}},
        "workspace/didChangeWatchedFiles": {"changes": [{"uri": uri, "type": 2}]},
        "workspace/didChangeWorkspaceFolders": {"event": {"added": [{"uri": uri, "name": "x"}], "removed": []}},
        "window/workDoneProgress/cancel": {"token": "x"},
        "$/cancelRequest": {"id": 1},
        "$/setTrace": {"value": "verbose"},
        "initialize": {"processId": None, "rootUri": None, "capabilities": {}},
        "warplens/images": {"theme": "dark"},
    }


def hostile(random: Random, uris: list[str], identifier: str) -> tuple[bytes, bool]:
    """The bytes of one message, and whether it must be answered."""
    kind = random.randrange(10)
    if kind == 0:
        return random.choice(BYTES) + random.choice((b"", b"\r\n")), False
    if kind == 1:
        body = random.choice(BODIES)
        return framed(body), False
    is_request = kind < 7
    method = random.choice(METHODS if is_request else NOTIFICATIONS)
    params: Any = copy.deepcopy(proper(random.choice(uris), random.choice((0, 1, 2, -1, 2**31 - 1))).get(method, {}))
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        params = _changed(random, params)
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if random.randrange(12) == 0:
        del message["params"]
    if is_request:
        message["id"] = identifier
    return framed(json.dumps(message).encode()), is_request


def _changed(random: Random, value: Any) -> Any:
    """The value with another one somewhere in it, or without a part of it."""
    places = list(_places(value))
    if not places:
        return copy.deepcopy(random.choice(VALUES))
    holder, key = random.choice(places)
    if isinstance(holder, dict) and random.randrange(4) == 0:
        del holder[key]
    else:
        holder[key] = copy.deepcopy(random.choice(VALUES))
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield value, key
        yield from _places(inner)
