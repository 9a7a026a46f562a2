"""Functions of a program by name, each with the one definition that a call in another file means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from warplens.analysis.program.called_part import CalledPart, called_part
from warplens.analysis.program.file_definitions import FileDefinitions

_MOST_NAMED = 3
"""Files that are named as those which define one function."""


@dataclass(frozen=True, eq=False, slots=True)
class Definitions:
    """`files` has for each function of the program the file that defines it; `unseen` says of others why it has none.

    What `unseen` says is a predicate: "is defined in a.c and in b.c".
    """

    files: Mapping[str, FileDefinitions] = field(default_factory=dict)
    unseen: Mapping[str, str] = field(default_factory=dict)

    def of(self, function: str, caller_path: str) -> FileDefinitions | None:
        """The file that defines a function, if it is another one than the caller's."""
        found = self.files.get(function)
        return None if found is None or found.path == caller_path else found


def link_definitions(files: Iterable[FileDefinitions]) -> Definitions:
    """The functions of these files by name. One that several define has none, unless all say the same.

    A `static` function is no file's for others. A folder may hold several programs, or one file in two versions: which
    definition the build takes is not known, so that none is taken.
    """
    defined: dict[str, list[FileDefinitions]] = {}
    for file in files:
        for name in (*file.functions, *file.unusable):
            defined.setdefault(name, []).append(file)
    linked: dict[str, FileDefinitions] = {}
    unseen: dict[str, str] = {}
    for name, found in defined.items():
        first = found[0]
        if len(found) == 1 and name in first.functions:
            linked[name] = first
        elif len(found) == 1:
            unseen[name] = first.unusable[name]
        elif all(name in file.functions for file in found) and _say_the_same(name, found):
            linked[name] = first
        else:
            unseen[name] = f"is defined in {_named(found)}"
    return Definitions(linked, unseen)


def _say_the_same(name: str, files: Sequence[FileDefinitions]) -> bool:
    """Whether all have the function in the same words, and all that it needs; none may keep something of its own."""
    parts = [called_part(file, name) for file in files]
    return all(_texts(part) == _texts(parts[0]) for part in parts) and not any(part.own_objects for part in parts)


def _texts(part: CalledPart) -> list[tuple[str, str]]:
    every = (one.declaration for one in part.members)
    return [(one.text, one.definition.text if one.definition else "") for one in every]


def _named(files: Sequence[FileDefinitions]) -> str:
    """The files, by their own names where these differ, else by what their paths do not share."""
    names = [file.name for file in files]
    if len(set(names)) < len(names):
        parts = [re.split(r"[/\\]", file.path) for file in files]
        shared = next((n for n, each in enumerate(zip(*parts, strict=False)) if len(set(each)) > 1), 0)
        names = ["/".join(each[shared:]) for each in parts]
    more = len(names) - _MOST_NAMED
    listed = " and in ".join(f"`{name}`" for name in names[:_MOST_NAMED])
    return f"{listed} and in {more} more files" if more > 0 else listed
