"""What `compile_commands.json` says of a file: flags of the preprocessor only, its command is never run."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from warplens.server.files.regular_file import read_inside, read_regular
from warplens.server.preprocess.confinement import real_path
from warplens.server.preprocess.flags import PreprocessorFlags, flags_from_arguments

_MAX_BYTES = 64 << 20
_MOST_OF_A_NAME = 10_000
"""Entries of files with one name that are looked at, and"""
_MOST_RESOLVED = 1000
"""those of them whose symbolic links are followed on the disk."""
_NAMES = ("compile_commands.json", "build/compile_commands.json")


def flags_for_file(path: Path, roots: Sequence[Path], *, trusted: bool) -> PreprocessorFlags:
    """Flags of the entry for `path` in the nearest compilation database inside the roots; empty without one.

    The database is often a link to a build folder elsewhere: with trust it is followed.
    """
    for folder in path.parents:
        if not any(folder.is_relative_to(root) for root in roots):
            break
        for name in _NAMES:
            entry = _entry(folder / name, folder, path, trusted=trusted)
            if entry is not None:
                return flags_from_arguments(*entry)
    return PreprocessorFlags()


def arguments_for_file(path: Path, roots: Sequence[Path], *, trusted: bool) -> tuple[str, ...]:
    """Arguments of the compiler for `path` in the nearest database inside the roots; none without one."""
    for folder in path.parents:
        if not any(folder.is_relative_to(root) for root in roots):
            break
        for name in _NAMES:
            entry = _entry(folder / name, folder, path, trusted=trusted)
            if entry is not None:
                return tuple(entry[0])
    return ()


def files_of_database(root: Path, *, trusted: bool) -> tuple[Path, ...]:
    """Files that the compilation database in a folder names, as it spells them; none without one."""
    for name in _NAMES:
        database = root / name
        try:
            status = database.stat()
            entries = _entries(database, None if trusted else root, status.st_mtime_ns, status.st_size)
        except (OSError, ValueError, RecursionError):
            continue
        listed = (entry for named in entries.values() for entry in named if "\0" not in entry["file"])
        places = (database.parent / str(entry.get("directory", "")) / entry["file"] for entry in listed)
        found = dict.fromkeys(Path(os.path.normpath(place)) for place in places)
        return tuple(each for each in found if each.is_relative_to(root))
    return ()


def _entry(database: Path, folder: Path, path: Path, *, trusted: bool) -> tuple[list[str], Path] | None:
    try:
        status = database.stat()
        entries = _entries(database, None if trusted else folder, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError, RecursionError):
        return None
    wanted = real_path(path)
    if wanted is None:
        return None
    named = entries.get(path.name, ())
    places = [(entry, database.parent / str(entry.get("directory", ""))) for entry in named[:_MOST_OF_A_NAME]]
    spelt = [(entry, base) for entry, base in places if os.path.normpath(base / entry["file"]) == str(path)]
    for entry, base in (*spelt, *places[:_MOST_RESOLVED]):
        if real_path(base / entry["file"]) == wanted:
            return _arguments(entry), base
    return None


@lru_cache(maxsize=4)
def _entries(database: Path, inside: Path | None, _mtime_ns: int, _size: int) -> dict[str, list[dict[str, Any]]]:
    """Entries by their file's name; a database of a large project takes longer to read than a file to analyse."""
    content = read_inside(database, inside, _MAX_BYTES) if inside else read_regular(database, _MAX_BYTES)
    entries = json.loads(content)
    listed = entries if isinstance(entries, list) else []
    found: dict[str, list[dict[str, Any]]] = {}
    for entry in listed:
        if isinstance(entry, dict) and isinstance(entry.get("file"), str):
            found.setdefault(entry["file"].rpartition("/")[2], []).append(entry)
    return found


def _arguments(entry: dict[str, Any]) -> list[str]:
    arguments = entry.get("arguments")
    if isinstance(arguments, list):
        return [word for word in arguments if isinstance(word, str)]
    try:
        return shlex.split(str(entry.get("command", "")))
    except ValueError:
        return []
