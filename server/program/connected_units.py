"""Which files of a program's folder have to be read for some of them: those that may be in one program with these."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from warplens.analysis.program.connected_files import connected_files
from warplens.analysis.program.linked_names import LinkedNames, linked_names
from warplens.server.files.regular_file import read_inside
from warplens.server.files.source_file import decode
from warplens.server.program.translation_units import MOST_FILE_BYTES, MOST_FILES, is_left_out
from warplens.server.worker.run_watch import GaveWayError

_HEADER = ".h"


class ConnectedUnits:
    """Looks into the files of programs; what a file has of names is read again when it has changed.

    `is_in_the_way` says when that is to end for another job, and GaveWayError ends it; it goes on where it was.
    """

    def __init__(self, is_in_the_way: Callable[[], bool] = lambda: False) -> None:
        self._is_in_the_way = is_in_the_way
        self._names: dict[str, tuple[tuple[int, int], LinkedNames]] = {}
        """By path, with the time of the last change in ns and the size in bytes."""

    def connected(self, root: str, paths: Sequence[str], asked: AbstractSet[str]) -> tuple[str, ...]:
        """Those of `paths`, C files of a program, that hang together with the ones asked for, in order.

        A header that is asked for stands for the files that include it. What can not be read now is left in. Raises
        GaveWayError alone.
        """
        every = frozenset(paths)
        if every <= asked:
            return tuple(paths)
        files = dict(self._read(Path(root), paths))
        headers: dict[str, LinkedNames] = {}
        for path, names in self._read(Path(root), _headers(root)):
            name = Path(path).name
            headers[name] = names if name not in headers else headers[name].joined(names)
        included = {Path(path).name for path in asked - every}
        while more := {name for name, each in headers.items() if each.includes & included} - included:
            included |= more
        seeds = asked | {path for path, each in files.items() if each.includes & included}
        found = connected_files(files, headers, seeds)
        return tuple(path for path in paths if path in found or path not in files)

    def _read(self, root: Path, paths: Iterable[str]) -> Iterator[tuple[str, LinkedNames]]:
        for path in paths:
            try:
                status = Path(path).stat()
                state = (status.st_mtime_ns, status.st_size)
                known = self._names.get(path)
                if known is None or known[0] != state:
                    known = state, linked_names(_text(read_inside(Path(path), root, MOST_FILE_BYTES)))
                    self._names[path] = known
                    if self._is_in_the_way():
                        raise GaveWayError
            except (OSError, ValueError):
                continue
            yield path, known[1]


def _text(content: bytes) -> str:
    """As names need it: encodings that are guessed, which takes long, have the letters of names in common."""
    return decode(content).text if b"\0" in content else content.decode("utf-8", "replace")


def _headers(root: str) -> Iterator[str]:
    count = 0
    for folder, inner, files in os.walk(root, followlinks=False):
        inner[:] = sorted(each for each in inner if not is_left_out(each))
        for file in sorted(files):
            if file.endswith(_HEADER) and count < MOST_FILES:
                count += 1
                yield str(Path(folder, file))
