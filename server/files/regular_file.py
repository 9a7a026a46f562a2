"""Reading regular files alone, and, of those that a folder brings along, the ones that lie in it."""

from __future__ import annotations

import errno
from pathlib import Path

from warplens.hwprofiles.regular_file import open_regular, read_regular

__all__ = ["beginning_of", "is_inside", "open_regular", "read_inside", "read_regular"]


def beginning_of(path: Path, size_bytes: int) -> bytes:
    """The first bytes of a regular file; raises OSError for anything else."""
    with open_regular(path) as file:
        return file.read(size_bytes)


def read_inside(path: Path, folder: Path, limit_bytes: int) -> bytes:
    """As `read_regular`; OSError also for a symbolic link that leads out of the folder."""
    if not is_inside(path, folder):
        raise OSError(errno.ELOOP, f"a symbolic link that leads out of {folder}")
    return read_regular(path, limit_bytes)


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path, all links in it followed, lies in a folder; raises OSError for a circle of links."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except RuntimeError as error:  # what Python 3.11 makes of a circle
        raise OSError(errno.ELOOP, "a circle of symbolic links") from error
