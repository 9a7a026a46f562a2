"""A long sum under few rows, split over the grid: each block has its part of the iterations, a second kernel adds up.

    for (j) { s = 0; for (i) s += a[i][j]; y[j] = s; }

becomes a kernel over (j, part), each with every `parts`-th of the iterations and its sum in `parts` x rows elements
that only the device has, and a kernel over j that adds these and does what stands behind the sum. A row's part may be
shared by a team: then its lanes have neighbouring iterations. The order of the additions is the same in every run.

Source: M. Harris, Optimizing parallel reduction in CUDA, 2007 (two passes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from warplens.analysis.algebra.polynomial_expression import expression_of
from warplens.analysis.facts.mapping import Team, TeamSum
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.expression import Access, Load, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Assign, Loop, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, LONG, Scalar
from warplens.analysis.mapping.mapped_nest import Rewritten
from warplens.analysis.mapping.moved_values import sets_values_only, used_arrays
from warplens.analysis.mapping.nested_rows import Rows, split_heads
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.partial_sums import NEUTRAL, NotSpreadError, PartialSum, neutral_start, partial_sum
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.spread_team import may_be_spread, shared_out

Statements = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class SplitSum:
    """Rows whose body is one sum: `heads` before its loop, statements `behind` it, in place of the loop `root`."""

    root: NodeId
    rows: Rows
    heads: Statements
    loop: Loop
    behind: Statements


def split_sum(source: SourceNest, root: NodeId, rows: Rows) -> SplitSum | None:
    """The sum in the body of rows, None where that is something else, or rows are not counted by one limit each."""
    heads, rest = split_heads((*rows.heads, *rows.body))
    if not rest or not isinstance(rest[0], Loop) or not may_be_spread(source, rest[0]):
        return None
    loop, behind = rest[0], rest[1:]
    verdict = source.verdicts[loop.id]
    is_sum = verdict.kind == "reduction" and all(one.operator in NEUTRAL for one in verdict.reductions)
    if not is_sum or any(isinstance(one, Loop) for one in behind):
        return None
    own = source.own_arrays(rows.loops)
    if own & used_arrays((*heads, *rest)) or not all(map(sets_values_only, heads)):
        return None
    if heads and source.conflicts(rows.loops[0], heads, (loop,)):
        return None
    return SplitSum(root, rows, heads, loop, behind) if all(map(_is_counted, rows.loops)) else None


def split_over_grid(
    source: SourceNest, names: NewNames, chosen: SplitSum, parts: int, threads: int
) -> Rewritten | None:
    """The rows in two kernels; `threads` (1: none) share a row's part. None where a value can't be split."""
    reordered = tuple(dict.fromkeys(source.verdicts[chosen.loop.id].reductions))
    try:
        sums = _sums(source, names, chosen)
    except NotSpreadError:
        return None
    return _Split(names, chosen, sums, parts, threads, names.id(), reordered).rewritten()


def _is_counted(loop: Loop) -> bool:
    """Whether the loop's iterations can be numbered from 0 by its iterator."""
    return loop.start is not None and len(loop.limits) == 1 and abs(loop.step) == 1 and not loop.limit_reads


