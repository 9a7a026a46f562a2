"""Which headers of a folder are worth a report: those of C with a function that has a loop."""

from __future__ import annotations

import re
from pathlib import Path

from warplens.analysis.frontend.preprocessing.cpp_header import is_cpp
from warplens.analysis.text.tokens import without_comments_and_directives
from warplens.server.files.regular_file import read_regular
from warplens.server.files.source_file import decode

_MOST_BYTES = 5_000_000
"""Headers that are larger hold tables, or were written by a program."""
_LOOP = re.compile(r"\b(?:for|while)\s*\(|\bdo\s*\{")
_LITERAL = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""")
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:(ifn?def|if)\b([^\n]*)|(elif|else)\b|(endif)\b)", re.MULTILINE)
_ONLY_CPP = re.compile(r"\s*(?:defined\b)?[\s(]*__cplusplus\b[\s)]*(?:$|/|>|&&)")


def is_header_with_loops(path: Path) -> bool:
    """Whether a header's text has a loop outside of macros and of what is for C++; False where it can't be read."""
    try:
        text = decode(read_regular(path, _MOST_BYTES)).text
    except OSError:
        return False
    if _LOOP.search(text) is None:
        return False
    text = _LITERAL.sub('""', without_comments_and_directives(_without_cpp_parts(text)))
    return _LOOP.search(text) is not None and not is_cpp(text)


def _without_cpp_parts(text: str) -> str:
    r"""The text less what stands between `#ifdef __cplusplus` and its `#else` or `#endif`.

    >>> _without_cpp_parts("#ifdef __cplusplus\nclass A;\n#endif\nint f(void);\n")
    '#endif\nint f(void);\n'
    """
    if "__cplusplus" not in text:
        return text
    kept: list[str] = []
    begin = depth = 0
    skipped_at = -1
    for line in _CONDITION.finditer(text):
        if line[1]:
            depth += 1
            if skipped_at < 0 and line[1] != "ifndef" and _ONLY_CPP.match(line[2]):
                skipped_at = depth
                kept.append(text[begin : line.start()])
        elif depth == skipped_at:
            skipped_at = -1
            begin = line.start()
        depth -= bool(line[4])
    return "".join((*kept, text[begin:] if skipped_at < 0 else ""))
