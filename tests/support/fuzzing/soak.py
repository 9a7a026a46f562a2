"""A long day in an editor: edits in several documents, sessions one after the other, through the real server.

`make soak` makes ten thousand edits. At random points what the server says of a text is compared with a fresh analysis
of it; resident memory of all of the server's processes is noted on the way.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from support.wire import NoAnswerError, Wire

SETTINGS = {"analysisTimeLimitSeconds": 120}
"""An answer that the limit cut short depends on what else the machine does."""
_DOCUMENTS = 4
_FUNCTIONS = 4
_LINES = (
    "    y[i] = 2 * x[i] + {k};",
    "    y[i] += x[i] * {k}.5f;",
    "    if (x[i] > {k}) y[i] = 0;",
    "    for (int j = 0; j < {k}; j++) y[i] += x[j];",
    "    y[i] = y[i - 1] + {k};",
    "    y[idx[i]] = {k};",
    "    s += x[i];",
    "    /* half a comment {k}",
    "    }} // one too many",
    "// warplens: n = {k}",
    "#define K{k} {k}",
    "",
)


@dataclass(slots=True)
class SoakResult:
    """`memory` are (edits so far, resident bytes of all processes); `differences` are (edit, what differed)."""

    edits: int = 0
    saves: int = 0
    sessions: int = 0
    compared: int = 0
    memory: list[tuple[int, int]] = field(default_factory=list)
    differences: list[tuple[int, str]] = field(default_factory=list)

    @property
    def growth(self) -> float:
        """The most memory of the last quarter over that of the second, when caches are filled."""
        quarter = max(len(self.memory) // 4, 1)
        second, last = self.memory[quarter : 2 * quarter], self.memory[-quarter:]
        return max(each for _, each in last) / max(each for _, each in second)


def function(number: int, random: Random) -> str:
    """A function with a loop of a few lines."""
    body = "\n".join(random.choice(_LINES[:7]).format(k=random.randrange(1, 99)) for _ in range(random.randrange(1, 4)))
    return (
        f"void f{number}(int n, double *restrict y, const double *restrict x, const int *idx) {{\n  double s = 0;\n"
        f"  for (int i = 1; i < n; i++) {{\n{body}\n  }}\n  y[0] = s;\n}}\n"
    )


class Session:
    """Documents as the editor has them."""

    def __init__(self, wire: Wire, random: Random, number: int) -> None:
        self.wire = wire
        self.random = random
        self.uris = [wire.uri(f"session{number}/file{k}.c") for k in range(_DOCUMENTS)]
        self.lines: dict[str, list[str]] = {}
        self.versions = dict.fromkeys(self.uris, 0)
        for uri in self.uris:
            self.lines[uri] = "".join(function(k, random) for k in range(_FUNCTIONS)).split("\n")
            item = {"uri": uri, "languageId": "c", "version": 0, "text": self.text(uri)}
            wire.notify("textDocument/didOpen", {"textDocument": item})

    def text(self, uri: str) -> str:
        return "\n".join(self.lines[uri])

    def edit(self, uri: str) -> None:
        """One change, as a person makes it: a line typed, removed, doubled, a number changed; a ruin is taken back."""
        lines, random = self.lines[uri], self.random
        at = random.randrange(len(lines))
        is_ruined = len(lines) < 10 or len(lines) > 80
        new = [*lines]
        match random.randrange(6) if not is_ruined else -1:
            case -1:
                new = "".join(function(k, random) for k in range(_FUNCTIONS)).split("\n")
            case 0 | 1:
                new.insert(at, random.choice(_LINES).format(k=random.randrange(1, 99)))
            case 2 | 3:
                del new[at]
            case 4:
                new[at] = new[at].replace("2", str(random.randrange(9)))
            case _:
                new.insert(at, new[at])
        self.versions[uri] += 1
        start, end = _changed_lines(lines, new)
        text = "".join(f"{line}\n" for line in new[start : len(new) - end])
        if end == 0:
            text = "\n".join(("", *new[start:])) if start else "\n".join(new)
        self.lines[uri] = new
        before = {"line": start, "character": 0} if end or not start else {"line": start - 1, "character": 1 << 20}
        after = {"line": len(lines) - end, "character": 0}
        change = {"range": {"start": before, "end": after}, "text": text}
        identifier = {"uri": uri, "version": self.versions[uri]}
        self.wire.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})

    def save(self, uri: str) -> None:
        self.wire.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self) -> None:
        for uri in self.uris:
            self.wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            self.wire.published.pop(uri, None)


def _changed_lines(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines both begin with, and end with."""
    shorter = min(len(old), len(new))
    start = next((k for k in range(shorter) if old[k] != new[k]), shorter)
    end = next((k for k in range(shorter - start) if old[-1 - k] != new[-1 - k]), shorter - start)
    return start, end


