"""Reading a file that someone else put there: a device or a pipe is refused, a large one too, without waiting."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Opening a pipe that nobody writes to would wait for ever."""


def read_regular(path: Path, limit_bytes: int) -> bytes:
    """Content of a regular file of at most `limit_bytes`; raises OSError for anything else, ValueError for no path.

    What is checked is the file that was opened: it can't be another one by the time it is read.
    """
    handle = os.open(path, os.O_RDONLY | _WITHOUT_WAITING)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        content = file.read(limit_bytes + 1) if status.st_size <= limit_bytes else b""
    if max(len(content), status.st_size) > limit_bytes:
        raise OSError(errno.EFBIG, f"larger than {limit_bytes / (1 << 20):g} MiB")
    return content


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
