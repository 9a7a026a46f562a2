"""The parser's tokens read in one pass over the text; text with anything unusual in it is left to pycparser's lexer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal, NoReturn

from pycparser.c_lexer import CLexer, Token

Dialect = Literal["legacy", "c23"]

_TOKEN = re.compile(
    r"""\n|[A-Za-z_$][\w$]*(?!['"\w$])|(?:u8|[LuU])?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|[A-Za-z_$][\w$]*"""
    r"""|\.?\d(?:[eEpP][+-]|[\w.]|'(?=\w))*|//|/\*|#[^\n]*"""
    r"""|->|\+\+|--|<<=|>>=|[<>=!+\-*/%&|^]=|&&|\|\||<<|>>|\.\.\.|::|\S""",
    re.ASCII,
)
_PRAGMA = re.compile(r"#[ \t]*(pragma)(?!\w)[ \t]*([^\n]*)")
_UNUSUAL = re.compile(r"\[\s*\[|[^\S \t\f\v\n]")
"""A C23 attribute, or white space that the lexer refuses."""
_REMEMBERED = 50_000


class TokenReader:
    """What `CParser` asks of a lexer: the tokens, places and errors are those that pycparser's own lexer gives."""

    def __init__(self, error_func: Callable[[str, int, int], None], *, dialect: Dialect = "legacy") -> None:
        self._lexer = CLexer(error_func, dialect=dialect)
        self._dialect: Dialect = dialect
        self._read: Iterator[Token] | None = None

    @property
    def filename(self) -> str:
        """Name of the text, as its line directives have it."""
        return str(self._lexer.filename)

    def input(self, text: str, filename: str = "") -> None:
        """Start on a text."""
        self._lexer.input(text, filename)
        tokens = _tokens(text, filename, self._dialect)
        self._read = None if tokens is None else iter(tokens)

    def token(self) -> Token | None:
        """The next token, None at the end."""
        return self._lexer.token() if self._read is None else next(self._read, None)


def _tokens(text: str, filename: str, dialect: Dialect) -> list[Token] | None:
    """All tokens of a text, None where pycparser's lexer has to look at it."""
    if _UNUSUAL.search(text):
        return None
    found: list[Token] = []
    kinds: dict[str, str] = {}
    line, before_line = 1, -1
    for match in _TOKEN.finditer(text):
        word = match.group()
        if word == "\n":
            line += 1
            before_line = match.start()
            continue
        kind = kinds.get(word)
        if kind is None:
            kind = kinds[word] = _kind(word, dialect)
        if kind:
            found.append(Token(kind, word, line, match.start() - before_line, filename))
        else:
            pragma = _PRAGMA.fullmatch(word)
            if pragma is None or match.end() == len(text):
                return None
            at = match.start() - before_line
            found.append(Token("PPPRAGMA", pragma[1], line, at + pragma.start(1), filename))
            if pragma[2]:
                found.append(Token("PPPRAGMASTR", pragma[2], line, at + pragma.start(2), filename))
    return found


@lru_cache(_REMEMBERED)
def _kind(word: str, dialect: Dialect) -> str:
    """What pycparser's lexer takes a word for by itself; empty where it takes it for no single token.

    >>> _kind("0x10u", "legacy"), _kind("bool", "legacy"), _kind("bool", "c23"), _kind("09", "c23")
    ('INT_CONST_HEX', 'ID', '_BOOL', '')
    """
    if word[0] == "#":
        return ""
    lexer = CLexer(_refuse, dialect=dialect)
    lexer.input(word)
    try:
        token = lexer.token()
        is_whole = token is not None and token.value == word and lexer.token() is None
        return str(token.type) if is_whole else ""
    except ValueError:
        return ""


def _refuse(message: str, line: int, column: int) -> NoReturn:
    del line, column
    raise ValueError(message)
