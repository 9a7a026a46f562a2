"""Words of a directive that the file has macros for: the preprocessor replaces them in directives too."""

from __future__ import annotations

import re
from collections.abc import Iterable

from warplens.analysis.text.tokens import comments

_MACRO = re.compile(r"^[ \t]*#[ \t]*(define|undef)[ \t]+(\w+)(\(?)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*(\()?")


def replaced_word(source: str, before: int, lines: Iterable[str]) -> str:
    """The first word of the lines that is a macro's name at an offset of the source; empty if none is.

    >>> replaced_word("#define map(f, x) f(x)", 22, ["#pragma omp target map(to: a[0:n])"])
    'map'
    >>> replaced_word("#define max(a, b) a", 19, ["#pragma omp target reduction(max: s)"])
    ''
    """
    hidden = {at + inside for at, comment in comments(source) for inside in range(len(comment))}
    macros: dict[str, bool] = {}
    for match in _MACRO.finditer(source, 0, before):
        if match.start(1) in hidden:
            continue
        if match[1] == "define":
            macros[match[2]] = bool(match[3])
        else:
            macros.pop(match[2], None)
    for line in lines:
        for word in _WORD.finditer(line):
            name = word[0].removesuffix("(")
            if name in macros and (word[1] or not macros[name]):
                return name
    return ""
