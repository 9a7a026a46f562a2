"""Finding a header that the flags don't lead to, inside the workspace."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

_MAX_FOLDERS = 5000
_SKIPPED = frozenset({"node_modules", "__pycache__"})


def folder_that_has(header: str, near: Path, roots: Sequence[Path]) -> str | None:
    """Folder to add with -I so that `#include "header"` is found; of several, the one nearest to `near`.

    Symbolic links to folders are not followed, so that a cycle of them ends; hidden folders are left out.
    """
    wanted = PurePosixPath(header)
    if wanted.is_absolute() or ".." in wanted.parts:
        return None
    best: tuple[int, str] | None = None
    for root in roots:
        if not near.is_relative_to(root):
            continue
        seen = 0
        for folder, folders, files in os.walk(root, followlinks=False):
            seen += 1
            if seen > _MAX_FOLDERS:
                break
            folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED)
            here = PurePosixPath(folder)
            if wanted.name not in files or here.parts[len(here.parts) - len(wanted.parts) + 1 :] != wanted.parts[:-1]:
                continue
            base = here
            for _ in wanted.parts[:-1]:
                base = base.parent
            rank = (-len(os.path.commonpath((str(base), str(near)))), str(base))
            best = rank if best is None else min(best, rank)
    return None if best is None else best[1]
