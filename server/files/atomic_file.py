"""Files written in one step, so that no reader, and no crash, finds half of one; no link leads them elsewhere."""

from __future__ import annotations

import errno
from pathlib import Path

from warplens.server.files.links import leads_out
from warplens.server.files.project import project_around, worked_on
from warplens.server.files.regular_file import is_inside
from warplens.server.files.whole_file import write_whole


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, or another content for one that keeps its permissions.

    Raises OSError, also where a symbolic link stands there, or one of the workspace leads out of it on the way.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a symbolic link stands there, which is not written through")
    _require_no_way_out(path)
    write_whole(path, content)


def rewrite_file(path: Path, content: bytes) -> None:
    """Another content for a file that the user named and that was read: a link in the workspace stays one.

    Raises OSError, also where a link of the workspace leads out of it.
    """
    _require_no_way_out(path)
    write_whole(path.resolve(), content)


def replace_inside(path: Path, folder: Path, content: bytes) -> None:
    """As `replace_file`, for a file of ours in a folder of others; raises OSError for a link that leads out of it."""
    if not is_inside(path, folder):
        raise OSError(errno.ELOOP, f"a symbolic link that leads out of {folder}")
    replace_file(path, content)


def make_folder(path: Path) -> None:
    """Make a folder and those around it, unless it is there; raises OSError as `replace_file` does."""
    _require_no_way_out(path)
    path.mkdir(parents=True, exist_ok=True)


def _require_no_way_out(path: Path) -> None:
    """Raises OSError where a link that the workspace brings along decides where a file goes."""
    whole = Path.cwd() / path
    for folder in {project_around(each.resolve()) for each in worked_on()}:
        if leads_out(whole.parent, folder) or (whole.is_symlink() and leads_out(whole, folder)):
            raise OSError(errno.ELOOP, f"a symbolic link leads it out of {folder}: name the place that is meant")
