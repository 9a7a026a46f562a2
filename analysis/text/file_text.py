"""What is asked of a whole file's text again for each loop in it: worked out once per text, not once per loop.

Without this the time for a file would grow with the square of its loops.
"""

from __future__ import annotations

from functools import lru_cache

from warplens.analysis.text.tokens import Tokens, blank, comments, tokenise, without_comments_and_directives

KEPT_TEXTS = 4
"""Loops are asked about file by file: one text, and those of a few jobs before."""


@lru_cache(KEPT_TEXTS)
def code_of(source: str) -> str:
    """The file without comments and directives, as `without_comments_and_directives` has it."""
    return without_comments_and_directives(source)


@lru_cache(KEPT_TEXTS)
def tokens_of(source: str) -> Tokens:
    """The tokens of `code_of`."""
    return tokenise(code_of(source))


@lru_cache(KEPT_TEXTS)
def words_of(source: str) -> frozenset[str]:
    """The texts of the tokens of `code_of`."""
    return frozenset(tokens_of(source).texts)


@lru_cache(KEPT_TEXTS)
def without_comments(source: str) -> str:
    """The file with blanks for its comments; directives stay."""
    parts: list[str] = []
    last = 0
    for at, comment in comments(source):
        parts += (source[last:at], blank(comment))
        last = at + len(comment)
    return "".join((*parts, source[last:]))
