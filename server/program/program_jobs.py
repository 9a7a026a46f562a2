"""The jobs that read the files of a program, and keep what was read of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warplens.server.program.packed_file import Grounds, PackedFile, SameFile, UnreadFile
from warplens.server.worker.job import Job

if TYPE_CHECKING:
    from warplens.server.settings.settings import Settings

_LEAST_LIMIT_S = _KEEPING_LIMIT_S = 20.0
"""A file is read as a whole, not loop by loop."""


@dataclass(frozen=True, slots=True)
class IndexJob(Job["PackedFile | SameFile | UnreadFile"]):
    """One file to read from the disk. `roots` are those of the analysis of the file, `trusted` as there.

    `known` is what the file was read from before: nothing is read again as long as that is the same.
    """

    path: str
    settings: Settings
    roots: tuple[str, ...]
    trusted: bool
    known: Grounds | None = None

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        return max(self.settings.analysis_time_limit_s, _LEAST_LIMIT_S)


@dataclass(frozen=True, slots=True)
class ConnectJob(Job[tuple[str, ...]]):
    """Which of a program's C files may be in one program with those that are `asked` for."""

    root: str
    paths: tuple[str, ...]
    asked: frozenset[str]

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        return _KEEPING_LIMIT_S


@dataclass(frozen=True, slots=True)
class LoadProgramJob(Job[tuple[PackedFile, ...]]):
    """What an earlier session read of a program; whether that is still so is seen when the files are read."""

    root: str

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        return _KEEPING_LIMIT_S


@dataclass(frozen=True, slots=True)
class KeepProgramJob(Job[None]):
    """To keep what was read of a program for the next session."""

    root: str
    files: tuple[PackedFile, ...]

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        return _KEEPING_LIMIT_S


IndexedAnswer = PackedFile | SameFile | UnreadFile
