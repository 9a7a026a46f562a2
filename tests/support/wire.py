"""A client that writes bytes: the real server over its pipes, for messages that no client library would send."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

_ANSWER_LIMIT_S = 120.0
_PROGRAM = "import sys; from warplens.server.cli.main import main; sys.exit(main(['lsp']))"
_CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"], "markdown": {"parser": "marked", "version": "1.1.0"}},
    "textDocument": {
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "hover": {"contentFormat": ["markdown"]},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor.rewrite"]}},
            "resolveSupport": {"properties": ["edit"]},
            "dataSupport": True,
            "disabledSupport": True,
        },
    },
    "workspace": {
        "configuration": True,
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["create"],
            "changeAnnotationSupport": {"groupsOnLabel": True},
        },
    },
}


class NoAnswerError(Exception):
    """The server ended, or said nothing for too long."""


class Wire:
    """A running server. `settings` is what it gets as the `warplens` section; results of earlier tests are not kept."""

    def __init__(
        self,
        folder: Path,
        *,
        settings: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        program: str = _PROGRAM,
    ) -> None:
        self.folder = folder
        self.settings = dict(settings or {})
        self.published: dict[str, list[dict[str, Any]]] = {}
        self.shown: list[str] = []
        self._answers: dict[Any, dict[str, Any]] = {}
        self._last = 0
        self._arrived = threading.Condition()
        self._is_ended = False
        # Standard error goes to a file: a pipe that nobody empties would stop the server.
        self.log = folder / ".server.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                env={**os.environ, "WARPLENS_CACHE": "", **(environment or {})},
            )
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._write, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def send(self, content: bytes) -> None:
        """Write bytes as they are; never waits for the server to read them."""
        self._out.put(content)

    def message(self, value: Any) -> None:
        """Write a message, whatever it is, with a right header."""
        self.send(framed(json.dumps(value).encode()))

    def notify(self, method: str, params: Any) -> None:
        self.message({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Any, limit_s: float = _ANSWER_LIMIT_S) -> dict[str, Any]:
        """The whole answer to a request: it has a `result` or an `error`."""
        self._last += 1
        self.message({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return self.answer(self._last, limit_s)

    def answer(self, identifier: Any, limit_s: float = _ANSWER_LIMIT_S) -> dict[str, Any]:
        """The answer to a request that was sent."""

        def found() -> bool:
            return identifier in self._answers

        self._wait(found, limit_s, f"an answer to {identifier}")
        return self._answers.pop(identifier)

    def initialize(self, *, trusted: bool = True, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Begin the session for the folder."""
        answer = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": self.folder.as_uri(),
                "workspaceFolders": [{"uri": self.folder.as_uri(), "name": "workspace"}],
                "capabilities": _CAPABILITIES,
                "initializationOptions": {"trusted": trusted, **(options or {})},
            },
        )
        self.notify("initialized", {})
        return answer

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str, version: int = 1, language: str = "c") -> str:
        uri = self.uri(name) if ":" not in name else name
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def diagnostics(self, uri: str, version: int = 1, seen: int = 0) -> list[dict[str, Any]]:
        """What is published of a version of a document, after the first `seen` publications of it."""

        def found() -> list[dict[str, Any]]:
            return [each for each in self.published.get(uri, [])[seen:] if each.get("version") == version]

        self._wait(found, _ANSWER_LIMIT_S, f"diagnostics of {uri}")
        return list(found()[-1]["diagnostics"])

    def settle(self) -> None:
        """Wait for what comes behind the diagnostics."""
        while any(d.get("breakEvensMissing") for d in self.request("warplens/status", {})["result"]["documents"]):
            time.sleep(0.05)

    def complete(self, uri: str) -> None:
        """Wait for the whole of a document's report: its first nests are shown before the others are analysed."""
        deadline = time.monotonic() + _ANSWER_LIMIT_S
        while not any(
            each["uri"] == uri and (each.get("isComplete") or each.get("failure"))
            for each in self.request("warplens/status", {})["result"]["documents"]
        ):
            if time.monotonic() > deadline:
                raise NoAnswerError(f"the whole report of {uri}: none in {_ANSWER_LIMIT_S:g} s")
            time.sleep(0.05)

    def lenses(self, uri: str) -> list[dict[str, Any]]:
        return self.request("textDocument/codeLens", {"textDocument": {"uri": uri}}).get("result") or []

    def hover(self, uri: str, line: int, character: int) -> str:
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        result = self.request("textDocument/hover", place).get("result")
        return "" if result is None else str(result["contents"]["value"])

    def shut_down(self) -> int:
        """End the session as a client should; the process's exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(_ANSWER_LIMIT_S)

    def memory_bytes(self) -> int:
        """Resident memory of the server and all its processes."""
        return sum(_resident_bytes(each) for each in _family(self.process.pid))

    def _wait(self, is_there: Any, limit_s: float, what: str) -> None:
        deadline = time.monotonic() + limit_s
        with self._arrived:
            while not is_there():
                left_s = deadline - time.monotonic()
                if self._is_ended or left_s <= 0:
                    how = f"it ended with {self.process.poll()}" if self._is_ended else f"none in {limit_s:g} s"
                    raise NoAnswerError(f"{what}: {how}\n{self.log.read_text(errors='replace')[-3000:]}")
                self._arrived.wait(left_s)

    def _write(self) -> None:
        assert self.process.stdin is not None
        try:
            while (content := self._out.get()) is not None:
                self.process.stdin.write(content)
                self.process.stdin.flush()
        except OSError:
            pass  # the server has ended; whoever waits for it hears so

    def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        while True:
            length = 0
            while (line := stdout.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not line:
                break
            self._take(json.loads(stdout.read(length)))
        with self._arrived:
            self._is_ended = True
            self._arrived.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        with self._arrived:
            method = message.get("method")
            if method is None:
                self._answers[message.get("id")] = message
            elif "id" in message:
                asked = message["params"].get("items", []) if method == "workspace/configuration" else None
                result = None if asked is None else [self.settings for _ in asked]
                self.message({"jsonrpc": "2.0", "id": message["id"], "result": result})
            elif method == "textDocument/publishDiagnostics":
                self.published.setdefault(message["params"]["uri"], []).append(message["params"])
            elif method == "window/showMessage":
                self.shown.append(message["params"]["message"])
            self._arrived.notify_all()


def framed(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def _family(process_id: int) -> list[int]:
    children = Path(f"/proc/{process_id}/task/{process_id}/children")
    try:
        found = [int(each) for each in children.read_text().split()]
    except OSError:
        found = []
    return [process_id, *(each for child in found for each in _family(child))]


def _resident_bytes(process_id: int) -> int:
    try:
        status = Path(f"/proc/{process_id}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmRSS")), 0)
