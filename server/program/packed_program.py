"""A program as the server keeps it, and how each analysis process comes to have the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from warplens.server.program.packed_file import PackedFile


@dataclass(frozen=True, slots=True)
class PackedProgram:
    """The files below `root` that were read, by path. A value: another state of a file makes another program."""

    root: str
    files: Mapping[str, PackedFile] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProgramChange:
    """What a process has to take in so that it has a program: files that are other or new, and those that are gone."""

    root: str
    changed: tuple[PackedFile, ...]
    removed: tuple[str, ...] = ()


class ToldPrograms:
    """What one process was told of programs."""

    def __init__(self) -> None:
        self._told: dict[str, PackedProgram] = {}

    def change(self, program: PackedProgram) -> ProgramChange:
        """What it is to be told now; it has the program from then on."""
        before = self._told.get(program.root)
        self._told[program.root] = program
        if before is program:
            return ProgramChange(program.root, ())
        known = {} if before is None else before.files
        changed = tuple(one for path, one in program.files.items() if known.get(path) is not one)
        return ProgramChange(program.root, changed, tuple(path for path in known if path not in program.files))
