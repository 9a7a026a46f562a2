"""Which C files make a program: those of its compilation database, else all up to its root."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from warplens.server.files.project import program_root, shows_a_program
from warplens.server.preprocess.compile_commands import files_of_database

MOST_FILES = 10_000
MOST_FILE_BYTES = 5_000_000
"""Files that are larger hold tables, or were written by a program."""
_MOST_FOLDERS = 20_000
_ENDING = ".c"
_BUILT = frozenset({"build", "_build", "builds", "out", "CMakeFiles", "node_modules", "__pycache__", "_deps"})
_BUILT_BEGINNING = "cmake-build-"
_CAN_NOT_BE_NAMED = frozenset('"\\')
"""Markers of a preprocessor do not call a file by a name with these."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is not read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class TranslationUnits:
    """`paths` are absolute and sorted. `left_out` are files that belong to the program and are not read."""

    root: str
    paths: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()


def program_of(path: Path, around: Sequence[Path], *, trusted: bool) -> Path:
    """The folder of the program that a file is a part of.

    `around` are folders that the user opened or named: the one that the file is in counts where nothing else tells of a
    program. Without trust it is never outside of them.
    """
    inside = [folder for folder in around if path.is_relative_to(folder)]
    named = min(inside, key=lambda folder: len(folder.parts), default=path.parent)
    root = program_root(path.parent)
    is_certain = root != path.parent or shows_a_program(root)
    return root if is_certain and (trusted or root.is_relative_to(named)) else named


def translation_units(root: Path, *, trusted: bool) -> TranslationUnits:
    """The C files of a program; raises nothing, whatever the folder holds.

    Of files that are one file by links the first is taken. Links that lead out of the folder, or in a circle, are not
    followed, hidden folders and those of builds not looked into.
    """
    listed = files_of_database(root, trusted=trusted)
    found = sorted(each for each in listed if each.suffix == _ENDING) or _walked(root)
    return _chosen(root, found)


def _chosen(root: Path, found: Iterable[Path]) -> TranslationUnits:
    real_root = os.path.realpath(root)
    paths: list[str] = []
    left_out: list[LeftOut] = []
    met: set[str] = set()
    folders: dict[Path, str] = {}
    for path in found:
        real = _real(path, folders)
        if real in met or os.path.commonpath((real, real_root)) != real_root:
            continue
        why = _why_not(path)
        if why is None:
            continue
        met.add(real)
        if why:
            left_out.append(LeftOut(str(path), why))
        elif len(paths) == MOST_FILES:
            left_out.append(LeftOut(str(root), f"has more than {MOST_FILES} C files: the others are not read"))
            break
        else:
            paths.append(str(path))
    return TranslationUnits(str(root), tuple(sorted(paths)), tuple(left_out))


def _real(path: Path, folders: dict[Path, str]) -> str:
    """The path without links; `folders` are those that were asked for before, of ten thousand files that share few."""
    if path.is_symlink() or path.name == os.pardir:
        return os.path.realpath(path)
    if path.parent not in folders:
        folders[path.parent] = os.path.realpath(path.parent)
    return os.path.join(folders[path.parent], path.name)  # noqa: PTH118 - of each of thousands of files


def _why_not(path: Path) -> str | None:
    """Why a file is not read; empty if it is, None where there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    if status.st_size > MOST_FILE_BYTES:
        return f"is larger than {MOST_FILE_BYTES / 1e6:g} MB"
    if not str(path).isprintable() or set(str(path)) & _CAN_NOT_BE_NAMED:
        return "has a name that preprocessors do not write as it is"
    return ""


def _walked(root: Path) -> Iterator[Path]:
    """C files in and below a folder, in a fixed order; files that are no link come before those that are."""
    links: list[Path] = []
    for count, (folder, inner, files) in enumerate(os.walk(root, followlinks=False)):
        if count >= _MOST_FOLDERS:
            break
        inner[:] = sorted(each for each in inner if not is_left_out(each))
        for file in sorted(files):
            if file.endswith(_ENDING) and not file.startswith("."):
                path = Path(folder, file)
                if path.is_symlink():
                    links.append(path)
                else:
                    yield path
    yield from links


def is_left_out(folder: str) -> bool:
    """Whether a folder of that name is not looked into."""
    return folder.startswith((".", _BUILT_BEGINNING)) or folder in _BUILT


def may_be_unit(path: Path, root: Path) -> bool:
    """Whether a file of that path would be found below a root."""
    if path.suffix != _ENDING or not path.is_relative_to(root):
        return False
    return not any(map(is_left_out, path.relative_to(root).parts[:-1])) and not path.name.startswith(".")
