"""Finding a header that the flags don't lead to, inside the workspace."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

_MAX_FOLDERS = 5000
_REMEMBERED_S = 10.0
_ENDINGS = (".h", ".H", ".hh", ".hpp", ".inc", ".def", ".c", ".inl")
_SKIPPED = frozenset({"node_modules", "__pycache__"})


def folder_that_has(header: str, near: Path, roots: Sequence[Path]) -> str | None:
    """Folder to add with -I so that `#include "header"` is found; of several, the one nearest to `near`."""
    wanted = PurePosixPath(header)
    if wanted.is_absolute() or ".." in wanted.parts:
        return None
    period = int(time.monotonic() / _REMEMBERED_S)
    found: list[str] = []
    for root in roots:
        if near.is_relative_to(root):
            for folder in _folders_by_file(str(root), period).get(wanted.name, ()):
                base = Path(folder)
                for part in reversed(wanted.parts[:-1]):
                    if base.name != part:
                        break
                    base = base.parent
                else:
                    found.append(str(base))
    return min(found, key=lambda base: (-len(os.path.commonpath((base, str(near)))), base), default=None)


def folders_with(names: Collection[str], near: Path, roots: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """Where below the roots around `near` headers of these names are: (name, folder), sorted."""
    period = int(time.monotonic() / _REMEMBERED_S)
    listed = [_folders_by_file(str(root), period) for root in roots if near.is_relative_to(root)]
    return tuple(sorted({(name, at) for found in listed for name in names for at in found.get(name, ())}))


@lru_cache(maxsize=4)
def _folders_by_file(root: str, _period: int) -> dict[str, list[str]]:
    """Folders under `root` by the headers in them.

    Symbolic links to folders are not followed, so that a cycle of them ends; hidden folders are left out.
    """
    headers: dict[str, list[str]] = {}
    for count, (folder, folders, files) in enumerate(os.walk(root, followlinks=False)):
        if count >= _MAX_FOLDERS:
            break
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED)
        for file in files:
            if file.endswith(_ENDINGS):
                headers.setdefault(file, []).append(folder)
    return headers
