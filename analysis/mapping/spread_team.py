"""A row's loops spread over a team: the lanes of a warp, or the threads of a block, share their iterations.

Each thread has every `threads`-th iteration of a spread loop, so that neighbouring lanes use neighbouring elements.
Values that the loop accumulates are put together behind it. All else of the row is run by every thread, which sets the
same values, or by the first where it writes memory.

Source: NVIDIA, CUDA C++ Best Practices Guide (coalescing); M. Harris, Optimizing parallel reduction in CUDA, 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from warplens.analysis.algebra.polynomial_expression import expression_of
from warplens.analysis.dependence.scalars.privatization import is_live_after
from warplens.analysis.facts.mapping import WARP_THREADS, Team, TeamSum
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.expression import Binary
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, ScalarObject, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, Scalar
from warplens.analysis.ir.unread_scalars import without_unread
from warplens.analysis.mapping.moved_values import (
    assigned,
    header_names,
    is_understood,
    read,
    used_arrays,
    written_arrays,
)
from warplens.analysis.mapping.nested_rows import Rows
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.partial_sums import COMBINED, NotSpreadError, is_number, partial_sum
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.team_barriers import TeamBarriers

Statements = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class SpreadRows:
    """The rows' outermost loop with the lanes inside of them, the team, and variables that the nest has not.

    `reordered` are the reductions whose iterations it shares.
    """

    root: Loop
    team: Team
    scalars: tuple[ScalarObject, ...]
    reordered: tuple[Reduction, ...]


def spread_rows(
    source: SourceNest, names: NewNames, rows: Rows, chosen: frozenset[NodeId], threads: int
) -> SpreadRows | None:
    """The rows with the chosen loops spread over `threads`; None where a team can't share them."""
    body = without_unread((*rows.heads, *rows.body), frozenset())
    inside_row = {one.id for one in walk_statements(body)}
    deeper = {array.name for array in source.nest.arrays if array.declared_in in inside_row}
    if (source.own_arrays(rows.loops) - deeper) & used_arrays(body) or not is_understood(body):
        return None
    spreader = _Spreader(source, names, chosen, threads, names.name("lane"), body)
    try:
        inside = spreader.statements(body)
    except NotSpreadError:
        return None
    if not spreader.spread or (deeper - spreader.own) & used_arrays(body):
        return None  # an array of the row that several threads use
    sums = tuple(spreader.sums)
    waiting = frozenset(one.after for one in sums) if threads > WARP_THREADS else frozenset[NodeId]()
    once = frozenset(spreader.once)
    barriers = TeamBarriers(spreader.spread, once, waiting, spreader.own, assigned(body))
    barriers.scan(inside)
    lanes = Loop(
        names.id(), spreader.lane, INT, Polynomial(()), (Polynomial.constant(threads),), 1, inside,
        declares_iterator=True,
    )  # fmt: skip
    nested: Loop = lanes
    for loop in reversed(rows.loops):
        nested = replace(loop, body=(nested,))
    team = Team(lanes.id, threads, tuple(spreader.spread), sums, frozenset(barriers.found), once)
    reordered = dict.fromkeys(each for loop in spreader.spread for each in source.verdicts[loop].reductions)
    return SpreadRows(nested, team, tuple(spreader.scalars), tuple(reordered))


def may_be_spread(source: SourceNest, loop: Loop) -> bool:
    """Whether threads may share the loop's iterations, those of a reduction too."""
    verdict = source.verdicts.get(loop.id)
    if verdict is None or verdict.kind not in {"parallel", "reduction"} or verdict.copied_in or verdict.left_shared:
        return False
    has_bounds = (loop.start is not None or loop.start_read is not None) and (loop.limits or loop.limit_reads)
    if not has_bounds or loop.progress is not None or not is_understood(loop.body):
        return False
    if any(reason.kind == "uncounted" for reason in loop.bound_reasons) or _may_wrap(loop):
        return False
    if header_names(loop) & assigned(loop.body):
        return False
    declared = {array.name for array in source.nest.arrays if array.declared_in == loop.id}
    if source.own_arrays((loop,)) - declared:
        return False
    reduced = {reduction.variable for reduction in verdict.reductions}
    kept = assigned((loop,)) - reduced
    return not any(is_live_after(source.nest, loop.id, name) for name in kept)


def may_be_in_parts(source: SourceNest, loop: Loop) -> bool:
    """Whether threads can put together what the loop accumulates: not the place of an extreme, nor short numbers."""
    types = {scalar.name: scalar.type for scalar in source.nest.scalars}
    return all(
        one.operator in COMBINED and (one.is_array_element or is_number(types.get(one.variable, INT)))
        for one in source.verdicts[loop.id].reductions
    )


def spreadable_in(source: SourceNest, body: Iterable[Statement]) -> tuple[Loop, ...]:
    """Loops of a body that a team may share, outer before inner."""
    loops = (one for one in walk_statements(tuple(body)) if isinstance(one, Loop))
    return tuple(loop for loop in loops if may_be_spread(source, loop))


