"""`.warplens/measured.json`: what was measured of a folder's nests. Nothing in it is run: names, sizes and times."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from warplens.server.files.atomic_file import make_folder, replace_inside
from warplens.server.files.folder_lock import locked
from warplens.server.files.output_file import MEASUREMENTS, write_output
from warplens.server.files.regular_file import read_inside
from warplens.server.measure.kernel_times.measured_nest import JSON_VERSION, MeasuredNest, as_json, from_json
from warplens.server.measure.loop_counts.profile_file import relative_name
from warplens.server.settings.folder_config import ConfigProblem, nearest_file, reason

MEASURED_NAME = ".warplens/measured.json"
_MAX_BYTES = 8 << 20


class MeasuredFileError(Exception):
    """A file of measurements that can't be read."""


def load_measured(path: Path) -> tuple[MeasuredNest, ...]:
    """Read a file of measurements; raises OSError and MeasuredFileError."""
    content = read_inside(path, path.parent.parent, _MAX_BYTES)
    try:
        document = json.loads(content)
        if document["version"] != JSON_VERSION:
            raise ValueError(f"version {document['version']!r}, known is {JSON_VERSION}")
        return tuple(from_json(entry) for entry in document["measured"])
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise MeasuredFileError(f"not measurements ({type(error).__name__}: {error}); measure again") from None


def save_measured(path: Path, measured: Sequence[MeasuredNest]) -> None:
    """Write a file of measurements where the user wants it; raises OSError, also where another file lies there."""
    write_output(path, _content(measured), MEASUREMENTS)


def _content(measured: Sequence[MeasuredNest]) -> bytes:
    """One a line."""
    lines = ",\n".join(json.dumps(as_json(one), ensure_ascii=False) for one in measured)
    return f'{{"version": {JSON_VERSION}, "measured": [\n{lines}\n]}}\n'.encode("utf-8", "backslashreplace")


def add_measured(folder: Path, measured: Sequence[MeasuredNest]) -> Path:
    """Put measurements into a folder's file, in place of older ones of the same; raises OSError, MeasuredFileError.

    Their paths become relative to the folder.
    """
    path = folder / MEASURED_NAME
    named = [replace(one, path=relative_name(Path(one.path), folder) or one.path) for one in measured]
    subjects = {one.subject for one in named}
    make_folder(path.parent)
    with locked(path.parent):
        known = load_measured(path) if os.path.lexists(path) else ()
        replace_inside(path, folder, _content([*(one for one in known if one.subject not in subjects), *named]))
    return path


def measured_for(path: Path, roots: Sequence[Path]) -> tuple[tuple[MeasuredNest, ...], tuple[ConfigProblem, ...]]:
    """What was measured of a file's nests, in the nearest file upward, inside its root; one that can't be read is said.

    Measurements without times are left out.
    """
    found = nearest_file(path.parent, roots, MEASURED_NAME)
    if found is None:
        return (), ()
    try:
        status = found.stat()
        name = relative_name(path, found.parent.parent) or ""
        every = _loaded(found, status.st_mtime_ns, status.st_size)
        return tuple(one for one in every if one.path == name and one.timing is not None), ()
    except (OSError, MeasuredFileError) as error:
        return (), (ConfigProblem(str(found), f"not read: {reason(error)}"),)


@lru_cache(maxsize=4)
def _loaded(path: Path, _mtime_ns: int, _size: int) -> tuple[MeasuredNest, ...]:
    return load_measured(path)
