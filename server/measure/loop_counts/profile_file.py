"""`.warplens/profile.json`: what a folder's programs counted when they ran.

Nothing in it is executed: it holds names of files, digests and counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from warplens.analysis.measured.line_counts import CountedFunction, FileCounts, LineCount
from warplens.server.files.atomic_file import make_folder, replace_inside
from warplens.server.files.folder_files import PROFILE_NAME
from warplens.server.files.regular_file import read_inside
from warplens.server.settings.folder_config import ConfigProblem, nearest_file, reason

_VERSION = 1
_MAX_BYTES = 256 << 20
_MAX_COUNT = 1 << 63


class ProfileFileError(Exception):
    """A profile that can't be read."""


@dataclass(frozen=True, slots=True)
class StoredSource:
    """Counts of a file, summed over `runs` imports of the same text."""

    digest: str
    imported: str
    runs: int
    functions: tuple[CountedFunction, ...]
    lines: tuple[LineCount, ...]


@dataclass(frozen=True, slots=True)
class RunProfile:
    """Sources by their path relative to the folder that the profile speaks of, with `/` between folders.

    `elsewhere_line_executions` are those of files outside that folder: part of the program, shown by no one.
    """

    sources: Mapping[str, StoredSource] = field(default_factory=dict)
    elsewhere_line_executions: int = 0

    @property
    def line_executions(self) -> int:
        """Executions of all lines of the program."""
        lines = (line.count for source in self.sources.values() for line in source.lines)
        return sum(lines, self.elsewhere_line_executions)

    def counts(self, name: str) -> FileCounts | None:
        """Counts of one file, None when none of its lines was counted."""
        source = self.sources.get(name)
        if source is None:
            return None
        return FileCounts(source.digest, source.functions, source.lines, self.line_executions, source.imported)


def counts_for(path: Path, roots: Sequence[Path]) -> tuple[FileCounts | None, tuple[ConfigProblem, ...]]:
    """Counts of a file in the nearest profile upward, inside its root; a profile that can't be read is said."""
    found = nearest_file(path.parent, roots, PROFILE_NAME)
    if found is None:
        return None, ()
    try:
        status = found.stat()
        return _counts(found, status.st_mtime_ns, status.st_size, relative_name(path, found.parent.parent) or ""), ()
    except (OSError, ProfileFileError) as error:
        return None, (ConfigProblem(str(found), f"not read: {reason(error)}"),)


def relative_name(path: Path, folder: Path) -> str | None:
    """Name that a profile of the folder has for a file, None for one outside it."""
    for one, other in ((path, folder), (path.resolve(), folder.resolve())):
        if one.is_relative_to(other):
            return one.relative_to(other).as_posix()
    return None


def load_profile(path: Path) -> RunProfile:
    """Read a profile; raises OSError and ProfileFileError."""
    content = read_inside(path, path.parent.parent, _MAX_BYTES)
    try:
        return _profile(json.loads(content))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        again = "import the counts again (`warplens profile import --replace`)"
        raise ProfileFileError(f"not a profile ({type(error).__name__}: {error}); {again}") from None


def save_profile(path: Path, profile: RunProfile) -> None:
    """Write a profile in one step, so that no reader finds half of one; raises OSError."""
    document = {
        "version": _VERSION,
        "elsewhere_line_executions": profile.elsewhere_line_executions,
        "files": {name: _as_json(source) for name, source in sorted(profile.sources.items())},
    }
    make_folder(path.parent)
    replace_inside(path, path.parent.parent, (json.dumps(document, separators=(",", ":")) + "\n").encode())


@lru_cache(maxsize=64)
def _counts(path: Path, mtime_ns: int, size: int, name: str) -> FileCounts | None:
    """`mtime_ns` and `size` tell one content of the file from another."""
    return _loaded(path, mtime_ns, size).counts(name)


@lru_cache(maxsize=2)
def _loaded(path: Path, _mtime_ns: int, _size: int) -> RunProfile:
    return load_profile(path)


def _as_json(source: StoredSource) -> dict[str, Any]:
    return {
        "digest": source.digest,
        "imported": source.imported,
        "runs": source.runs,
        "functions": [[f.digest, f.first_line, f.last_line, f.executions] for f in source.functions],
        "lines": {str(line.line): [line.count, *line.branches] for line in source.lines},
    }


def _profile(document: Any) -> RunProfile:
    if document["version"] != _VERSION:
        raise ValueError(f"version {document['version']!r}, known is {_VERSION}")
    sources = {str(name): _source(entry) for name, entry in document["files"].items()}
    return RunProfile(sources, _number(document["elsewhere_line_executions"]))


def _source(entry: Any) -> StoredSource:
    functions = tuple(
        CountedFunction(str(digest), _number(first), _number(last), None if ran is None else _number(ran))
        for digest, first, last, ran in entry["functions"]
    )
    lines = tuple(
        LineCount(int(number), *_numbers(count, branches)) for number, (count, *branches) in entry["lines"].items()
    )
    return StoredSource(str(entry["digest"]), str(entry["imported"]), _number(entry["runs"]), functions, lines)


def _numbers(count: object, branches: Sequence[object]) -> tuple[int, tuple[int, ...]]:
    return _number(count), tuple(_number(branch) for branch in branches)


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MAX_COUNT:
        raise ValueError(f"{value!r} is no count")
    return value
