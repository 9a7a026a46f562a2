"""Mappings of a nest that may be faster than the source's own order, out of its verdicts and dependences alone.

A kernel of the source's order is rewritten in one of two ways: with a thread per innermost parallel iteration
(`SpelledPoints`), or with a team per row (`spread_rows`), for each number of rows' loops and each loop inside of them
that a team can share. A whole nest of sums that need each other is rewritten in steps (`stepped_rewritten`). Which of
them is fastest sizes and the GPU decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from warplens.analysis.dependence.scalars.privatization import is_live_after
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, Statement, loops_of
from warplens.analysis.ir.unread_scalars import without_unread
from warplens.analysis.mapping.mapped_nest import Rewritten
from warplens.analysis.mapping.moved_values import assigned, is_understood
from warplens.analysis.mapping.nested_rows import Rows, rows_of
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.pulled_loops import keeps_values, pulled_out
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.spelled_points import SpelledPoints
from warplens.analysis.mapping.split_sums import SplitSum, split_sum
from warplens.analysis.mapping.spread_team import may_be_in_parts, may_be_spread, spread_rows

MOST_ROW_LOOPS = 2
"""Grid loops beside the lanes: CUDA's grid has three axes."""


@dataclass(frozen=True, slots=True)
class TeamChoice:
    """Rows' loops and the loops inside of them that a team shares, in place of the loop `root`.

    Rows that are atomic add to elements of others.
    """

    root: NodeId
    rows: Rows
    spread: frozenset[NodeId]
    is_atomic: bool = False


def team_choices(source: SourceNest, kernel: Kernel) -> tuple[TeamChoice, ...]:
    """Which loops may be rows and which a team's, those with the fewest rows first."""
    found: dict[tuple[int, frozenset[NodeId]], TeamChoice] = {}
    atomic = _rows_with_atomics(source, kernel)
    for rows in (*_rows(source, kernel), *atomic):
        for spread in (frozenset(_outermost(source, rows.body)), frozenset(_innermost(source, rows.body))):
            if spread:
                choice = TeamChoice(kernel.root, rows, spread, is_atomic=rows in atomic)
                found.setdefault((len(rows.loops), spread), choice)
    return tuple(found.values())


def team_rewritten(source: SourceNest, names: NewNames, choice: TeamChoice, threads: int) -> Rewritten | None:
    """The rows with a team of so many threads each; None where that can't be."""
    spread = spread_rows(source, names, choice.rows, choice.spread, threads)
    if spread is None:
        return None
    return Rewritten(
        choice.root,
        (spread.root,),
        ((spread.root.id, spread.team),),
        scalars=spread.scalars,
        reordered=spread.reordered,
        atomic=(choice.rows.loops[0].id,) if choice.is_atomic else (),
    )


def points_rewritten(source: SourceNest, names: NewNames, kernel: Kernel) -> Rewritten | None:
    """A thread per innermost parallel iteration; None where the source has that already, or it can't be."""
    found = points_spelled(source, names, kernel)
    return None if found is None else found[0]


def points_spelled(
    source: SourceNest, names: NewNames, kernel: Kernel, *, holds: bool = True
) -> tuple[Rewritten, frozenset[NodeId]] | None:
    """The same, and loops whose elements may be held in variables, which is done if it `holds`."""
    root = _outermost_loop(source, kernel)
    if _is_used_behind(source, root):
        return None
    spelled = SpelledPoints(source, names, holds=holds)
    read = without_unread((root,), frozenset())
    statements = spelled.spelled((), (), read)
    if not read or statements == (root,):
        return None
    rewritten = Rewritten(
        root.id,
        statements,
        (),
        tuple(spelled.copies.items()),
        tuple(spelled.scalars),
        steps=tuple(spelled.steps),
        bounded=tuple(one.loop.id for one in spelled.merged),
        levels=tuple((one.tiles, one.level) for one in spelled.merged),
    )
    return rewritten, frozenset(spelled.pulled)


