"""Where symbolic links lead, each on the way looked at: what a path means in the end does not tell who decided it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_MOST_LINKS = 40
"""On the way to a file, as Linux has it."""


def way_to(path: str | Path) -> Iterator[Path]:
    """Every place on the way from the root to what an absolute path leads to, through each of its symbolic links."""
    start = Path(path)
    at, left, links = Path(start.anchor), [*reversed(start.parts[1:])], 0
    while left:
        part = left.pop()
        if part == os.pardir:
            at = at.parent
            continue
        at /= part
        yield at
        try:
            target = at.readlink()
        except OSError:  # no link
            continue
        links += 1
        if links > _MOST_LINKS:
            return
        at = Path(target.anchor) if target.is_absolute() else at.parent
        left += reversed(target.parts[1:] if target.is_absolute() else target.parts)


def leads_out(path: Path, folder: Path) -> bool:
    """Whether a symbolic link in a folder, which is a real path, leads an absolute path out of it."""
    way = [*way_to(path)]
    if not way or way[-1].is_relative_to(folder):
        return False
    return any(place.is_relative_to(folder) and place.is_symlink() for place in way)
