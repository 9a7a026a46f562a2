"""A nest written in steps (`stepped_units.py`): a loop on the host around a kernel or two for all elements at once.

Source: Ancourt, Irigoin, Scanning polyhedra with DO loops, PPoPP 1991 (the bounds of what a step runs).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.algebra.polynomial_expression import expression_of
from warplens.analysis.dependence.transforms.permuted_bounds import LoopBounds, permuted_bounds
from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.mapping import Level
from warplens.analysis.ir.expression import Access, Binary, Expression, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Statement, loops_of
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rewrite_accesses import rewrite_body
from warplens.analysis.ir.types import INT
from warplens.analysis.mapping.mapped_nest import Rewritten, mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.renamed_iterator import with_iterator
from warplens.analysis.mapping.single_threads import once
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.stepped_units import StepUnit, step_units

Statements = tuple[Statement, ...]


def in_steps(source: SourceNest) -> tuple[MappedNest, str] | None:
    """The whole nest in steps, and the iterator that counts them; None where it can't be run so."""
    names = NewNames(source.nest)
    rewritten = stepped_rewritten(source, names)
    if rewritten is None:
        return None
    mapped = mapped_nest(source, names, (rewritten,))
    (steps,) = rewritten.steps
    return mapped, next(loop.iterator for loop in loops_of(source.nest) if loop.id == mapped.in_source(steps))


def stepped_rewritten(source: SourceNest, names: NewNames) -> Rewritten | None:
    """The whole nest in steps; None where it can't be, or its steps are not counted by one loop's bounds."""
    units = step_units(source)
    if not units:
        return None
    in_steps = [unit for unit in units if unit.time is not None]
    time = max(in_steps, key=lambda one: len(one.loops)).time
    assert time is not None
    parts: list[_Part] = []
    for unit in in_steps:
        part = _part(unit, time.iterator)
        if part is None:
            return None
        merged = parts[-1].joined(part) if parts else None
        if merged is None:
            parts.append(part)
        else:
            parts[-1] = merged
    start, limit = parts[0].start, parts[0].limit
    for part in parts[1:]:
        if part.start != start or not (part.limit - limit).is_constant:
            return None
        limit = part.limit if (part.limit - limit).constant_term > 0 else limit
    writer = _Writer(names, time.iterator, limit)
    body = tuple(writer.kernel(part) for part in parts)
    steps = replace(time, id=names.id(), start=start, limits=(limit,), body=body)
    before, after = (
        tuple(writer.at_once(unit) for unit in units if unit.time is None and unit.is_before == is_before)
        for is_before in (True, False)
    )
    bounded = (steps.id, *(new for new, _ in writer.copies))
    return Rewritten(
        source.nest.root.id,
        (*before, steps, *after),
        copies=((steps.id, time.id), *writer.copies),
        parallel=tuple(writer.parallel),
        steps=(steps.id,),
        bounded=bounded,
        levels=tuple(_levels(units)),
    )


def _levels(units: Sequence[StepUnit]) -> Iterator[tuple[NodeId, Level]]:
    """What becomes of all loops, those of units that are written as one with another among them."""
    for unit in units:
        for loop in unit.loops:
            yield loop.id, "host" if unit.time is not None and loop.id == unit.time.id else "grid"


@dataclass(frozen=True, slots=True)
class _Part:
    """What a step runs of a unit: `rest` loops for threads, in steps from `start` to before `limit`."""

    unit: StepUnit
    start: Polynomial
    limit: Polynomial
    rest: tuple[LoopBounds, ...]
    body: Statements

    def joined(self, other: _Part) -> _Part | None:
        """Both as one where they are one statement on ranges of the innermost loop that touch; else None.

        The other one may have a single place there, `a[i][i]` behind `a[i][j]` for j up to i. Where the first range's
        outer loop does not run, its own would be empty.
        """
        if other.unit.waits_for & {self.unit.number} or not self.rest or self.start != other.start:
            return None
        *outer, inner = self.rest
        if len(self.rest) == len(other.rest) and _are_same(self.body, other.body):
            *others, behind = other.rest
            if behind.iterator != inner.iterator or inner.limits != behind.starts:
                return None
            wider = replace(inner, limits=behind.limits)
        elif len(outer) == len(other.rest) and self._is_at_end(inner, other):
            others, wider = [*other.rest], replace(inner, limits=(inner.limits[0] + 1,))
        else:
            return None
        if len(outer) > 1 or len(inner.limits) != 1:
            return None
        for one, around in zip(outer, others, strict=True):
            is_alike = one.iterator == around.iterator and one.limits == around.limits
            if not is_alike or not _are_empty_before(one, around.starts[0], inner):
                return None
        limit = other.limit if _is_least(other.limit - self.limit) else self.limit
        rest = tuple(replace(one, starts=around.starts) for one, around in zip(outer, others, strict=True))
        return replace(self, rest=(*rest, wider), limit=limit)

    def _is_at_end(self, inner: LoopBounds, other: _Part) -> bool:
        """Whether the other part is this one's statement where the innermost loop ends."""
        ends = [one.iterator for one in other.rest if inner.limits == (Polynomial.symbol(one.iterator),)]
        return bool(ends) and _are_same(with_iterator(self.body, inner.iterator, ends[0]), other.body)


