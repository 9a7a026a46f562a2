"""The one rule for every program that is started: it is on PATH by its known name, and no workspace brings it along."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from warplens.server.files.links import way_to
from warplens.server.files.project import project_around

_LISTS_OF_FOLDERS = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "LIBRARY_PATH")
"""Where a program looks for what it runs or loads. An empty entry is the folder it stands in."""
_NOT_HANDED_ON = ("COMPILER_PATH", "GCC_EXEC_PREFIX", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES")
"""What gcc runs instead of its own parts, and files that it writes, by environment."""
_REMEMBERED_S = 10.0


class BroughtAlongError(Exception):
    """What is on PATH is the workspace's own; the message says where."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Programs outside of some folders, which are real paths. Made by `outside_of`."""

    folders: frozenset[Path]
    _identities: frozenset[tuple[int, int]]
    """Device and inode: a folder has several names where a disk is mounted twice, or ignores case."""

    @classmethod
    def outside_of(cls, workspace: Iterable[Path]) -> Programs:
        """Programs outside of a workspace: of its folders, and of the projects that they are a part of."""
        inside: set[Path] = set()
        for folder in workspace:
            real = _real(folder)
            if folder.is_absolute() and real is not None:
                inside |= {real, project_around(real)}
        inside = {folder for folder in inside if folder != folder.parent}  # of the whole disk there is no outside
        inside = {folder for folder in inside if inside.isdisjoint(folder.parents)}
        return cls(frozenset(inside), frozenset(filter(None, map(_identity, inside))))

    def find(self, *names: str) -> str | None:
        """Absolute path of the first program of one of these names, folder by folder of PATH."""
        return next((path for path in _on_path(names) if not self.bring_along(path)), None)

    def required(self, *names: str) -> str:
        """As `find`, the first of the names that is anywhere.

        Raises FileNotFoundError where PATH has none of them, BroughtAlongError where it has the workspace's alone.
        """
        for name in names:
            if (found := self.find(name)) is not None:
                return found
        wanted = " or ".join(names)
        if (own := next(_on_path(names), None)) is not None:
            raise BroughtAlongError(f"{own} is {wanted} on PATH, and lies in the workspace: what that has is not run")
        raise FileNotFoundError(f"{wanted} is not on PATH")

    def environment(self) -> dict[str, str]:
        """The user's own, less what could make a program run, load or write something of the workspace."""
        kept = {name: value for name, value in os.environ.items() if name not in _NOT_HANDED_ON}
        for name in _LISTS_OF_FOLDERS:
            folders = _handed_on(self, kept.pop(name, ""), int(time.monotonic() / _REMEMBERED_S))
            if folders:  # an empty list is the folder that a program stands in, none is the system's own
                kept[name] = folders
        return kept

    @contextmanager
    def alone(self) -> Iterator[None]:
        """In an empty folder and with that environment: for libraries that look for settings and programs around them.

        This is the whole process's, which therefore does nothing else meanwhile.
        """
        before = dict(os.environ)
        handed_on = self.environment()
        with tempfile.TemporaryDirectory(prefix="warplens-") as empty, chdir(empty):
            _become(handed_on)
            try:
                yield
            finally:
                _become(before)

    def bring_along(self, program: str | Path) -> bool:
        """Whether a program lies in a folder of the workspace, or right in one around it, or is found by way of one."""
        way = [*way_to(program)]
        if any(place in self.folders or _identity(place) in self._identities for place in way):
            return True
        around = way[-1].parent if way else None
        return around is not None and around != around.parent and any(around in each.parents for each in self.folders)


ANYWHERE = Programs(frozenset(), frozenset())
"""Where there is no workspace, as in a measuring kit of our own."""


@lru_cache(maxsize=64)
def _handed_on(programs: Programs, folders: str, _period: int) -> str:
    """A list of folders without those that are relative or lead into the workspace."""
    kept = [
        folder
        for folder in folders.split(os.pathsep)
        if os.path.isabs(folder) and not programs.bring_along(os.path.join(folder, "any"))  # noqa: PTH117, PTH118 - text of the environment
    ]
    return os.pathsep.join(kept)


def _become(environment: dict[str, str]) -> None:
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)


def _on_path(names: Sequence[str]) -> Iterator[str]:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if os.path.isabs(folder):  # noqa: PTH117 - asked of each folder and name
            for name in names:
                path = os.path.join(folder, name)  # noqa: PTH118 - as above
                if os.access(path, os.X_OK) and os.path.isfile(path):  # noqa: PTH113 - as above
                    yield path


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _real(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None
