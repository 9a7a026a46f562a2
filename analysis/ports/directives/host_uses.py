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
        start = _start_of_operand(texts, number)
        is_element = start < number or after in {"[", "->"}
        end = _end_of_operand(texts, number)
        is_changed = _text(texts, end) in _CHANGES or _text(texts, start - 1) in {"++", "--", "&"}
        yield HostUse(word, at, "element" if is_element else "name", is_element and not is_changed)


def _start_of_operand(texts: Sequence[str], at: int) -> int:
    """Where the `*` begin by which a name is looked through, with brackets in between; the name itself without them."""
    start = at
    while _text(texts, start - 1) in {"*", "("}:
        start -= 1
    while start < at and not (texts[start] == "*" and _is_unary(texts, start)):
        start += 1
    return start


def _is_unary(texts: Sequence[str], at: int) -> bool:
    before = _text(texts, at - 1)
    is_operand = before in {")", "]"} or before[:1].isalnum() or before[:1] == "_"
    return not is_operand or before in _BEFORE_AN_OPERAND


def _end_of_operand(texts: Sequence[str], at: int) -> int:
    """Behind a name, its subscripts and members, and what closes brackets around them."""
    depth, end = 0, at + 1
    while end < len(texts):
        depth += (texts[end] == "[") - (texts[end] == "]")
        is_member = texts[end] in _MEMBER or texts[end - 1] in _MEMBER
        if depth == 0 and texts[end] not in {"]", ")"} and not is_member:
            break
        end += 1
    return end


def _text(texts: Sequence[str], at: int) -> str:
    return texts[at] if 0 <= at < len(texts) else ""
