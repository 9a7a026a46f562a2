"""The parameters of a C function, and how many elements are behind its pointers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_QUALIFIERS = {"const", "restrict", "__restrict__", "__restrict", "volatile", "static", "inline", "extern"}


@dataclass(frozen=True)
class Parameter:
    """`type` is that of the value, or of the elements of an array, whose number is the C expression `length`."""

    name: str
    type: str
    length: str = ""

    @property
    def is_array(self) -> bool:
        """Whether memory is handed on."""
        return bool(self.length)


@dataclass(frozen=True)
class Signature:
    """`result` is a type."""

    result: str
    parameters: tuple[Parameter, ...]


def signature(source: str, function: str, lengths: Mapping[str, str]) -> Signature:
    """Of a definition in C text; raises ValueError where the length of an array is not known."""
    found = re.search(rf"^([\w \t*]+?)\b{function}\s*\(([^)]*)\)\s*\{{", source, re.MULTILINE)
    if found is None:
        raise ValueError(f"no definition of {function}")
    parameters = tuple(_parameter(text, lengths) for text in _split(found[2]) if text.strip() not in {"", "void"})
    return Signature(_plain(found[1]), parameters)


def _split(text: str) -> list[str]:
    """The declarations between the parentheses of a function."""
    return [part.strip() for part in re.split(r",(?![^\[]*\])", re.sub(r"\s+", " ", text))]


def _parameter(text: str, lengths: Mapping[str, str]) -> Parameter:
    declared, *brackets = re.split(r"\[", text)
    name = re.findall(r"\w+", declared)[-1]
    kind = _plain(re.sub(rf"\b{name}\s*$", "", declared).replace("*", " "))
    if name in lengths:
        return Parameter(name, kind, lengths[name])
    if brackets:
        return Parameter(name, kind, " * ".join(f"({part.strip().rstrip(']')})" for part in brackets))
    if "*" in declared:
        raise ValueError(f"how many elements are behind {name}?")
    return Parameter(name, kind)


def _plain(text: str) -> str:
    return " ".join(word for word in re.findall(r"[\w*]+", text) if word not in _QUALIFIERS)
