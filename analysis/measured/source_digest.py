"""Digests that tell whether text changed since it was run: comments and the length of blanks do not count, lines do."""

from __future__ import annotations

import hashlib

from warplens.analysis.text.loop_places import FunctionPlace
from warplens.analysis.text.tokens import blank, comments

_DIGEST_LENGTH = 16


def without_comments(source: str) -> str:
    """The text with its comments blanked; offsets and lines stay."""
    pieces: list[str] = []
    at = 0
    for start, comment in comments(source):
        pieces += [source[at:start], blank(comment)]
        at = start + len(comment)
    return "".join((*pieces, source[at:]))


def text_digest(code: str) -> str:
    r"""Digest of text without comments.

    >>> text_digest("int  i;\n") == text_digest("\tint i;") != text_digest("int\ni;")
    True
    """
    lines = "\n".join(" ".join(line.split()) for line in code.split("\n")).strip("\n")
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]


def function_digest(code: str, function: FunctionPlace) -> str:
    """Digest of a function's definition in text without comments."""
    return text_digest(code[function.whole.start : function.whole.end])
