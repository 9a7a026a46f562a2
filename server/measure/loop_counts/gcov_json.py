"""gcov's JSON: what `gcov --json-format --branch-probabilities` writes, plain or packed by gzip.

Format versions 1 (gcc 9 to 13) and 2 (gcc 14 on, which adds blocks, calls and conditions; they are not read).
Source: gcc's manual, "Invoking gcov", option --json-format.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warplens.analysis.measured.line_counts import LineCount
from warplens.server.files.regular_file import open_regular

SUFFIXES = (".gcov.json", ".gcov.json.gz")
_VERSIONS = ("1", "2")
_MAX_BYTES = 512 << 20
_GZIP_MARK = b"\x1f\x8b"
_MAX_COUNT = 1 << 63


class GcovError(Exception):
    """A file that is not what gcov writes; the message says what to do."""


@dataclass(slots=True)
class CountedSource:
    """Counts of one source file of a program; `executions` are of its functions by (first line, name)."""

    path: Path
    lines: dict[int, LineCount] = field(default_factory=dict)
    executions: dict[tuple[int, str], int] = field(default_factory=dict)

    def add(self, line: LineCount) -> None:
        """Add counts of a line: in another copy of its code its branches stand beside those there are."""
        before = self.lines.get(line.line)
        if before is not None:
            line = LineCount(line.line, before.count + line.count, _added(before.branches, line.branches))
        self.lines[line.line] = line


def gcov_files(name: str) -> list[Path]:
    """The file, or all of gcov's files in and below a folder; raises GcovError for a folder without any."""
    path = Path(name)
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.rglob("*.gcov.json*") if each.name.endswith(SUFFIXES))
    if not found:
        raise GcovError(f"{name}: no *.gcov.json or *.gcov.json.gz in this folder{_how_to_make()}")
    return found


def read_gcov(path: Path) -> list[CountedSource]:
    """Sources that a file has counts of, their paths absolute; raises GcovError."""
    if path.suffix in {".gcda", ".gcno"}:
        raise GcovError(f"{path}: this is what gcov reads{_how_to_make()}")
    sources: dict[Path, CountedSource] = {}
    try:
        for document in _documents(path):
            _read_document(document, path, sources)
    except OSError as error:
        raise GcovError(f"{path}: {error.strerror or error}") from None
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise GcovError(f"{path}: not what gcov writes ({type(error).__name__}: {error}){_how_to_make()}") from None
    counted = [line for source in sources.values() for line in source.lines.values()]
    if counted and not any(line.branches for line in counted):
        raise GcovError(f"{path}: it has no counts of branches: run gcov with --branch-probabilities (-b)")
    return list(sources.values())


def _documents(path: Path) -> Iterator[Any]:
    """The JSON values of a file: `gcov --stdout` writes one per program part, one after the other."""
    text = _content(path).decode("utf-8").strip()
    if not text:
        raise GcovError(f"{path}: the file is empty{_how_to_make()}")
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        try:
            document, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise GcovError(f"{path}: not JSON ({error}){_how_to_make()}") from None
        yield document
        while at < len(text) and text[at].isspace():
            at += 1


def _content(path: Path) -> bytes:
    with open_regular(path) as file:
        packed = file.read(len(_GZIP_MARK)) == _GZIP_MARK
        file.seek(0)
        try:
            if packed:
                with gzip.open(file) as unpacked:
                    content = unpacked.read(_MAX_BYTES + 1)
            else:
                content = file.read(_MAX_BYTES + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise GcovError(f"{path}: damaged gzip file ({error})") from None
    if len(content) > _MAX_BYTES:
        raise GcovError(f"{path}: larger than {_MAX_BYTES >> 20} MiB")
    return content


def _read_document(document: Any, path: Path, sources: dict[Path, CountedSource]) -> None:
    if not isinstance(document, dict) or "format_version" not in document:
        raise GcovError(f"{path}: JSON, but not gcov's: it has no format_version{_how_to_make()}")
    version = str(document["format_version"])
    if version.partition(".")[0] not in _VERSIONS:
        raise GcovError(f"{path}: gcov's format version {version} is not known; known are {', '.join(_VERSIONS)}")
    here = path.parent / str(document.get("current_working_directory", ""))
    for entry in document["files"]:
        source_path = (here / str(entry["file"])).resolve()
        source = sources.setdefault(source_path, CountedSource(source_path))
        for function in entry["functions"]:
            key = (_count(function["start_line"]), str(function["name"]))
            source.executions[key] = source.executions.get(key, 0) + _count(function["execution_count"])
        for line in entry["lines"]:
            branches = tuple(_count(branch["count"]) for branch in line["branches"])
            source.add(LineCount(_count(line["line_number"]), _count(line["count"]), branches))


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MAX_COUNT:
        raise ValueError(f"{value!r} is no count")
    return value


def _added(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    if len(one) == len(other):
        return tuple(a + b for a, b in zip(one, other, strict=True))
    return (*one, *other)


def _how_to_make() -> str:
    return "; such files are made by: gcc -O2 --coverage ..., run the program, gcov --json-format -b FILE.gcda"
