"""The folder that results are kept in: the user's own, and nobody else's.

One file per result, written in one step, and not a database: locks of SQLite are not to be relied on where homes are on
a network (clusters), and two editors never wait for each other.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from platformdirs import user_cache_path

VARIABLE = "WARPLENS_CACHE"
"""Environment variable: another folder; empty for none."""
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class UnusableFolderError(Exception):
    """There is no folder to keep results in; the message says why."""


class SwitchedOffError(UnusableFolderError):
    """Nothing is to be kept."""


def results_folder() -> Path:
    """Where results are kept, whether or not it is there; raises UnusableFolderError where the user wants none."""
    named = os.environ.get(VARIABLE)
    if named is None:
        return user_cache_path("warplens", appauthor=False) / "results"
    if not named:
        raise SwitchedOffError(f"{VARIABLE} is empty")
    path = Path(named)
    if not path.is_absolute():
        raise UnusableFolderError(f"{VARIABLE} is no absolute path")
    return path / "results"


def private_folder() -> Path:
    """The folder, made if it is not there; raises UnusableFolderError, also for one that others may write to.

    What is in it is shown as our own results and quick fixes, so that nobody else may put anything there.
    """
    path = results_folder()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
    except OSError as error:
        raise UnusableFolderError(f"{path}: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode):
        raise UnusableFolderError(f"{path} is no folder")
    if hasattr(os, "geteuid"):
        if found.st_uid != os.geteuid():
            raise UnusableFolderError(f"{path} belongs to another user")
        if found.st_mode & _OTHERS_MAY_WRITE:
            raise UnusableFolderError(f"{path} can be written by others (chmod go-w would change that)")
    return path
