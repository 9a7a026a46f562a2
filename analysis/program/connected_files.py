"""Which files of a folder may be in one program with some of them, by the names that they share.

Files hang together where one uses what the other defines and it does not define itself. So two programs that lie in one
folder, each with a `main` and a function `run` of its own, stay apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from warplens.analysis.c.c_library import library_call
from warplens.analysis.program.linked_names import LinkedNames

_ENTRY = "main"


def connected_files(
    files: Mapping[str, LinkedNames], headers: Mapping[str, LinkedNames], asked: Collection[str]
) -> frozenset[str]:
    """Those of `files` that hang together with the ones that are `asked` for, directly or by others.

    `headers` are by the last part of their names, those of one name joined. A file hangs together with what it
    includes.
    """
    used = {path: _used(names, headers) for path, names in files.items()}
    definers: dict[str, set[str]] = {}
    includers: dict[str, set[str]] = {}
    for path, names in files.items():
        for name in names.may_define:
            if name != _ENTRY and library_call(name) is None:
                definers.setdefault(name, set()).add(path)
        for name in names.includes:
            includers.setdefault(name, set()).add(path)
    users: dict[str, set[str]] = {}
    for path, names_used in used.items():
        for name in names_used & definers.keys():
            users.setdefault(name, set()).add(path)
    found = set(asked) & files.keys()
    waiting = list(found)
    while waiting:
        path = waiting.pop()
        names = files[path]
        near = {other for name in used[path] & definers.keys() - names.owns for other in definers[name]}
        near |= {
            other for name in names.may_define & users.keys() for other in users[name] if name not in files[other].owns
        }
        last = path.replace("\\", "/").rpartition("/")[2]
        near |= includers.get(last, set())
        near |= {other for other in files if other.replace("\\", "/").rpartition("/")[2] in names.includes}
        waiting += near - found
        found |= near
    return frozenset(found)


def _used(names: LinkedNames, headers: Mapping[str, LinkedNames]) -> frozenset[str]:
    """What a file may use of others: what it calls, and what it names that is declared."""
    reached: dict[str, LinkedNames] = {}
    waiting = [*names.includes]
    while waiting:
        name = waiting.pop()
        if name in headers and name not in reached:
            reached[name] = headers[name]
            waiting += headers[name].includes
    every = (names, *reached.values())
    declared = frozenset().union(*(one.declares for one in every))
    # what a header has in brackets outside of bodies are prototypes
    called = names.calls | frozenset().union(*(one.calls & one.says for one in reached.values()))
    said = frozenset().union(*(one.says for one in every))
    return called | (said & declared)