def _may_wrap(loop: Loop) -> bool:
    """Whether an iterator that takes longer steps could pass the ends of its type: one that counts down unsigned."""
    ctype = loop.iterator_type
    return not isinstance(ctype, Scalar) or ctype.kind != "int" or (not ctype.signed and loop.step < 0)


@dataclass(slots=True)
class _Spreader:
    """Writes the statements of a row for one thread of the team."""

    source: SourceNest
    names: NewNames
    chosen: frozenset[NodeId]
    threads: int
    lane: str
    row: Statements
    spread: dict[NodeId, Loop] = field(default_factory=dict)
    sums: list[TeamSum] = field(default_factory=list)
    scalars: list[ScalarObject] = field(default_factory=list)
    once: set[NodeId] = field(default_factory=set)
    own: frozenset[str] = frozenset()

    def statements(self, body: Statements) -> Statements:
        """Return the statements; raises NotSpreadError."""
        found: list[Statement] = []
        for one in body:
            match one:
                case Loop() if one.id in self.chosen:
                    found += self._spread(one, found[-1] if found else None)
                case Loop() if self._has_parts(one):
                    found.append(replace(one, body=self.statements(one.body)))
                case If() if self._has_parts(one):
                    then, otherwise = self.statements(one.then), self.statements(one.otherwise)
                    found.append(replace(one, then=then, otherwise=otherwise))
                case _:
                    if written_arrays((one,)):
                        self.once.add(one.id)  # every thread sets values, the first one writes memory
                    found.append(one)
        return tuple(found)

    def _has_parts(self, statement: Statement) -> bool:
        """Whether threads do different things inside: shared iterations, or values beside what the first one writes."""
        if any(one.id in self.chosen for one in walk_statements((statement,))):
            return True
        return bool(written_arrays((statement,)) and self._values(statement) & self._read_outside(statement))

    def _values(self, statement: Statement) -> frozenset[str]:
        """Variables that a statement leaves."""
        inside = {one.id for one in walk_statements((statement,))}
        local = {scalar.name for scalar in self.source.nest.scalars if scalar.declared_in in inside}
        return assigned((statement,)) - local

    def _read_outside(self, statement: Statement) -> frozenset[str]:
        return frozenset(_read_outside(self.row, statement.id))

    def _spread(self, loop: Loop, previous: Statement | None) -> list[Statement]:
        verdict = self.source.verdicts[loop.id]
        before: list[Statement] = []
        behind: list[Statement] = []
        reductions: list[Reduction] = []
        written = loop
        kept = assigned((loop,)) | written_arrays((loop,))  # nothing reads the others
        for reduction in dict.fromkeys(verdict.reductions):
            if reduction.variable not in kept:
                continue
            one = partial_sum(self.source.nest, written, reduction, previous, self.names)
            written = one.loop
            before += one.before
            behind += one.behind
            self.scalars += one.scalars
            reductions += [one.reduction] if one.marked is None else [one.reduction, one.marked]
        self.once |= {one.id for one in behind if written_arrays((one,))}
        if reductions:
            self.sums.append(TeamSum(loop.id, tuple(reductions)))
        self.spread[loop.id] = loop
        inside = {loop.id, *(one.id for one in walk_statements(loop.body))}
        self.own |= {array.name for array in self.source.nest.arrays if array.declared_in in inside}
        shared = shared_out(written, Polynomial.symbol(self.lane), self.threads)
        return [*before, shared, *behind]


def shared_out(loop: Loop, worker: Polynomial, workers: int) -> Loop:
    """The loop for one of several workers: from its own first iteration on, in steps of all of them.

    Raises NotSpreadError for a loop whose end its iterator has to meet.
    """
    if loop.exact_end and abs(loop.step) != 1:
        raise NotSpreadError
    start, start_read = loop.start, loop.start_read
    if start is not None:
        start += worker * loop.step
    elif start_read is not None:
        start_read = Binary("+", start_read, expression_of(worker * loop.step, INT), start_read.type)
    step = loop.step * workers
    # Closed forms stand for what moves along with it.
    return replace(loop, start=start, start_read=start_read, step=step, exact_end=False, inductions=())


def _read_outside(body: Statements, left_out: NodeId, iterators: frozenset[str] = frozenset()) -> Iterator[str]:
    """Names whose value a body uses, but for one statement of it and what loops' own iterators are inside of them."""
    for one in body:
        match one:
            case _ if one.id == left_out:
                continue
            case Loop():
                inside = iterators | {one.iterator}
                yield from read((replace(one, body=()),)) - inside
                yield from _read_outside(one.body, left_out, inside)
            case If():
                yield from read((replace(one, then=(), otherwise=()),)) - iterators
                yield from _read_outside((*one.then, *one.otherwise), left_out, iterators)
            case _:
                yield from read((one,)) - iterators
