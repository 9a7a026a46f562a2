"""A C function's head: its type, name and parameters as they are written, to declare others that are called alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import without_comments_and_directives

_NAME = re.compile(r"[A-Za-z_]\w*")
_STORAGE = re.compile(r"\b(?:static|inline|extern|__inline__|__inline)\b")


class SignatureError(Exception):
    """The function can't be called from a generated program; the message says why."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """`declaration` is the parameter as it is written; `is_pointer`: a pointer or an array, handed on as an address."""

    name: str
    declaration: str
    is_pointer: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """`returns` is the type in front of the name, `void` for a function without a result."""

    returns: str
    name: str
    parameters: tuple[Parameter, ...]


def signature_of(source: str, function: str, span: Span) -> Signature:
    """The head of the function defined at `span`; raises SignatureError.

    >>> text = "static double dot(int n, const double *a, double (*b)[n]) { return 0; }"
    >>> head = signature_of(text, "dot", Span(0, len(text)))
    >>> head.returns, [(p.name, p.is_pointer) for p in head.parameters]
    ('double', [('n', False), ('a', True), ('b', True)])
    """
    text = without_comments_and_directives(source[span.start : span.end])
    head = re.search(rf"\b{re.escape(function)}\s*\(", text)
    if head is None:
        raise SignatureError(f"the name of `{function}` comes from a macro")
    end = _closing(text, head.end() - 1)
    parts = [" ".join(part.split()) for part in _at_commas(text[head.end() : end])]
    if not text[end + 1 :].lstrip().startswith("{"):
        raise SignatureError(f"the parameters of `{function}` are declared below its head, or have attributes")
    returns = " ".join(_STORAGE.sub(" ", text[: head.start()]).split())
    if returns.endswith("*"):
        raise SignatureError(f"`{function}` returns a pointer")
    parameters = () if parts in ([""], ["void"]) else tuple(_parameter(part, function) for part in parts)
    return Signature(returns or "int", function, parameters)


def _parameter(text: str, function: str) -> Parameter:
    to_rows = re.fullmatch(r"[\w\s]+\(\s*\*\s*(?:const\s+|restrict\s+)*([A-Za-z_]\w*)\s*\)\s*\[.*", text)
    if to_rows is not None:
        return Parameter(to_rows[1], text, is_pointer=True)
    before = text.partition("[")[0]
    names = _NAME.findall(before)
    if "(" in before or "..." in text or len(names) < 2:
        raise SignatureError(f"the parameter `{text}` of `{function}` is none that random values can be made for")
    return Parameter(names[-1], text, is_pointer="[" in text or "*" in text)


def _closing(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "([") - (text[at] in ")]")
        if depth == 0:
            return at
    raise SignatureError("the function's head has no end")


def _at_commas(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
