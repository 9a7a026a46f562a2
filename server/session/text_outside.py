"""What stands outside of functions and may change what was found in them: all but ordinary comments and empty lines."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import comments

_SAYS_SOMETHING = "warplens:"


def meaning_outside(text: str, functions: Iterable[Span]) -> tuple[str, ...]:
    """The parts of a text between the functions, so written that equal ones mean the same.

    A comment that begins outside and takes in some of a function stays: it takes code away.
    """
    spans = sorted(functions, key=lambda span: span.start)
    pieces: list[str] = []
    at = 0
    for start, comment in comments(text):
        end = start + len(comment)
        is_ordinary = _SAYS_SOMETHING not in comment and all(end <= s.start or s.end <= start for s in spans)
        if start >= at and is_ordinary:
            pieces += [text[at:start], " " * len(comment)]
            at = end
    plain = "".join((*pieces, text[at:]))
    starts, ends = (0, *(span.end for span in spans)), (*(span.start for span in spans), len(text))
    return tuple(_with_plain_lines(plain[start:end]) for start, end in zip(starts, ends, strict=True))


def _with_plain_lines(text: str) -> str:
    """Without empty lines and blanks at both ends of lines; what a backslash continues stays as it is."""
    if "\\" in text:
        return text
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())