def _sums(source: SourceNest, names: NewNames, chosen: SplitSum) -> tuple[PartialSum, ...]:
    """One for each value that the loop accumulates; the last one's loop accumulates all of them.

    Raises NotSpreadError.
    """
    loop, found = chosen.loop, list[PartialSum]()
    for reduction in dict.fromkeys(source.verdicts[loop.id].reductions):
        one = partial_sum(source.nest, loop, reduction, None, names)
        if one.marked is not None:
            raise NotSpreadError
        loop = one.loop
        found.append(one)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Split:
    names: NewNames
    chosen: SplitSum
    sums: tuple[PartialSum, ...]
    parts: int
    threads: int
    over_parts: NodeId
    reordered: tuple[Reduction, ...]

    def rewritten(self) -> Rewritten:
        """Both kernels in place of the rows."""
        part = self.names.name("part")
        arrays = tuple(self._array(one) for one in self.sums)
        first, team = self._first(part, arrays)
        second, copies = self._second(part, arrays)
        root = self.chosen.root
        teams = () if team is None else ((first.id, team),)
        scalars = tuple(scalar for one in self.sums for scalar in one.scalars)
        split = ((self.chosen.loop.id, self.parts),)
        return Rewritten(
            root, (first, second), teams, copies, scalars, arrays, split, (self.over_parts,), self.reordered
        )

    def _array(self, one: PartialSum) -> ArrayObject:
        (scalar,) = one.scalars
        extents = (Polynomial.constant(self.parts), *map(_length, self.chosen.rows.loops))
        ctype = scalar.type
        assert isinstance(ctype, Scalar)
        name = self.names.name(f"{scalar.name.removesuffix('_part')}_parts")
        return ArrayObject(name, ctype, ctype.size_bytes, extents, "body", is_pointer=True)

    def _element(self, array: ArrayObject, part: str) -> Access:
        places = (Polynomial.symbol(part), *map(_place, self.chosen.rows.loops))
        subscripts = tuple(expression_of(place, LONG) for place in places)
        return Access(
            self.names.id(), array.name, array.element, subscripts, places, array.extents, array.element_bytes,
            text=f"{array.name}[{part}]",
        )  # fmt: skip

    def _first(self, part: str, arrays: Sequence[ArrayObject]) -> tuple[Loop, Team | None]:
        """Each part of each row."""
        chosen, workers = self.chosen, self.parts * self.threads
        worker = Polynomial.symbol(part)
        lane = ""
        if self.threads > 1:
            lane = self.names.name("lane")
            worker = worker * self.threads + Polynomial.symbol(lane)
        loop = shared_out(self.sums[-1].loop, worker, workers)
        kept: list[Statement] = []
        for one, array in zip(self.sums, arrays, strict=True):
            (scalar,) = one.scalars
            value = ScalarRef(scalar.name, scalar.type)
            kept.append(Assign(self.names.id(), self._element(array, part), "", value))
        starts = (statement for one in self.sums for statement in one.before)
        body: Statements = (*chosen.heads, *starts, loop, *kept)
        team = None
        if lane:
            lanes = _counting(self.names.id(), lane, self.threads, body)
            sums = (TeamSum(loop.id, tuple(one.reduction for one in self.sums)),)
            team = Team(lanes.id, self.threads, (loop.id,), sums, once=frozenset(one.id for one in kept))
            body = (lanes,)
        outer: Loop = _counting(self.over_parts, part, self.parts, body)
        for row in reversed(chosen.rows.loops):
            outer = replace(row, body=(outer,))
        return outer, team

    def _second(self, part: str, arrays: Sequence[ArrayObject]) -> tuple[Loop, tuple[tuple[NodeId, NodeId], ...]]:
        """Each row's parts added up, and what stands behind the sum."""
        chosen = self.chosen
        added: list[Statement] = []
        starts: list[Statement] = []
        for one, array in zip(self.sums, arrays, strict=True):
            (scalar,) = one.scalars
            target = ScalarRef(scalar.name, scalar.type)
            starts.append(neutral_start(self.names, scalar, one.reduction.operator))
            value = Load(self._element(array, part))
            added.append(Assign(self.names.id(), target, NEUTRAL[one.reduction.operator][1], value))
        behind = (statement for one in self.sums for statement in one.behind)
        loop = _counting(self.names.id(), part, self.parts, tuple(added))
        body: Statements = (*chosen.heads, *starts, loop, *behind, *chosen.behind)
        copies: list[tuple[NodeId, NodeId]] = []
        for row in reversed(chosen.rows.loops):
            new = self.names.id()
            copies.append((new, row.id))
            body = (replace(row, id=new, body=body),)
        (outer,) = body
        assert isinstance(outer, Loop)
        return outer, tuple(copies)


def _counting(loop: NodeId, iterator: str, count: int, body: Statements) -> Loop:
    return Loop(loop, iterator, INT, Polynomial(()), (Polynomial.constant(count),), 1, body, declares_iterator=True)


def _length(loop: Loop) -> Polynomial:
    assert loop.start is not None  # _is_counted
    return (loop.limits[0] - loop.start) * loop.step


def _place(loop: Loop) -> Polynomial:
    assert loop.start is not None  # _is_counted
    return (Polynomial.symbol(loop.iterator) - loop.start) * loop.step
