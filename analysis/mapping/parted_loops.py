"""A loop that runs in order as several, each of which does a part of what it does in all of its iterations.

    for (t) { b[o] += d[t][o]; for (i) w[o][i] += x[t][i] * d[t][o]; }

becomes a loop that sums up `b` and one for `w`, out of which the parallel loop inside can then be pulled.

Source: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 5.2.1 (loop distribution): nothing
that stands in a later part may come before what stands in an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from warplens.analysis.ir.nest import Loop, Statement, walk_statements
from warplens.analysis.ir.unread_scalars import without_unread
from warplens.analysis.mapping.nested_rows import split_heads
from warplens.analysis.mapping.pulled_loops import keeps_values
from warplens.analysis.mapping.source_nest import SourceNest

Statements = tuple[Statement, ...]
GroupsOf = Callable[[Loop, Statements], Sequence[Statements]]
"""A loop and its body behind heads in parts, none of which uses a variable or an own array that another one leaves."""


def parted(source: SourceNest, loop: Loop, groups_of: GroupsOf) -> tuple[Loop, ...]:
    """The loop's parts in order, with the ids of the loop and of those in it; none where it must stay whole.

    Heads stand in each part that reads what they set.
    """
    if source.graph.gap(loop.id) or keeps_values(loop.body):
        return ()
    heads, rest = split_heads(loop.body)
    only = rest[0] if len(rest) == 1 else None
    if isinstance(only, Loop) and not source.is_parallel(only):
        found: Sequence[Statements] = [(one,) for one in parted(source, only, groups_of)]
    else:
        found = groups_of(loop, rest)
    groups = _in_order(source, loop, [*found])
    parts: list[Loop] = []
    for group in groups if len(groups) > 1 else ():
        own, body = kept_heads(heads, group)
        others = tuple(one for other in groups if other is not group for one in other)
        if own and source.conflicts(loop, own, others):
            return ()
        parts.append(replace(loop, body=(*own, *body)))
    return tuple(parts)


def _in_order(source: SourceNest, loop: Loop, groups: list[Statements]) -> list[Statements]:
    """The groups, those joined of which a later one has something that comes before what an earlier one has."""
    arrays = {array.name for array in source.nest.arrays}
    dependences = [one for one in source.graph.within(loop.id) if one.variable in arrays]
    while True:
        place = {one.id: at for at, group in enumerate(groups) for one in walk_statements(group)}
        ends = (
            (place.get(one.source_statement, -1), place.get(one.sink_statement, len(groups))) for one in dependences
        )
        later, earlier = next((pair for pair in ends if pair[1] < pair[0]), (0, 0))
        if later == earlier:
            return groups
        joined = tuple(one for group in groups[earlier : later + 1] for one in group)
        groups = [*groups[:earlier], joined, *groups[later + 1 :]]


def kept_heads(heads: Statements, body: Statements) -> tuple[Statements, Statements]:
    """The heads and the body of a part without values that nothing in it reads."""
    inside = {one.id for one in body}
    kept = without_unread((*heads, *body), frozenset())
    return tuple(one for one in kept if one.id not in inside), tuple(one for one in kept if one.id in inside)
