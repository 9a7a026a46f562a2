"""The declaration of a function's variable in the text, and how it moves into a loop's body."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.ports.restructure.loop_text import EditRefusedError, has_directive
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import Tokens, comments, tokenise, without_comments_and_directives

_WORD = re.compile(r"[A-Za-z_]\w*")
_KEPT = frozenset(
    ("static", "extern", "register", "volatile", "const", "typedef", "return", "_Atomic", "goto", "_Alignas")
)
_EFFECTS = frozenset(("(", "++", "--", "+=", "-=", "*=", "/="))


@dataclass(frozen=True, slots=True)
class Declarator:
    """One of the variables of a declaration: `*p = 0` has the name `p` and the text `*p` without its initialiser."""

    name: str
    text: str
    whole: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """`type a, *b, c[3];` by absolute span; `declarators_span` is what stands between the type and the semicolon."""

    span: Span
    declarators_span: Span
    type: str
    declarators: tuple[Declarator, ...]


def declaration_of(source: str, function: Span, name: str) -> Declaration:
    """The only declaration of a variable in a function's body, at the first place where it is named.

    Raises EditRefusedError where it is not written out as type and names, or has storage that the move would change.
    """
    code = without_comments_and_directives(source[function.start : function.end])
    opened = code.find("{")
    tokens = tokenise(code, opened + 1)
    first = next((at for at, word in enumerate(tokens.texts) if word == name), None)
    if opened < 0 or first is None:
        raise EditRefusedError(f"`{name}` is not declared in this function")
    begin = first
    while begin and tokens.texts[begin - 1] not in {";", "{", "}"}:
        begin -= 1
    end = first
    while end < len(tokens.texts) and tokens.texts[end] != ";":
        end += 1
    span = Span(tokens.starts[begin] + function.start, tokens.ends[min(end, len(tokens.ends) - 1)] + function.start)
    if comments(source[span.start : span.end]) or has_directive(source, span):
        raise EditRefusedError(f"comments or preprocessor lines stand in the declaration of `{name}`")
    return _parsed(source, function.start, tokens, range(begin, end), span, name)


def _parsed(source: str, base: int, tokens: Tokens, places: range, span: Span, name: str) -> Declaration:
    refusal = EditRefusedError(f"the declaration of `{name}` is not just a type and names")
    parts: list[range] = []
    depth, first = 0, places.start
    for at in places:
        depth += (tokens.texts[at] in "([{") - (tokens.texts[at] in ")]}")
        if tokens.texts[at] == "," and not depth:
            parts.append(range(first, at))
            first = at + 1
    parts.append(range(first, places.stop))
    names = []
    for part in parts:
        own = [at for at in part if at < _suffix_start(tokens, part)]
        if not own or not _WORD.fullmatch(tokens.texts[own[-1]]):
            raise refusal
        names.append(own[-1])
    start = names[0]
    while start > places.start and tokens.texts[start - 1] == "*":
        start -= 1
    words = tokens.texts[places.start : start]
    if not words or not all(map(_WORD.fullmatch, words)) or not _KEPT.isdisjoint(words):
        raise refusal
    declarators = []
    for number, (part, at) in enumerate(zip(parts, names, strict=True)):
        begin = start if number == 0 else part.start
        if any(tokens.texts[other] != "*" for other in range(begin, at)):
            raise refusal
        end = next((other for other in part if tokens.texts[other] == "="), part.stop)
        if tokens.texts[at] == name and not _EFFECTS.isdisjoint(tokens.texts[end : part.stop]):
            raise EditRefusedError(f"the initialiser of `{name}` may do more than set it")
        declarators.append(
            Declarator(
                tokens.texts[at],
                source[base + tokens.starts[begin] : base + tokens.ends[end - 1]],
                source[base + tokens.starts[begin] : base + tokens.ends[part.stop - 1]],
            )
        )
    if not any(declarator.name == name for declarator in declarators):
        raise refusal
    inside = Span(base + tokens.starts[start], span.end - 1)
    kind = source[span.start : base + tokens.ends[start - 1]]
    return Declaration(span, inside, kind, tuple(declarators))


def _suffix_start(tokens: Tokens, part: range) -> int:
    """Token of a declarator's brackets or initialiser."""
    return next((at for at in part if tokens.texts[at] in {"[", "="}), part.stop)
