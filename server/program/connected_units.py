"""Which files of a program's folder have to be read for some of them: those that may be in one program with these."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

from warplens.analysis.program.connected_files import connected_files
from warplens.analysis.program.linked_names import LinkedNames, linked_names
from warplens.server.files.regular_file import read_inside
from warplens.server.files.source_file import decode
from warplens.server.program.translation_units import MOST_FILE_BYTES, MOST_FILES, TranslationUnits, is_left_out

_HEADER = ".h"


def connected_units(units: TranslationUnits, asked: AbstractSet[str]) -> tuple[str, ...]:
    """Those paths of a program's files that hang together with the ones asked for, in order; raises nothing.

    A header that is asked for stands for the files that include it. All of them where all are asked for.
    """
    paths = frozenset(units.paths)
    if paths <= asked:
        return units.paths
    root = Path(units.root)
    files = dict(_names(root, units.paths))
    headers: dict[str, LinkedNames] = {}
    for path, names in _names(root, _headers(units.root)):
        name = Path(path).name
        headers[name] = names if name not in headers else headers[name].joined(names)
    included = {Path(path).name for path in asked - paths}
    while more := {name for name, each in headers.items() if each.includes & included} - included:
        included |= more
    seeds = asked | {path for path, each in files.items() if each.includes & included}
    found = connected_files(files, headers, seeds)
    return tuple(path for path in units.paths if path in found or path not in files)


def _names(root: Path, paths: Iterable[str]) -> Iterator[tuple[str, LinkedNames]]:
    for path in paths:
        try:
            content = read_inside(Path(path), root, MOST_FILE_BYTES)
        except (OSError, ValueError):
            continue
        # the rare encodings are guessed, which takes long; what they have in common are the names
        yield path, linked_names(decode(content).text if b"\0" in content else content.decode("utf-8", "replace"))


def _headers(root: str) -> Iterator[str]:
    count = 0
    for folder, inner, files in os.walk(root, followlinks=False):
        inner[:] = sorted(each for each in inner if not is_left_out(each))
        for file in sorted(files):
            if file.endswith(_HEADER) and count < MOST_FILES:
                count += 1
                yield str(Path(folder, file))
