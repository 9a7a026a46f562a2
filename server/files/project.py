"""The project that a folder is a part of: its programs are the project's, wherever in it one works."""

from __future__ import annotations

import os
import stat
import time
from functools import lru_cache
from pathlib import Path

_REMEMBERED_S = 10.0
_SIGNS = (
    ".git", ".hg", ".svn", ".vscode", ".clangd", ".warplens", ".warplens.toml", "compile_commands.json",
    "build/compile_commands.json", "CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "meson.build", "configure",
    "pyproject.toml",
)  # fmt: skip
"""What lies in the folder of a project."""

REPOSITORIES = (".git", ".hg", ".svn")
"""What lies in a folder under version control."""

_TOP_FILES = ("readme", "license", "licence", "copying")
_HEADER_FOLDERS = frozenset({"include", "inc", "headers"})


def project_around(folder: Path) -> Path:
    """The outermost folder around a real one that is a project's, itself where none is; the user's home is none."""
    return _project_around(folder, int(time.monotonic() / _REMEMBERED_S))


def program_root(folder: Path) -> Path:
    """The folder of the program that the files of a folder are a part of, wherever somebody works in it.

    The nearest one upward that is under version control, else the project's (`project_around`), else the nearest that
    looks like the top of a program: it has a README, a licence or a folder of headers. Itself where none does.
    """
    return _program_root(folder, int(time.monotonic() / _REMEMBERED_S))


@lru_cache(maxsize=64)
def _program_root(folder: Path, _period: int) -> Path:
    homes = _homes()
    upward: list[Path] = []
    for each in (folder, *folder.parents):
        if each in homes or each == each.parent or _is_everybody_s(each):
            break
        if any((each / name).exists() for name in REPOSITORIES):
            return each
        upward.append(each)
    project = project_around(folder)
    if any(os.path.lexists(project / sign) for sign in _SIGNS):
        return project
    return next((each for each in upward if _looks_like_a_top(each)), folder)


def _looks_like_a_top(folder: Path) -> bool:
    try:
        names = [each.name.lower() for each in folder.iterdir()]
    except OSError:
        return False
    return any(name in _HEADER_FOLDERS or name.startswith(_TOP_FILES) for name in names)


def worked_on(*files: str | Path) -> tuple[Path, ...]:
    """Where the user works: the folder that this was started in, and those of files.

    Not the user's home, and none that is everybody's: what lies in it is no one project.
    """
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        here = Path(os.sep)
    folders = (here, *(Path(os.path.normpath(here / file)).parent for file in files))
    homes = _homes()
    return tuple(dict.fromkeys(each for each in folders if each not in homes and not _is_everybody_s(each)))


@lru_cache(maxsize=64)
def _project_around(folder: Path, _period: int) -> Path:
    found = folder
    homes = _homes()
    for each in (folder, *folder.parents):
        if each in homes or each == each.parent or _is_everybody_s(each):
            break
        if any(os.path.lexists(each / sign) for sign in _SIGNS):
            found = each
    return found


def _is_everybody_s(folder: Path) -> bool:
    """Whether anybody may put files there, as into `/tmp`."""
    try:
        return bool(folder.stat().st_mode & stat.S_ISVTX)
    except OSError:
        return False


def _homes() -> set[Path]:
    home = Path(os.environ.get("HOME") or "/")
    try:
        return {home, home.resolve()}
    except (OSError, RuntimeError):
        return {home}


def shows_a_program(folder: Path) -> bool:
    """Whether something in a folder says that a program begins there."""
    return any(os.path.lexists(folder / sign) for sign in _SIGNS) or _looks_like_a_top(folder)