def without_break_even(title: str) -> str:
    """A lens less what comes long after the diagnostics."""
    return title.partition(", wins")[0]


def said_of(wire: Wire, uri: str, expected: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the server says of a document once it has settled, or at last as `expected`."""
    said: dict[str, Any] = {}
    for _ in range(400):
        before = said
        shown = wire.published.get(uri, [])
        ordered = sorted((str(each["range"]), each["message"]) for each in (shown[-1]["diagnostics"] if shown else ()))
        said = {
            "diagnostics": ordered,
            "lenses": [(lens["range"], without_break_even(lens["command"]["title"])) for lens in wire.lenses(uri)],
        }
        if shown and said == (expected or before):
            return said
        time.sleep(0.05)
    return said


def soak(wire: Wire, edits: int, seed: int, sessions: int, comparisons: int) -> SoakResult:
    """Make the edits, in sessions, and compare at as many random points."""
    random, result = Random(seed), SoakResult()
    points = set(random.sample(range(edits), comparisons))
    session: Session | None = None
    for number in range(edits):
        if number % max(edits // sessions, 1) == 0:
            if session is not None:
                session.close()
            session = Session(wire, random, result.sessions)
            result.sessions += 1
        assert session is not None
        uri = random.choice(session.uris)
        session.edit(uri)
        result.edits += 1
        if number % 5 == 0:
            session.save(uri)
            result.saves += 1
        if number % 10 == 0:
            wire.hover(uri, random.randrange(20), random.randrange(20))
        if number in points:
            session.save(uri)
            result.compared += 1
            result.differences += [(number, each) for each in _difference(wire, session, uri, number)]
        if number % max(edits // 40, 1) == 0 or number == edits - 1:
            result.memory.append((number + 1, wire.memory_bytes()))
    return result


def _difference(wire: Wire, session: Session, uri: str, number: int) -> Iterator[str]:
    """Open the same text as another file, which is analysed from nothing, and compare."""
    fresh = wire.open(f"fresh{number}/{uri.rpartition('/')[2]}", session.text(uri))
    wire.diagnostics(fresh)
    wire.complete(fresh)
    expected = said_of(wire, fresh)
    said = said_of(wire, uri, expected)
    if said != expected:
        yield f"said {said}\nfresh {expected}\nof\n{session.text(uri)}"
    wire.notify("textDocument/didClose", {"textDocument": {"uri": fresh}})
    wire.published.pop(fresh, None)


def main() -> int:
    """Run and print; 1 if an answer differed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--comparisons", type=int, default=100)
    arguments = parser.parse_args()
    started_s = time.monotonic()
    with TemporaryDirectory() as folder, Wire(Path(folder), settings=SETTINGS) as wire:
        wire.initialize()
        try:
            result = soak(wire, arguments.edits, arguments.seed, arguments.sessions, arguments.comparisons)
        except NoAnswerError as error:
            print(error)
            return 1
        code = wire.shut_down()
    for edits, size_bytes in result.memory:
        print(f"{edits:6} edits: {size_bytes / 1e6:.0f} MB")
    print(
        f"{result.edits} edits, {result.saves} saves, {result.sessions} sessions, {result.compared} answers compared, "
        f"{len(result.differences)} differ, memory of the last quarter {result.growth:.2f} of the second's, "
        f"{time.monotonic() - started_s:.0f} s, exit code {code}"
    )
    for number, difference in result.differences:
        print(f"after edit {number}: {difference}")
    return 1 if result.differences or code else 0


if __name__ == "__main__":
    sys.exit(main())