def _part(unit: StepUnit, time: str) -> _Part | None:
    """The unit with its steps' loop outermost, which is called `time`; None where the bounds can't say so."""
    assert unit.time is not None
    others = tuple(loop for loop in unit.loops if loop.id != unit.time.id)
    bounds = permuted_bounds(unit.loops, (unit.time, *others))
    own = unit.time.iterator
    is_taken = own != time and any(loop.iterator == time for loop in unit.loops)
    if isinstance(bounds, str) or is_taken or any(len(one.starts) != 1 for one in bounds):
        return None
    values = {own: Polynomial.symbol(time)}
    steps, *rest = (
        replace(
            one,
            starts=tuple(bound.substitute(values) for bound in one.starts),
            limits=tuple(bound.substitute(values) for bound in one.limits),
        )
        for one in bounds
    )
    if len(steps.limits) != 1:
        return None
    return _Part(unit, steps.starts[0], steps.limits[0], tuple(rest), with_iterator(unit.statements, own, time))


class _Writer:
    """Loops of each step, with new ids."""

    def __init__(self, names: NewNames, time: str, limit: Polynomial) -> None:
        self._names, self._time, self._limit = names, time, limit
        self.copies: list[tuple[NodeId, NodeId]] = []
        self.parallel: list[NodeId] = []

    def kernel(self, part: _Part) -> Statement:
        """The part of one step."""
        body = part.body
        if not self._ends_by_itself(part):
            body = (If(self._names.id(), self._runs(part.limit), body),)
        loops = {loop.id: loop for loop in part.unit.loops}
        for bounds in reversed(part.rest):
            new = self._names.id()
            self.copies.append((new, bounds.loop))
            self.parallel.append(new)
            loop = loops[bounds.loop]
            body = (replace(loop, id=new, start=bounds.starts[0], limits=bounds.limits, body=body),)
        if not part.rest and part.unit.time is not None:
            loop = once(self._names, body)
            self.copies.append((loop.id, part.unit.time.id))
            self.parallel.append(loop.id)
            body = (loop,)
        return body[0]

    def at_once(self, unit: StepUnit) -> Statement:
        """All iterations of a unit."""
        body = unit.statements
        for loop in reversed(unit.loops):
            new = self._names.id()
            self.copies.append((new, loop.id))
            self.parallel.append(new)
            body = (replace(loop, id=new, body=body),)
        return body[0]

    def _ends_by_itself(self, part: _Part) -> bool:
        """Whether from its limit on a part's loops are empty, up to the last step."""
        if part.limit == self._limit:
            return True
        if not part.rest:
            return False
        first = part.rest[0]
        lengths = (limit - first.starts[0] for limit in first.limits)
        return any(_falls(length, self._time, part.limit) for length in lengths)

    def _runs(self, limit: Polynomial) -> Expression:
        return Binary("<", ScalarRef(self._time, INT), expression_of(limit, INT), INT)


def _falls(length: Polynomial, iterator: str, at: Polynomial) -> bool:
    """Whether a length is at most zero where the iterator has that value, and no larger behind."""
    slope = length.coefficient(iterator)
    return slope.is_constant and slope.constant_term <= 0 and _is_least(-length.substitute({iterator: at}))


def _is_least(value: Polynomial, least: int = 0) -> bool:
    return value.is_constant and value.constant_term >= least


def _are_empty_before(outer: LoopBounds, start: Polynomial, inner: LoopBounds) -> bool:
    """Whether the inner range is empty for all values of the outer iterator from `start` up to the outer start."""
    length = inner.limits[0] - inner.starts[0]
    slope = length.coefficient(outer.iterator)
    at = length.substitute({outer.iterator: outer.starts[0] - 1})
    return _is_least(outer.starts[0] - start) and _is_least(slope) and _is_least(-at) and len(inner.limits) == 1


def _are_same(first: Statements, second: Statements) -> bool:
    """Whether two bodies are the same assignments, whatever their ids."""
    return len(first) == len(second) and [*map(_without_id, first)] == [*map(_without_id, second)]


def _without_id(statement: Statement) -> Statement:
    def change(access: Access) -> Access:
        return replace(access, id=NodeId(0), text="")

    (one,) = rewrite_body((statement,), change)
    return replace(one, id=NodeId(0)) if isinstance(one, Assign) else one
