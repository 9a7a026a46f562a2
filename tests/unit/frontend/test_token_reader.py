"""The tokens that the parser reads are those of pycparser's own lexer: kinds, texts, places and errors."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycparser.c_lexer import CLexer
from warplens.analysis.frontend.declarations.token_reader import TokenReader

Dialect = Literal["legacy", "c23"]

PIECES = (
    "x", "$a", "L", "u8", "true", "_Bool", '"a\\n"', '"\\q"', '"', "'a'", "'\\0'", "'abcde'", "'", "L'x'", 'u8"s"', "é",
    "0x1e+3", "1e+3", "1.5f", ".5", "1.", "..", "...", "1'000", "09", "08.5", "1u", "#pragma omp for", "#pragma", "#",
    '# 1 "f.h"', "#line 3", "##", "/", "//", "/*", "[", "[[", "]", " ", "\t", "\f", "\r", "\n", "::", ":", "<<=", "->",
    "-", ">", "=", "+", "\\", "@", "  #  pragma  y z ",
)  # fmt: skip


def read(lexer: type[CLexer] | type[TokenReader], text: str, dialect: Dialect) -> list[tuple[object, ...]]:
    """All tokens, an error as the last."""
    found: list[tuple[object, ...]] = []

    def fail(message: str, line: int, column: int) -> None:
        found.append((message, line, column))
        raise SyntaxError(message)

    reader = lexer(fail, dialect=dialect)
    reader.input(text, "file.c")
    try:
        while (token := reader.token()) is not None:
            found.append((token.type, token.value, token.lineno, token.column, token.filename))
    except SyntaxError:
        pass
    return found


@given(st.lists(st.sampled_from(PIECES), max_size=9), st.sampled_from(["legacy", "c23"]))
def test_any_text_gives_the_tokens_of_the_lexer(pieces: list[str], dialect: Dialect) -> None:
    text = "".join(pieces)
    assert read(TokenReader, text, dialect) == read(CLexer, text, dialect)


@pytest.mark.parametrize(
    "text",
    [
        "for (int i = 0; i < n; i++)\n    a[i] += 0x1e+3 - .5e-3f * L'x';\n",
        "int f(void)\n{\n#pragma omp parallel for\n  return x->y.z ? 1 : 2;\n}\n",
        '#line 7 "other.c"\nint a [[deprecated]] = 09;\n',
        "#pragma",
    ],
)
def test_a_text_gives_the_tokens_of_the_lexer(text: str) -> None:
    assert read(TokenReader, text, "legacy") == read(CLexer, text, "legacy")
