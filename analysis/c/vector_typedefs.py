"""`typedef float v4 __attribute__((vector_size(16)))` in a spelling that the parser keeps: an array with a marked size.

Source: GCC 6.52, "Using Vector Instructions through Built-in Functions".
"""

from __future__ import annotations

import re

VECTOR_SIZE = "__vector_size__"
"""The function that seems to be called in the size of a vector type's array."""
_SIZE = re.compile(r"\b(?:__)?vector_size(?:__)?\s*\(")
_BEFORE_NAME = re.compile(r"\s*([^\W\d]\w*)\s*(?=[;,])")
_ENDS = re.compile(r"\s*(?:[;,]|__attribute)")
_IS_TYPEDEF = re.compile(r"\s*(?:__extension__\s+)?typedef\b")


def vector_typedef(text: str, start: int, end: int) -> tuple[int, str] | None:
    """What stands for the attribute at `start` to `end` of a declaration, and where that ends; None for other ones.

    >>> vector_typedef("typedef float v4 __attribute__((vector_size(16)));", 17, 49)
    (49, '[__vector_size__(16)]')
    """
    size = _SIZE.search(text, start, end)
    if size is None or _IS_TYPEDEF.match(text) is None:
        return None
    argument = _argument(text, size.end(), end)
    marked = f"[{VECTOR_SIZE}({argument})]"
    if _ENDS.match(text, end):
        return end, marked
    name = _BEFORE_NAME.match(text, end)
    return None if name is None else (name.end(), f"{name.group(1)} {marked}")


def _argument(text: str, start: int, end: int) -> str:
    depth = 1
    for at in range(start, end):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return text[start:end]
