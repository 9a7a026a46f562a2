"""What the text of one function says by itself, read once for each text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.frontend.declarations.declared_names import IDENTIFIER, function_name

_LOOP_KEYWORD = re.compile(
    r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*#[^\n]*|\b(?:for|while)\b""", re.MULTILINE
)
_HAS_LOOP = re.compile(r"\b(?:for|while|do)\b")
_WORD = re.compile(rf"({IDENTIFIER.pattern})\s*(\(|=(?!=)|)")
"""An identifier and the sign behind it that says what is done with it."""
_LONGEST_HEAD = 200
"""Characters in which a function's name is looked for when its body was not found."""


@dataclass(frozen=True, slots=True, eq=False)
class FunctionText:
    """A function without line markers, `body` being where its `{` stands (-1 if nowhere).

    `in_body` are the identifiers and keywords of the body, `others` those of the whole but its own name, `called` those
    of the body before a `(`, `assigned` those before a `=`, `plain` those that are before no `(` somewhere. `loops`
    counts loop keywords.
    """

    name: str
    text: str
    body: int
    is_static: bool
    has_loop: bool
    loops: int
    in_body: frozenset[str]
    others: frozenset[str]
    called: frozenset[str]
    assigned: frozenset[str]
    plain: frozenset[str]


def read_function(text: str, body: int) -> FunctionText:
    """Read a function's text, whose `{` stands at `body`, -1 if that was not found."""
    head = text[:body] if body >= 0 else text[:_LONGEST_HEAD]
    name = function_name(head)
    has_loop = may_have_loop(text)
    words = _WORD.findall(text, body) if body >= 0 else []
    return FunctionText(
        name,
        text,
        body,
        "static" in IDENTIFIER.findall(head),
        has_loop,
        loop_keywords(text) if has_loop else 0,
        frozenset(word for word, _ in words),
        frozenset(IDENTIFIER.findall(text)) - {name},
        frozenset(word for word, sign in words if sign == "("),
        frozenset(word for word, sign in words if sign == "="),
        frozenset(word for word, sign in words if sign != "("),
    )


def may_have_loop(text: str) -> bool:
    """Whether a word of the text, perhaps in a literal, is a loop's keyword."""
    return _HAS_LOOP.search(text) is not None


def loop_keywords(text: str) -> int:
    """Number of `for` and `while` outside of literals and directives."""
    return sum(match.group() in {"for", "while"} for match in _LOOP_KEYWORD.finditer(text))
