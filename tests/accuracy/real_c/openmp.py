"""OpenMP loop directives in preprocessed text, where macros and `_Pragma` have become `#pragma` lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp[ \t]+([^\n]*)", re.MULTILINE)
_WORD = re.compile(r"[ \t,]*([a-z]+)")
_COLLAPSE = re.compile(r"\bcollapse\s*\(\s*(\d+)\s*\)")
_LOOP = re.compile(r"\bfor\b")
_NAMES = frozenset(("parallel", "for", "simd", "target", "teams", "distribute", "taskloop", "loop", "master", "masked"))
_SHARES_A_LOOP = frozenset(("for", "distribute", "taskloop", "loop"))


@dataclass(frozen=True, slots=True)
class LoopDirective:
    """A directive that says that the iterations of the loops below it may run at the same time."""

    text: str
    name: str
    collapse: int = 1


@dataclass(frozen=True, slots=True)
class Mark:
    """A directive at an offset, and where its `for` stands."""

    directive: LoopDirective
    offset: int
    loop_offset: int


def loop_directive(pragma: str) -> LoopDirective | None:
    """Read the line of a pragma; None when it shares out no loop (`simd` alone promises less).

    >>> loop_directive("#pragma omp parallel  for collapse(2) private(j)")
    LoopDirective(text='parallel for collapse(2) private(j)', name='parallel for', collapse=2)
    >>> loop_directive("#pragma omp parallel private(for_all)") is None
    True
    """
    match = _PRAGMA.match(pragma)
    if match is None:
        return None
    content = " ".join(match[1].split())
    words: list[str] = []
    at = 0
    while (word := _WORD.match(content, at)) and word[1] in _NAMES:
        words.append(word[1])
        at = word.end()
    if not _SHARES_A_LOOP & set(words):
        return None
    collapse = _COLLAPSE.search(content)
    return LoopDirective(content, " ".join(words), int(collapse[1]) if collapse else 1)


def marks(text: str) -> tuple[Mark, ...]:
    """All loop directives of a preprocessed text, in order."""
    found: list[Mark] = []
    for pragma in _PRAGMA.finditer(text):
        directive = loop_directive(pragma.group())
        loop = _LOOP.search(text, pragma.end()) if directive is not None else None
        if directive is not None and loop is not None:
            found.append(Mark(directive, pragma.start(), loop.start()))
    return tuple(found)
