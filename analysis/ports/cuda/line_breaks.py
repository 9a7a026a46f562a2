"""Long lines of generated code in several, broken where an expression binds least."""

from __future__ import annotations

import re

LONGEST = 110
"""Columns that a line may have."""
_BREAK = re.compile(r" (?=(?:\|\||&&|[-+*/?:]) )|(?<=[,;]) ")


def broken(line: str) -> list[str]:
    """The line, or lines that say the same; continuations are two levels deeper.

    >>> broken("    return;")
    ['    return;']
    """
    if len(line) <= LONGEST or line.lstrip().startswith(("#", "//")):
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    room = [match for match in _BREAK.finditer(line) if len(indent) < match.start() <= LONGEST]
    if not room:
        return [line]
    depths = {match.start(): _binding(line, match.start()) for match in room}
    far = [match for match in room if match.start() > LONGEST // 2] or room
    shallow = min(depths[match.start()] for match in far)
    best = max(match.start() for match in far if depths[match.start()] == shallow)
    rest = f"{indent}{' ' * 8}{line[best:].lstrip()}"
    if len(rest) >= len(line):
        return [line]
    first, *more = broken(rest)
    return [line[:best], first, *(_aligned(one, indent) for one in more)]


def _aligned(line: str, indent: str) -> str:
    return f"{indent}{' ' * 8}{line.lstrip()}"


def _binding(line: str, at: int) -> float:
    """How much a place holds together: brackets around it, and a product more than a sum or the parts of a header."""
    before = line[:at]
    depth = sum(before.count(one) for one in "([") - sum(before.count(one) for one in ")]")
    if before.endswith(";"):
        return depth - 1
    return depth + 0.5 if line[at:].startswith((" * ", " / ")) else depth
