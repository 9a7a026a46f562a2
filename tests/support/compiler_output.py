"""What the system's compiler makes of C text, without a process where all that it does is to leave out comments.

Most texts of tests have no directive and no macro: a start of the compiler takes as long as their analysis.
`properties/test_compiler_output.py` holds what is made of them here against the compiler's own output.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache

from warplens.analysis.frontend.preprocessing.source import Preprocessed

_COMMAND = ("cc", "-E", "-x", "c", "-std=gnu11", "-fopenmp", "-w", "-")
_COMMENT_OR_LITERAL = re.compile(r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"|'[^'\n]*'", re.DOTALL)
_SPACE_OR_LITERAL = re.compile(r"(?<=[^\s])[ \t]+|\"[^\"\n]*\"|'[^'\n]*'")
"""The compiler writes one space for several, but for those that a line begins with."""
_QUOTES = "\"'"
_NOT_PLAIN = re.compile(r"[^\t\n -~]|[#\\]|\?\?|%:|\b(?:__\w+|_Pragma|linux|unix|i386)\b")
"""Directives, words that may be macros of the compiler, and other spellings of either."""


@cache
def compiler_output(name: str, source: str) -> Preprocessed:
    """`source` preprocessed as the file of this name.

    What the compiler says against the text is left out: half-typed text has an output too.
    """
    marked = f'# 1 "{name}"\n{source}'
    plain = plain_text(source)
    if plain is not None:
        return Preprocessed(f'# 1 "{name}"\n{plain}\n', name)
    run = subprocess.run(_COMMAND, input=marked, capture_output=True, text=True, check=False)
    return Preprocessed(run.stdout, name)


def plain_text(source: str) -> str | None:
    """The text without its comments; None where the compiler may have more to do, or may see comments elsewhere."""
    if _NOT_PLAIN.search(source):
        return None
    code = _COMMENT_OR_LITERAL.sub("", source)
    if "/*" in code or '"' in code or "'" in code:
        return None
    uncommented = _COMMENT_OR_LITERAL.sub(lambda found: _without(found[0]), source)
    return _SPACE_OR_LITERAL.sub(lambda found: found[0] if found[0][0] in _QUOTES else " ", uncommented)


def _without(text: str) -> str:
    """A literal as it is, a comment as a space and the ends of its lines."""
    return text if text[0] in _QUOTES else " " + "\n" * text.count("\n")
