"""What `compile_commands.json` says of a file: flags of the preprocessor only, its command is never run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warplens.server.preprocess.flags import PreprocessorFlags, flags_from_arguments

_MAX_BYTES = 64 << 20
_NAMES = ("compile_commands.json", "build/compile_commands.json")


def flags_for_file(path: Path, roots: Sequence[Path]) -> PreprocessorFlags:
    """Flags of the entry for `path` in the nearest compilation database inside the roots; empty without one."""
    for folder in path.parents:
        if not any(folder.is_relative_to(root) for root in roots):
            break
        for name in _NAMES:
            entry = _entry(folder / name, path)
            if entry is not None:
                return flags_from_arguments(*entry)
    return PreprocessorFlags()


def _entry(database: Path, path: Path) -> tuple[list[str], Path] | None:
    try:
        if not database.is_file() or database.stat().st_size > _MAX_BYTES:
            return None
        entries = json.loads(database.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
            continue
        directory = database.parent / str(entry.get("directory", ""))
        if (directory / entry["file"]).resolve() == path.resolve():
            return _arguments(entry), directory
    return None


def _arguments(entry: dict[str, Any]) -> list[str]:
    arguments = entry.get("arguments")
    if isinstance(arguments, list):
        return [word for word in arguments if isinstance(word, str)]
    try:
        return shlex.split(str(entry.get("command", "")))
    except ValueError:
        return []