def split_choices(source: SourceNest, kernel: Kernel) -> tuple[SplitSum, ...]:
    """Sums under rows that may be split over the grid."""
    rows = _rows(source, kernel)
    return tuple(found for one in rows if (found := split_sum(source, kernel.root, one)) is not None)


def _outermost_loop(source: SourceNest, kernel: Kernel) -> Loop:
    return next(loop for loop in loops_of(source.nest) if loop.id == kernel.root)


def _is_used_behind(source: SourceNest, root: Loop) -> bool:
    """Whether anything that the loop sets is used behind it."""
    return any(is_live_after(source.nest, root.id, name) for name in assigned((root,)))


def _rows(source: SourceNest, kernel: Kernel) -> tuple[Rows, ...]:
    """Rows of a kernel; where a loop that it accumulates over stands around its grid, that is inside of them."""
    root = _outermost_loop(source, kernel)
    if _is_used_behind(source, root):
        return ()
    if source.is_parallel(root):
        return rows_of(source, root)[:MOST_ROW_LOOPS]
    return (*_kept_inside(source, kernel, root), *_pulled_rows(source, root))[:1]


def _rows_with_atomics(source: SourceNest, kernel: Kernel) -> tuple[Rows, ...]:
    """Rows that add to elements which other rows add to, each atomically, as in the source's order."""
    root = _outermost_loop(source, kernel)
    verdict = source.verdicts[root.id]
    if verdict.kind != "reduction" or not all(one.is_array_element for one in verdict.reductions):
        return ()
    return () if root.start is None or _is_used_behind(source, root) else rows_of(source, root)[:MOST_ROW_LOOPS]


def _kept_inside(source: SourceNest, kernel: Kernel, root: Loop) -> Iterator[Rows]:
    """The grid's loops of a perfect nest around those that each thread runs."""
    wanted = {each.loop for each in kernel.grid}
    grid: list[Loop] = []
    kept: list[Loop] = []
    loop = root
    while len(grid) < len(wanted):
        (grid if loop.id in wanted else kept).append(loop)
        inner = loop.body[0] if len(loop.body) == 1 else None
        if len(grid) < len(wanted) and not isinstance(inner, Loop):
            return
        loop = inner if isinstance(inner, Loop) else loop
    innermost = max((*grid, *kept), key=lambda one: one.id)
    if not all(map(source.is_parallel, grid)) or not kept or len(grid) > MOST_ROW_LOOPS:
        return
    body = innermost.body
    for one in reversed(kept):
        body = (replace(one, body=body),)
    yield Rows(tuple(grid), (), body)


def _pulled_rows(source: SourceNest, root: Loop) -> Iterator[Rows]:
    """The parallel loops inside of one that runs in order as rows, each of which runs that one."""
    found: list[Loop] = []
    loop = root
    while len(found) < MOST_ROW_LOOPS and source.holds_parallel(loop.body):
        pulled = pulled_out(source, (), loop) if is_understood((loop,)) and not keeps_values(loop.body) else None
        if pulled is None:
            break
        found.append(pulled[0])
        loop = pulled[1]
    if found:
        yield Rows(tuple(found), (), (loop,))


def _outermost(source: SourceNest, body: tuple[Statement, ...]) -> Iterator[NodeId]:
    for one in body:
        if isinstance(one, Loop) and may_be_spread(source, one) and may_be_in_parts(source, one):
            yield one.id
        else:
            yield from _outermost(source, _inside(one))


def _innermost(source: SourceNest, body: tuple[Statement, ...]) -> Iterator[NodeId]:
    for one in body:
        inside = tuple(_innermost(source, _inside(one)))
        if inside:
            yield from inside
        elif isinstance(one, Loop) and may_be_spread(source, one) and may_be_in_parts(source, one):
            yield one.id


def _inside(statement: Statement) -> tuple[Statement, ...]:
    match statement:
        case Loop():
            return statement.body
        case If():
            return (*statement.then, *statement.otherwise)
        case _:
            return ()
