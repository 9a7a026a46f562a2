"""JSON on standard output: one object, that of `warplens check` written while it is made, none of its nests kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import TextIO

from warplens.server.json.version import JSON_VERSION
from warplens.server.render.visible_text import visible_json

Fields = Mapping[str, object]
"""Values by name; one that is an iterator becomes an array with an item a line."""


class JsonReport:
    """One object with the files that are added to it."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._is_empty = True
        out.write(f'{{"version": {JSON_VERSION}, "files": [')

    def add(self, file: Fields) -> None:
        """Write one file's report."""
        self._out.write("\n" if self._is_empty else ",\n")
        self._is_empty = False
        _write_object(self._out, file)

    def end(self, fields: Fields | None = None) -> None:
        """Close the object, with what is of all files."""
        self._out.write("]" if self._is_empty else "\n]")
        for name, value in (fields or {}).items():
            self._out.write(f", {json_text(name)}: {json_text(value)}")
        self._out.write("}\n")


def _write_object(out: TextIO, fields: Fields) -> None:
    out.write("{")
    for position, (name, value) in enumerate(fields.items()):
        out.write(f"{', ' if position else ''}{json_text(name)}: ")
        if isinstance(value, Iterator):
            _write_array(out, value)
        else:
            out.write(json_text(value))
    out.write("}")


def _write_array(out: TextIO, items: Iterator[object]) -> None:
    out.write("[")
    is_empty = True
    for item in items:
        out.write("\n" if is_empty else ",\n")
        is_empty = False
        out.write(json_text(item))
    out.write("]" if is_empty else "\n]")


def json_text(value: object, indent: int | None = None) -> str:
    """JSON that standard output can hold, and that a terminal shows as it is."""
    is_unicode = "utf" in (sys.stdout.encoding or "utf-8").lower()
    return visible_json(json.dumps(value, ensure_ascii=not is_unicode, indent=indent))


def print_json(value: Fields) -> None:
    """One object in one line on standard output; raises BrokenPipeError where nobody reads it."""
    sys.stdout.write(f"{json_text(value)}\n")
    sys.stdout.flush()  # at the end of the program nobody would catch that the pipe is closed
