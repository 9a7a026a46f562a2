"""Directives that stand above a loop already, read from the user's text with the place of each clause."""

from __future__ import annotations

import re

from warplens.analysis.text.directive_text import ExistingDirective, read_directive
from warplens.analysis.text.file_text import without_comments

_PRAGMA = re.compile(r"[ \t]*#[ \t]*pragma[ \t]+(\w+)\b")
_CONDITIONAL = re.compile(r"[ \t]*#[ \t]*(?:endif|else|elif)\b")


def directives_above(source: str, at: int, words: frozenset[str]) -> tuple[ExistingDirective, ...] | None:
    """Directives of OpenMP and OpenACC in the lines above an offset, top to bottom; None: one can't be read.

    `words` are those that constructs are made of. Comments and blank lines in between are passed over.
    """
    hidden = without_comments(source)
    found: list[ExistingDirective] = []
    end = hidden.rfind("\n", 0, at) + 1
    if hidden[end:at].strip():
        return ()
    while end > 0:
        start = _line_start(hidden, end - 1)
        line = hidden[start : end - 1]
        if line.strip():
            pragma = _PRAGMA.match(line)
            if pragma is None:
                break
            if pragma[1] in {"omp", "acc"}:
                directive = read_directive(source, start + pragma.start(1), end - 1, words)
                if directive is None:
                    return None
                found.append(directive)
        end = start
    return tuple(reversed(found))


def is_under_a_condition(source: str, since: int, at: int) -> bool:
    """Whether a directive above an offset stands between `#if` and `#endif`: it is there in some builds only.

    What stands before `since`, the start of the function, is not looked at.
    """
    above = re.sub(r"\\\r?\n", " ", without_comments(source)[since:at]).split("\n")[:-1]
    seen_end = False
    for line in reversed(above):
        if line.strip() and not line.lstrip().startswith("#"):
            break
        seen_end = seen_end or _CONDITIONAL.match(line) is not None
        pragma = _PRAGMA.match(line)
        if seen_end and pragma is not None and pragma[1] in {"omp", "acc"}:
            return True
    return False


def _line_start(source: str, end: int) -> int:
    """Start of the line that ends at an offset, with the lines that it continues."""
    start = source.rfind("\n", 0, end) + 1
    while start and source[:start].rstrip("\r\n").endswith("\\"):
        start = source.rfind("\n", 0, start - 1) + 1
    return start
