"""Words of a directive that the file has macros for: the preprocessor replaces them in directives too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from warplens.analysis.text.file_text import KEPT_TEXTS, without_comments

_MACRO = re.compile(r"^[ \t]*#[ \t]*(define|undef)[ \t]+(\w+)(\(?)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*(\()?")


def replaced_word(source: str, before: int, lines: Iterable[str]) -> str:
    """The first word of the lines that is a macro's name at an offset of the source; empty if none is.

    >>> replaced_word("#define map(f, x) f(x)", 22, ["#pragma omp target map(to: a[0:n])"])
    'map'
    >>> replaced_word("#define max(a, b) a", 19, ["#pragma omp target reduction(max: s)"])
    ''
    """
    macros: dict[str, bool] = {}
    for end, directive, name, takes_arguments in _macro_lines(source):
        if end > before:
            break
        if directive == "define":
            macros[name] = takes_arguments
        else:
            macros.pop(name, None)
    for line in lines:
        for word in _WORD.finditer(line):
            name = word[0].removesuffix("(")
            if name in macros and (word[1] or not macros[name]):
                return name
    return ""


@lru_cache(KEPT_TEXTS)
def _macro_lines(source: str) -> tuple[tuple[int, str, str, bool], ...]:
    """Of each `#define` and `#undef`: where its beginning ends, which it is, the name, whether it takes arguments."""
    found = _MACRO.finditer(without_comments(source))
    return tuple((match.end(), match[1], match[2], bool(match[3])) for match in found)
