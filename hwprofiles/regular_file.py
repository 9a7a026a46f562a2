"""Reading a file that someone else put there: a device or a pipe is refused, a large one too, without waiting."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Opening a pipe that nobody writes to would wait for ever."""


def open_regular(path: Path) -> BufferedReader:
    """A regular file, open for reading; raises OSError for anything else, ValueError for no path.

    What is checked is the file that was opened: it can't be another one by the time it is read.
    """
    handle = os.open(path, os.O_RDONLY | _WITHOUT_WAITING)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: Path, limit_bytes: int) -> bytes:
    """Content of a regular file of at most `limit_bytes`; raises OSError for anything else, ValueError for no path."""
    with open_regular(path) as file:
        size_bytes = os.fstat(file.fileno()).st_size
        content = file.read(limit_bytes + 1) if size_bytes <= limit_bytes else b""
    if max(len(content), size_bytes) > limit_bytes:
        limit = f"{limit_bytes >> 20} MiB" if limit_bytes >> 20 else f"{limit_bytes >> 10} KiB"
        raise OSError(errno.EFBIG, f"larger than {limit}")
    return content
