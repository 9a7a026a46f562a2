"""C tokens with their offsets, and a text whose comments and directives are blanked."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LITERAL = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
_TOKEN = re.compile(
    _LITERAL
    + r"|[^\W\d][\w$]*|\.?\d(?:[eEpP][+-]|[\w.])*"
    + r"|->|\+\+|--|<<=|>>=|[<>=!+\-*/%&|^]=|&&|\|\||<<|>>|\.\.\.|\S"
)
_COMMENT_OR_LITERAL = re.compile(_LITERAL + r"|//(?:\\\r?\n|[^\n])*|/\*(?s:.*?)(?:\*/|\Z)")
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_CONTINUATION = re.compile(r"\\\r?\n")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Parallel tuples: the tokens' texts, where each starts and where it ends."""

    texts: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def tokenise(text: str, start: int = 0, end: int | None = None) -> Tokens:
    """Tokens of a part of the text; any character that starts no C token is one by itself."""
    matches = list(_TOKEN.finditer(text, start, len(text) if end is None else end))
    return Tokens(tuple(m.group() for m in matches), tuple(m.start() for m in matches), tuple(m.end() for m in matches))


def blank(text: str) -> str:
    """Blank all but newlines, so that offsets and lines stay."""
    if "\n" not in text:  # most comments
        return " " * len(text)
    return "\n".join([" " * len(line) for line in text.split("\n")])


def comments(source: str) -> list[tuple[int, str]]:
    """Comments with their offsets; strings that look like comments are none."""
    if "//" not in source and "/*" not in source:
        return []
    return [(m.start(), m.group()) for m in _COMMENT_OR_LITERAL.finditer(source) if m.group()[0] == "/"]


def without_comments_and_directives(source: str) -> str:
    """Blank comments, preprocessor lines and the backslashes of continued lines; every offset stays valid."""
    if "//" in source or "/*" in source:
        source = _COMMENT_OR_LITERAL.sub(lambda m: blank(m.group()) if m.group()[0] == "/" else m.group(), source)
    if "#" in source:
        source = _DIRECTIVE.sub(lambda m: blank(m.group()), source)
    return _CONTINUATION.sub(lambda m: blank(m.group()), source) if "\\" in source else source
