"""Which files of a folder may be in one program with some of them, by the names that they share.

Files hang together where one uses what the other defines and it does not define itself. So two programs that lie in one
folder, each with a `main` and a function `run` of its own, stay apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.frontend.declarations.declarators import KEYWORDS
from warplens.analysis.program.linked_names import LinkedNames

_ENTRY = "main"


def connected_files(
    files: Mapping[str, LinkedNames], headers: Mapping[str, LinkedNames], asked: Collection[str]
) -> frozenset[str]:
    """Those of `files` that hang together with the ones that are `asked` for, directly or by others.

    `headers` are by the last part of their names, those of one name joined. A file hangs together with what it
    includes.
    """
    included = {names.includes for names in files.values()}  # most include alike
    together = {includes: _of_headers(includes, headers) for includes in included}
    used = {path: _used(names, together[names.includes]) for path, names in files.items()}
    by_last: dict[str, set[str]] = {}
    for path in files:
        by_last.setdefault(_last(path), set()).add(path)
    definers: dict[str, set[str]] = {}
    includers: dict[str, set[str]] = {}
    for path, names in files.items():
        for name in names.may_define:
            if name != _ENTRY and not _is_of_library(name):
                definers.setdefault(name, set()).add(path)
        for name in names.includes:
            includers.setdefault(name, set()).add(path)
    users: dict[str, set[str]] = {}
    for path, names_used in used.items():
        for name in names_used & definers.keys():
            users.setdefault(name, set()).add(path)
    sure = {name for names in files.values() for name in names.owns & names.may_define}
    open_ = {path: _unmet(used[path] - sure - files[path].owns) for path in files}
    every = ((path, (names, *together[names.includes].headers)) for path, names in files.items())
    pasting = {path: parts for path, each in every if (parts := _pasted_parts(files[path], each))}
    found = set(asked) & files.keys()
    waiting = list(found)
    while waiting:
        path = waiting.pop()
        names = files[path]
        near = {other for name in used[path] - names.owns for other in definers.get(name, ())}
        near |= {
            other for name in names.may_define & users.keys() for other in users[name] if name not in files[other].owns
        }
        near |= {other for other, parts in pasting.items() if _may_make(parts, open_[path])}
        if path in pasting:
            near |= {other for other, asked_for in open_.items() if _may_make(pasting[path], asked_for)}
        near |= includers.get(_last(path), set())
        near |= {other for name in names.includes for other in by_last.get(name, ())}
        waiting += near - found
        found |= near
    return frozenset(found)


def _is_of_library(name: str) -> bool:
    return library_call(name) is not None or math_function(name) is not None


def _unmet(names: Collection[str]) -> frozenset[str]:
    """Those of the names that no file defines that may be some that a macro makes."""
    return frozenset(name for name in names if name not in KEYWORDS and name != _ENTRY and not _is_of_library(name))


def _may_make(parts: Collection[str], names: Collection[str]) -> bool:
    return any(part in name for part in parts for name in names)


def _last(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class _Headers:
    """Headers that are included together, directly or by others, and what they use, say and declare."""

    headers: tuple[LinkedNames, ...]
    used: frozenset[str]
    says: frozenset[str]
    declares: frozenset[str]


def _of_headers(includes: frozenset[str], headers: Mapping[str, LinkedNames]) -> _Headers:
    reached: dict[str, LinkedNames] = {}
    waiting = [*includes]
    while waiting:
        name = waiting.pop()
        if name in headers and name not in reached:
            reached[name] = headers[name]
            waiting += headers[name].includes
    every = tuple(reached.values())
    # what a header has in brackets outside of bodies are prototypes
    called = frozenset[str]().union(*(one.calls & one.says for one in every))
    says = frozenset[str]().union(*(one.says for one in every))
    declares = frozenset[str]().union(*(one.declares for one in every))
    return _Headers(every, called | (says & declares), says, declares)


def _used(names: LinkedNames, around: _Headers) -> frozenset[str]:
    """What a file may use of others: what it calls, and what it names that is declared."""
    said = (names.says & names.declares) | (names.says & around.declares)
    return names.calls | around.used | said | (around.says & names.declares)


def _pasted_parts(names: LinkedNames, every: tuple[LinkedNames, ...]) -> frozenset[str]:
    """Parts of names that macros may define functions of there: `run_` of `DEFINE(fast) { .. }`."""
    return frozenset(part for one in every for macro, part in one.pastes if macro in names.invokes)
