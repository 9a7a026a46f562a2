"""Loops over tiles and over a tile's points as the one loop that they are together.

    for (t = 0; t < n; t += 32) for (i = t; i < min(t + 32, n); i++) ...     for (i = 0; i < n; i++) ...

A CPU's caches want the tiles. A grid has blocks of its own: with one loop it may be cut into blocks of any shape, and
a warp has lanes that go on from one tile to the next.

Source: Wolfe, More Iteration Space Tiling, 1989 (strip mining, whose inverse this is).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from warplens.analysis.dependence.scalars.privatization import is_live_after
from warplens.analysis.facts.mapping import Level
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.mapping.moved_values import header_names, read, used_arrays
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest

Statements = tuple[Statement, ...]
Loops = tuple[Loop, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """A loop that stands for two: over tiles, and over the points of each; the level of its iterations."""

    loop: Loop
    tiles: NodeId
    points: NodeId
    level: Level


def merged(tiles: Loop, points: Loop) -> Loop | None:
    """One loop with the iterations of all tiles in their order, with the points' id; None if they are no such loops.

    >>> from warplens.analysis.ir.types import INT
    >>> t, n, zero = Polynomial.symbol("t"), Polynomial.symbol("n"), Polynomial(())
    >>> tiles = Loop(NodeId(0), "t", INT, zero, (n,), 32, ())
    >>> points = Loop(NodeId(1), "i", INT, t, (n, t + 32), 1, ())
    >>> [(one.iterator, str(one.start), *map(str, one.limits)) for one in [merged(tiles, points)] if one]
    [('i', '0', 'n')]
    """
    if not (_is_plain(tiles) and _is_plain(points)) or tiles.start is None or points.start is None:
        return None
    tile = Polynomial.symbol(tiles.iterator)
    if points.start != tile or points.step <= 0 or tiles.step % points.step:
        return None
    length = tile + tiles.step
    whole = tuple(limit for limit in points.limits if limit != length)
    if len(whole) == len(points.limits) or any(tiles.iterator in limit.symbols for limit in whole):
        return None
    # Points end where tiles do: by a limit that is not behind theirs, or with the last tile where that is whole.
    for limit in tiles.limits:
        distance = limit - tiles.start
        is_whole = (
            not whole and len(tiles.limits) == 1 and distance.is_constant and not distance.constant_term % tiles.step
        )
        behind = (one - limit for one in whole)
        if not is_whole and not any(one.is_constant and one.constant_term <= 0 for one in behind):
            return None
    return replace(points, start=tiles.start, limits=whole or tiles.limits)


def _is_plain(loop: Loop) -> bool:
    """Whether bounds and a step are all that decides on the iterations, and none is left out."""
    return not (loop.exact_end or loop.bound_reads or loop.limit_reads or loop.bound_reasons or loop.inductions)


def untiled_band(
    source: SourceNest, names: NewNames, loops: Loops, body: Statements
) -> tuple[Loops, tuple[Merged, ...]]:
    """Parallel loops around a body with a loop of points in place of it and its tiles; new loops have new ids.

    All of them are parallel, so that their order does not matter.
    """
    for tiles, points in permutations(loops, 2):
        again = merged(tiles, points)
        if again is None or _uses(source, tiles, [one for one in loops if one is not points], body):
            continue
        again = replace(again, id=names.id())
        fewer = tuple(again if one is points else one for one in loops if one is not tiles)
        whole, others = untiled_band(source, names, fewer, body)  # tiles may have tiles
        return whole, (Merged(again, tiles.id, points.id, "grid"), *others)
    return loops, ()


def _uses(source: SourceNest, tiles: Loop, others: Sequence[Loop], body: Statements) -> bool:
    """Whether anything but the header of the points asks which tile it is in, or has memory of the tile's own."""
    if tiles.iterator in read(body) or any(tiles.iterator in header_names(one) for one in others):
        return True
    if is_live_after(source.nest, tiles.id, tiles.iterator):
        return True
    return not source.own_arrays((tiles,)).isdisjoint(used_arrays(body))


def untiled_inside(source: SourceNest, names: NewNames, statement: Statement) -> tuple[Statement, tuple[Merged, ...]]:
    """A loop that a thread runs, and those in it: tiles that hold nothing but their points' loop are one with it."""
    if not isinstance(statement, Loop):
        return statement, ()
    inside = [untiled_inside(source, names, one) for one in statement.body]
    found = tuple(one for _, some in inside for one in some)
    loop = replace(statement, body=tuple(one for one, _ in inside))
    only = loop.body[0] if len(loop.body) == 1 else None
    again = merged(loop, only) if isinstance(only, Loop) else None
    if again is None or not isinstance(only, Loop) or loop.iterator in read(only.body):
        return loop, found
    if any(is_live_after(source.nest, loop.id, name) for name in (loop.iterator, only.iterator)):
        return loop, found
    again = replace(again, id=names.id())
    return again, (*found, Merged(again, loop.id, only.id, "thread"))
