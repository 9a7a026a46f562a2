"""The comments that start with `warplens:`, cut where commas separate what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from warplens.analysis.ir.separation import separation_parts
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import comments

_INTRODUCER = re.compile(r"(?://|/\*)[\s*]*warplens\s*:", re.IGNORECASE)
_NAME = r"[A-Za-z][\w-]*"
_OFF = re.compile(rf"\s*off((?:\s+(?!(?:is|has|keeps|does|do|and)\b){_NAME})*)\s*(--.*)?\Z", re.IGNORECASE | re.DOTALL)
_ROWS = re.compile(r"\s*mapping\s*=\s*(?:[^\s,/=]+(?:\s*,\s*[^\s,/=]+)*\s*/\s*)+", re.IGNORECASE)
"""The start of `mapping = warp:b,t/j`: its commas stand between the loops whose iterations are a team's rows."""
_BARE = re.compile(rf"\s*({_NAME}(?:\s+{_NAME})*)\s*(--.*)?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OffDirective:
    """`// warplens: off WL201, WL301 -- why`: what is not to be shown, each with its place; without codes all of it."""

    codes: tuple[tuple[str, Span], ...]
    span: Span


def statement_parts(source: str) -> Iterator[tuple[str, Span]]:
    """What comments say of sizes, arrays and functions: every part that switches nothing off."""
    for parts in _comments(source):
        yield from parts[: _off_at(parts)]


def read_offs(source: str) -> tuple[OffDirective, ...]:
    """What comments switch off. It stands last in its comment; behind `--` anybody may read why."""
    if "warplens" not in source.lower():
        return ()
    return tuple(_off(parts[at:]) for parts in _comments(source) if (at := _off_at(parts)) < len(parts))


def _off_at(parts: list[tuple[str, Span]]) -> int:
    return next((at for at, (part, _) in enumerate(parts) if _OFF.match(part)), len(parts))


def _off(parts: list[tuple[str, Span]]) -> OffDirective:
    codes: list[tuple[str, Span]] = []
    end = parts[0][1].end
    for at, (part, span) in enumerate(parts):
        said = _BARE.match(part) if at else _OFF.match(part)
        if said is None:
            codes.append((part.strip(), span))
        else:
            codes += [(code, span) for code in said.group(1).split()]
        end = span.end
        if said is not None and said.group(2):
            break
    return OffDirective(tuple(codes), Span(parts[0][1].start, end))


def _comments(source: str) -> Iterator[list[tuple[str, Span]]]:
    """The parts of each comment."""
    for offset, comment in comments(source):
        introducer = _INTRODUCER.match(comment)
        if introducer:
            content_end = len(comment) - 2 if comment.endswith("*/") else len(comment)
            yield [
                (comment[start:end], _trimmed(comment, start, end).shifted(offset))
                for start, end in _parts(comment, introducer.end(), content_end)
            ]


def _parts(comment: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the parts stand that commas separate; those within the name of a mapping don't."""
    first, name_end = start, start
    for begin, stop in separation_parts(comment, start, end):
        if begin >= name_end:
            first, rows = begin, _ROWS.match(comment, begin, end)
            name_end = begin if rows is None else rows.end()
        if stop >= name_end:
            yield first, stop
            name_end = first = stop


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
