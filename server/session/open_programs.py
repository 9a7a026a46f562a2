"""The programs that open documents are part of, as far as they have been read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from warplens.server.program.packed_program import PackedProgram

if TYPE_CHECKING:
    from warplens.server.program.packed_file import PackedFile
    from warplens.server.settings.settings import Settings


@dataclass(slots=True, eq=False)
class OpenProgram:
    """`files` are the C files of its folder, `units` those that may be in one program with the `asked` documents.

    `waiting` are those of the units that are to be read, `known` is what was read of each, `apart` what an earlier
    session read of others. `shown` is the program that analyses get: it takes up what was read at times that
    `read_program` chooses. `is_listed`: its folder need not be looked through. `is_connected`: nor its files, for names
    that they share. `is_kept`: the next session would find it as it is.
    """

    root: str
    settings: Settings
    roots: tuple[str, ...]
    shown: PackedProgram
    known: dict[str, PackedFile] = field(default_factory=dict)
    apart: dict[str, PackedFile] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    asked: frozenset[str] = frozenset()
    units: dict[str, None] = field(default_factory=dict)
    waiting: dict[str, None] = field(default_factory=dict)
    is_listed: bool = False
    is_connected: bool = False
    is_kept: bool = True
    kept_s: float = -inf
    task: asyncio.Task[None] | None = None

    def show(self) -> PackedProgram:
        """Have analyses get what is known now; gives what they got before."""
        before = self.shown
        if any(before.files.get(path) is not one for path, one in self.known.items()) or len(self.known) < len(
            before.files
        ):
            self.shown = PackedProgram(self.root, dict(self.known))
        return before

    def changed(self, path: str) -> None:
        """A file was written, or is gone: it is read again, and whatever includes it."""
        if path in self.units:
            self.waiting[path] = None
            return
        name = Path(path).name
        for one in self.known.values():
            if name in one.grounds.names or any(header.path == path for header in one.grounds.headers):
                self.waiting[one.path] = None


class OpenPrograms:
    """By root."""

    def __init__(self) -> None:
        self._by_root: dict[str, OpenProgram] = {}

    def of_root(self, root: str) -> OpenProgram | None:
        """The program below a root, as far as a document of it was opened."""
        return self._by_root.get(root)

    def add(self, program: OpenProgram) -> None:
        """A program whose first document was opened."""
        self._by_root[program.root] = program

    def around(self, paths: Iterable[str]) -> Iterator[OpenProgram]:
        """Those that one of these files lies in."""
        files = [Path(path) for path in paths]
        for root, program in self._by_root.items():
            if any(file.is_relative_to(root) for file in files):
                yield program

    def look_again(self) -> None:
        """Flags may be others, or which files there are: of each file it is seen whether it is as it was."""
        for program in self._by_root.values():
            program.is_listed = program.is_connected = False
            program.waiting.update(program.units)
