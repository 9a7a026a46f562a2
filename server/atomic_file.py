"""Files written in one step, so that no reader, and no crash, finds half of one."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, or another content for one that keeps its permissions and stays a link; raises OSError."""
    target = path.resolve()
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(content)
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
