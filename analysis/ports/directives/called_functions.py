"""Which functions of a file calls lead to, by names in its text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from warplens.analysis.text.file_text import KEPT_TEXTS, code_of
from warplens.analysis.text.loop_places import find_places
from warplens.analysis.text.span import Span

_CALL = re.compile(r"\b(?!(?:for|while|if|switch|return|sizeof)\b)([A-Za-z_]\w*)\s*\(")


def called_in(source: str, part: Span) -> Iterator[str]:
    """Names that stand before a bracket in a part of the source's code, as calls do."""
    return (found[1] for found in _CALL.finditer(code_of(source), part.start, part.end))


@lru_cache(KEPT_TEXTS)
def functions_of(source: str) -> Mapping[str, frozenset[str]]:
    """The functions that the file defines, each with what it calls."""
    found: dict[str, frozenset[str]] = {}
    for place in find_places(source).functions:
        name, *others = called_in(source, place.whole)
        found[name] = frozenset(others)
    return found


def reached(source: str, called: Collection[str]) -> frozenset[str]:
    """Functions of the file that these calls lead to, and those of other files that they call."""
    functions = functions_of(source)
    found, todo = set(called), list(called)
    while todo:
        new = functions.get(todo.pop(), frozenset()) - found
        found |= new
        todo += new
    return frozenset(found)
