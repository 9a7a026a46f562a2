"""Files written in one step, so that no reader, and no crash, finds half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from pathlib import Path

from warplens.server.files.regular_file import is_inside

_MODE = 0o666


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, or another content for one that keeps its permissions and stays a link; raises OSError."""
    target = path.resolve()
    # A new file of a name that nobody can foresee, and lay a link there.
    handle, name = tempfile.mkstemp(prefix=f"{target.name}.", dir=target.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        unfinished.chmod(_MODE & ~_umask())
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def replace_inside(path: Path, folder: Path, content: bytes) -> None:
    """As `replace_file`, for a file of ours in a folder of others; raises OSError for a link that leads out of it."""
    if not is_inside(path, folder):
        raise OSError(errno.ELOOP, f"a symbolic link that leads out of {folder}")
    replace_file(path, content)


def _umask() -> int:
    """There is no way to ask for it but to set it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
