"""A file that a command writes where its options say: what lies there is replaced if it is one of the same kind."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from pathlib import Path

from warplens.server.files.atomic_file import replace_file
from warplens.server.files.regular_file import beginning_of


@dataclass(frozen=True, slots=True)
class FileKind:
    """What is written: how it is called, how such files end, and how their content begins."""

    name: str
    suffixes: tuple[str, ...]
    beginning: bytes


PAGE = FileKind("an HTML page", (".html", ".htm"), b"<!doctype html")
DRAWING = FileKind("an SVG drawing", (".svg",), b"<svg")
MODEL = FileKind("a model of counters", (".counters",), b"PK")
MEASUREMENTS = FileKind("a file of measurements", (".json",), b'{"version": ')
RAW_RESULTS = FileKind("raw results", (".jsonl",), b'{"version": ')


def write_output(path: Path, content: bytes, kind: FileKind) -> None:
    """Write a file in one step, or replace one of its kind.

    Raises OSError, also for a symbolic link and for a file that holds something else.
    """
    require_replaceable(path, kind)
    replace_file(path, content)


def require_replaceable(path: Path, kind: FileKind) -> None:
    """Raises OSError where a file of a kind must not be written, before it takes minutes to make it."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a symbolic link stands there, which is not written through")
    try:
        found = beginning_of(path, len(kind.beginning))
    except FileNotFoundError:
        return
    is_one = found.lower() == kind.beginning.lower() or (not found and path.suffix in kind.suffixes)
    if not is_one:
        raise OSError(errno.EEXIST, f"it is there and is not {kind.name}: move it away first")
