"""Parallel loops that stand in each other, what stands between them moved inside: a band where the source has none."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.nest import Loop, Statement
from warplens.analysis.mapping.moved_values import sets_values_only
from warplens.analysis.mapping.source_nest import SourceNest


@dataclass(frozen=True, slots=True)
class Rows:
    """`loops`, outermost first, around `heads` (statements that stood between them) and then `body`."""

    loops: tuple[Loop, ...]
    heads: tuple[Statement, ...]
    body: tuple[Statement, ...]


def rows_of(source: SourceNest, outermost: Loop) -> tuple[Rows, ...]:
    """The outermost parallel loop, then with the next one inside of it, and so on, as far as heads can be moved in."""
    loops: tuple[Loop, ...] = (outermost,)
    heads: tuple[Statement, ...] = ()
    found = [Rows(loops, heads, outermost.body)]
    while True:
        own, rest = split_heads(loops[-1].body)
        inner = rest[0] if len(rest) == 1 else None
        if not isinstance(inner, Loop) or not source.is_parallel(inner):
            return tuple(found)
        if not source.can_stand_inside(loops[0], (*heads, *own), inner):
            return tuple(found)
        loops, heads = (*loops, inner), (*heads, *own)
        found.append(Rows(loops, heads, inner.body))


def split_heads(body: tuple[Statement, ...]) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """What a body begins with that only sets values, and the rest."""
    at = next((number for number, one in enumerate(body) if not sets_values_only(one)), len(body))
    return body[:at], body[at:]
