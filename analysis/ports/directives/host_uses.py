"""What the host's statements do with memory: uses of arrays by name, of what else pointers lead to, and calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.c.math_calls import math_function
from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import tokenise

_KEYWORDS = frozenset(("for", "if", "return", "sizeof", "switch", "while"))
_BEFORE_AN_OPERAND = frozenset(("return", "else", "do", "case"))
_CHANGES = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))
_MEMBER = frozenset((".", "->"))


@dataclass(frozen=True, slots=True)
class HostUse:
    """`name` is used at an offset of the source: as an array or pointer is, or called.

    `is_read`: an element of it is read and no more. What names a pointer alone may do anything with it.
    """

    name: str
    at: int
    kind: Literal["name", "element", "call"]
    is_read: bool = False


def host_uses(source: str, inside: Span, elsewhere: Sequence[Span]) -> Iterator[HostUse]:
    """Uses in a span of the source outside of other spans, in their order."""
    tokens = tokenise(code_of(source), inside.start, inside.end)
    texts = tokens.texts
    for number, word in enumerate(texts):
        at = tokens.starts[number]
        before, after = _text(texts, number - 1), _text(texts, number + 1)
        is_name = word[0].isalpha() or word[0] == "_"
        if not is_name or before in _MEMBER or any(span.start <= at < span.end for span in elsewhere):
            continue
        if after == "(":
            if word not in _KEYWORDS and math_function(word) is None:
                yield HostUse(word, at, "call")
            continue
        start, end, is_element = _operand(texts, number)
        is_changed = _text(texts, end) in _CHANGES or _text(texts, start - 1) in {"++", "--", "&"}
        yield HostUse(word, at, "element" if is_element else "name", is_element and not is_changed)


def _operand(texts: Sequence[str], at: int) -> tuple[int, int, bool]:
    """Where what a name is the base of begins, what is behind it, and whether it is looked through the name there.

    All of `*(p + 1)`, `(*p)[2]` and `p->m` for `p`.
    """
    start, end, is_element = at, _end_of_steps(texts, at + 1), _text(texts, at + 1) in {"[", "->"}
    while True:
        while _text(texts, start - 1) == "*" and _is_unary(texts, start - 1):
            start, is_element = start - 1, True
        group = _brackets_around(texts, start, end)
        if group is None:
            return start, end, is_element
        opening, closing = group
        is_looked_through = _text(texts, closing + 1) in {"[", "->"} or (
            _text(texts, opening - 1) == "*" and _is_unary(texts, opening - 1)
        )
        if not is_looked_through and not is_element:
            return start, end, is_element
        start, end = opening, _end_of_steps(texts, closing + 1)
        is_element = is_element or is_looked_through


def _brackets_around(texts: Sequence[str], start: int, end: int) -> tuple[int, int] | None:
    """The `(` and `)` right around a part of an expression, None where there are none or they are those of a call."""
    opening, depth = start - 1, 0
    while opening >= 0 and (depth or texts[opening] != "("):
        if texts[opening] in {";", "{", "}", "[", ","} and depth == 0:
            return None
        depth += (texts[opening] == ")") - (texts[opening] == "(")
        opening -= 1
    closing, depth = end, 0
    while closing < len(texts) and (depth or texts[closing] != ")"):
        if texts[closing] in {";", "{", "}", "]", ","} and depth == 0:
            return None
        depth += (texts[closing] == "(") - (texts[closing] == ")")
        closing += 1
    before = _text(texts, opening - 1)
    is_call = before[:1].isalpha() or before[:1] == "_" or before in {")", "]"}
    return None if opening < 0 or closing == len(texts) or is_call else (opening, closing)


def _is_unary(texts: Sequence[str], at: int) -> bool:
    before = _text(texts, at - 1)
    is_operand = before in {")", "]"} or before[:1].isalnum() or before[:1] == "_"
    return not is_operand or before in _BEFORE_AN_OPERAND


def _end_of_steps(texts: Sequence[str], end: int) -> int:
    """Behind subscripts and members."""
    depth = 0
    while end < len(texts):
        depth += (texts[end] == "[") - (texts[end] == "]")
        is_member = texts[end] in _MEMBER or texts[end - 1] in _MEMBER
        if depth == 0 and texts[end] != "]" and not is_member:
            break
        end += 1
    return end


def _text(texts: Sequence[str], at: int) -> str:
    return texts[at] if 0 <= at < len(texts) else ""
