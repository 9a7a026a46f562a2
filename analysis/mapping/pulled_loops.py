"""A parallel loop inside of one that runs in order, pulled out of it: each of its iterations then runs that one whole.

    for (j) { s = x[j]; for (i) v[i] += a[j][i] * s; }     for (i) for (j) { s = x[j]; v[i] += a[j][i] * s; }

It may be where each of its iterations only ever meets itself in the loop around; each element then gets the same
values in the same order. What stands before the parallel loop, and a condition around it, is run by each iteration.

Source: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 5.2 (interchange).
"""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.dependence.scalars.privatization import is_read_before_written
from warplens.analysis.ir.nest import If, Loop, Statement, walk_statements
from warplens.analysis.mapping.moved_values import assigned, header_names
from warplens.analysis.mapping.nested_rows import split_heads, without_start
from warplens.analysis.mapping.source_nest import SourceNest

Statements = tuple[Statement, ...]


def pulled_out(source: SourceNest, heads: Statements, loop: Loop) -> tuple[Loop, Loop] | None:
    """The parallel loop, and the loop in order to stand inside of it, behind heads; None where it can't be pulled."""
    own, rest = split_heads(loop.body)
    around = rest[0] if len(rest) == 1 and isinstance(rest[0], If) and not rest[0].otherwise else None
    guarded, rest = split_heads(around.then) if around is not None else ((), rest)
    inner = rest[0] if len(rest) == 1 else None
    if isinstance(inner, Loop) and not source.is_parallel(inner):
        again = pulled_out(source, (*heads, *own, *guarded), inner)
        inner = None if again is None else replace(again[0], body=(again[1],))
    if not isinstance(inner, Loop) or not source.is_parallel(inner):
        return None
    own, guarded = without_start(own, inner), without_start(guarded, inner)
    before = (*own, *guarded)
    if header_names(inner) & {loop.iterator, *assigned(before), *assigned(heads)}:
        return None
    if not source.can_stand_inside(loop, before, inner) or source.graph.gap(loop.id):
        return None
    arrays = {array.name for array in source.nest.arrays}
    inside = {one.id for one in walk_statements((loop,))}
    for dependence in source.graph.within(loop.id):
        if dependence.variable not in arrays or not {dependence.source_statement, dependence.sink_statement} <= inside:
            continue
        if inner.id not in dependence.loops:
            return None
        if dependence.vector.directions[dependence.loops.index(inner.id)] != "=":
            return None
    body = (*guarded, *inner.body)
    return inner, replace(loop, body=(*own, *(body if around is None else (replace(around, then=body),))))


def keeps_values(body: Statements) -> bool:
    """Whether an iteration of a loop with this body uses a variable that an earlier one set."""
    return any(is_read_before_written(body, name) for name in assigned(body))
