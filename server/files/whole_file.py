"""One file in one step: no reader, and no process that ends, leaves half of it or a name that nobody knows."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import tempfile
import time
from pathlib import Path

UNFINISHED = ".unfinished"
"""How files end that are there for the time it takes to give them their name."""
ABANDONED_S = 3600.0
"""A file that is being written is done long before; an older one was left by a process that was killed."""
_PREFIX = ".warplens-"
_MODE = 0o666
_NO_NAMELESS = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT, errno.EPERM, errno.EACCES, errno.EXDEV)
"""What systems say that have no files without a name, or no way to name one."""


def write_whole(target: Path, content: bytes, mode: int = _MODE) -> None:
    """Write a file, or another content for one that keeps its permissions, at a path without links; raises OSError."""
    unfinished = _nameless(target, content, mode) or _named(target, content, mode)
    try:
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def _nameless(target: Path, content: bytes, mode: int) -> Path | None:
    """The content in a file that gets a name once it is whole: a process that is killed leaves nothing (Linux).

    None where there are no such files.
    """
    if not hasattr(os, "O_TMPFILE"):
        return None
    name = target.with_name(
        f"{_PREFIX}{secrets.token_hex(8)}{UNFINISHED}"
    )  # which nobody can foresee, and lay a link there
    try:
        handle = os.open(target.parent, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno in _NO_NAMELESS:
            return None
        raise
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        try:
            os.link(f"/proc/self/fd/{handle}", name, follow_symlinks=True)
        except OSError as error:
            if error.errno in _NO_NAMELESS:
                return None
            raise
    return name


def _named(target: Path, content: bytes, mode: int) -> Path:
    for left in target.parent.glob(f"{_PREFIX}*{UNFINISHED}"):
        with contextlib.suppress(OSError):
            if left.lstat().st_mtime < time.time() - ABANDONED_S:
                left.unlink()
    handle, name = tempfile.mkstemp(prefix=_PREFIX, suffix=UNFINISHED, dir=target.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        unfinished.chmod(mode & ~_umask())
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    return unfinished


def _umask() -> int:
    """There is no way to ask for it but to set it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
