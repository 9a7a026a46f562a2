"""Which files of a folder may be in one program: a folder with several `main`s has several that share files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

MAIN = "main"


@dataclass(frozen=True, eq=False)
class Programs:
    """Files by path: `defined` are the functions that each has for others, `called` those that it calls by name."""

    defined: Mapping[str, frozenset[str]]
    called: Mapping[str, frozenset[str]]

    @cached_property
    def _defining(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path, names in self.defined.items():
            for name in names:
                found.setdefault(name, []).append(path)
        return found

    def defining(self, name: str) -> tuple[str, ...]:
        """The files that have a function of a name for others, in the order of the files."""
        return tuple(self._defining.get(name, ()))

    def definition(self, path: str, name: str) -> str | None:
        """The file with the function that a file means by a name: the only one, else the only one in its folder."""
        files = self._defining.get(name, [])
        if len(files) > 1:
            files = [other for other in files if _folder(other) == _folder(path)]
        return files[0] if len(files) == 1 else None

    @cached_property
    def _mains(self) -> list[frozenset[str]]:
        """Files that each file with a `main` leads to by calls, through every definition that may be meant."""
        found: list[frozenset[str]] = []
        for main in self._defining.get(MAIN, ()):
            files, waiting = {main}, [main]
            while waiting:
                for name in self.called.get(waiting.pop(), frozenset()):
                    for other in self._defining.get(name, ()) if name != MAIN else ():
                        if other not in files:
                            files.add(other)
                            waiting.append(other)
            found.append(frozenset(files))
        return found

    @cached_property
    def _groups(self) -> dict[str, frozenset[int]]:
        """By file the numbers of the programs that it is in."""
        found: dict[str, set[int]] = {}
        for number, files in enumerate(self._mains):
            for path in files:
                found.setdefault(path, set()).add(number)
        return {path: frozenset(numbers) for path, numbers in found.items()}

    def may_meet(self, path: str, other: str) -> bool:
        """Whether two files may be in one program.

        They are not where both define a function, and where programs have the one and only others have the other.
        """
        if self.is_one or path == other or path not in self.defined:
            return True
        mine, others = self._groups.get(path), self._groups.get(other)
        if mine is not None and others is not None and mine.isdisjoint(others):
            return False
        return self.defined[path].isdisjoint(self.defined.get(other, frozenset()))

    def group(self, path: str) -> str:
        """A name for the files that may meet a file, the same for files that meet the same ones."""
        if self.is_one:
            return ""
        meeting = self._meeting.get(path)
        if meeting is None:
            meeting = self._meeting[path] = frozenset(other for other in self.defined if self.may_meet(path, other))
        return self._names.setdefault(meeting, path)

    @cached_property
    def is_one(self) -> bool:
        """Whether all files are of one program, or of none."""
        return len(self._mains) <= 1 and all(len(files) == 1 for files in self._defining.values())

    @cached_property
    def _meeting(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _names(self) -> dict[frozenset[str], str]:
        return {}


def _folder(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[0]
