"""The C function around a nest: whether the port can take its place, with its own parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.ports.cuda.names import words
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.text.tokens import without_comments_and_directives

_BUILTIN = words("const unsigned signed char short int long float double void")
_STORAGE = words("static inline extern")
_NAME = re.compile(r"([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)$")
_DECLARATION = re.compile(r"(?!return\b|goto\b|else\b)[A-Za-z_]\w*[\s*]+[A-Za-z_][\w\s*,\[\]]*")
_END = re.compile(r"\s*(?:return\s*;)?\s*")


@dataclass(frozen=True, slots=True)
class OwnParameter:
    """A parameter as the function declares it: `text` is all of it, `cuda_type` how C++ spells it (empty: unknown)."""

    name: str
    text: str
    cuda_type: str


def own_parameters(context: FixContext) -> tuple[OwnParameter, ...] | None:
    """Parameters of a function that returns nothing and whose body is the nest and declarations; None of another one.

    Read from the text, with comments out of the way: what is not certain to be so simple is not.
    """
    if not context.is_only_nest:
        return None
    spans, base = dict(context.spans.whole), context.spans.base
    root = context.evaluation.facts.nest.root.id
    if root not in spans or root in context.spans.in_macro:
        return None
    nest = spans[root].shifted(base)
    head = context.source[context.function_span.start : nest.start]
    tail = context.source[nest.end : context.function_span.end]
    if re.search(r"^[ \t]*#[ \t]*(?!pragma)", head + tail, re.MULTILINE):
        return None
    head, tail = without_comments_and_directives(head), without_comments_and_directives(tail)
    header, brace, before = head.partition("{")
    after, closing, rest = tail.rpartition("}")
    if not brace or not closing or rest.strip():
        return None
    *declarations, left = before.split(";")
    if left.strip() or not all(_DECLARATION.fullmatch(one.strip()) for one in declarations):
        return None
    if not _END.fullmatch(after):
        return None
    return _parameters(header, context.function)


def _parameters(header: str, function: str) -> tuple[OwnParameter, ...] | None:
    found = re.match(rf"([\w\s]*?)\b{re.escape(function)}\s*\((.*)\)\s*$", header, re.DOTALL)
    if found is None or set(found[1].split()) - _STORAGE != {"void"}:
        return None
    inside = found[2].strip()
    if inside in {"", "void"}:
        return ()
    parameters: list[OwnParameter] = []
    for text in _split(inside):
        name = _NAME.search(text)
        if name is None or "(" in text:
            return None
        words = " ".join(text.split())
        parameters.append(OwnParameter(name[1], words, _cuda_type(text[: name.start()], name[2])))
    return tuple(parameters)


def _split(inside: str) -> list[str]:
    parts, depth = [""], 0
    for character in inside:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _cuda_type(before: str, dimensions: str) -> str:
    words = re.sub(r"\b(?:__)?restrict(?:__)?\b", " ", before).replace("*", " ").split()
    if not words or not set(words) <= _BUILTIN:
        return ""
    stars = "*" * (before.count("*") + bool(dimensions))
    return f"{' '.join(words)}{' ' + stars if stars else ''}"
