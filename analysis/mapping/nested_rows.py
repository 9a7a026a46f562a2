"""Parallel loops that stand in each other, what stands between them moved inside: a band where the source has none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from warplens.analysis.ir.expression import ScalarRef
from warplens.analysis.ir.nest import Assign, If, Loop, Statement
from warplens.analysis.mapping.moved_values import header_names, read, sets_values_only
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
    body = outermost.body
    found = [Rows(loops, heads, body)]
    while True:
        own, rest = split_heads(body)
        inner = only_loop(source, loops[0], (*heads, *own), rest)
        if inner is None or not source.is_parallel(inner):
            return tuple(found)
        before = without_start((*heads, *own), inner)
        if not source.can_stand_inside(loops[0], before, inner):
            return tuple(found)
        loops, heads, body = (*loops, inner), before, inner.body
        found.append(Rows(loops, heads, body))


def only_loop(
    source: SourceNest, around: Loop, heads: tuple[Statement, ...], body: tuple[Statement, ...]
) -> Loop | None:
    """The loop that a body behind heads is; one under a condition has that inside, if each iteration may ask it.

    `for (i) if (w[i]) for (j) ...` is `for (i) for (j) if (w[i]) ...`. `around` is the outermost loop around both.
    """
    one = body[0] if len(body) == 1 else None
    if not isinstance(one, If):
        return one if isinstance(one, Loop) else None
    guarded, rest = split_heads(one.then)
    inner = rest[0] if len(rest) == 1 else None
    if one.otherwise or not isinstance(inner, Loop) or inner.bound_reads or inner.limit_reads:
        return None
    asked = replace(one, then=guarded)
    if not sets_values_only(asked) or not source.can_stand_inside(around, (*heads, asked), inner):
        return None
    return replace(inner, body=(replace(one, then=(*guarded, *inner.body)),))


def without_start(heads: tuple[Statement, ...], inner: Loop) -> tuple[Statement, ...]:
    """The heads without what sets the loop's counter, which the loop does itself: `i = 0; while (i < n) ... i++;`."""

    def sets_it(one: Statement) -> bool:
        return isinstance(one, Assign) and isinstance(one.target, ScalarRef) and one.target.name == inner.iterator

    kept = tuple(one for one in heads if not sets_it(one))
    is_needed = inner.start is None or inner.iterator in read(kept) | header_names(inner)
    return heads if is_needed else kept


def split_heads(body: tuple[Statement, ...]) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """What a body begins with that only sets values, and the rest."""
    at = next((number for number, one in enumerate(body) if not sets_values_only(one)), len(body))
    return body[:at], body[at:]
