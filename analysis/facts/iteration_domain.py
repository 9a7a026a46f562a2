"""Every read and write of a nest with the iterations in which it executes.

Shape: `{ S[i, j] : constraints }` per reference; a reference executes at each point of its set unless `uncertain_depth`
says that data decides too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from warplens.analysis.facts.affine_condition import Disjunction, condition_of
from warplens.analysis.ir.expression import Access, Expression, Load, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, Exit, If, Loop, LoopNest, Statement, loops_of, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import Scalar, StructOf


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a statement stands: loops around it (outer first) and affine guards, all of which hold when it runs.

    `uncertain_depth` is d when something inside the d outermost loops, that affine constraints can't express, also
    decides whether it runs: within one iteration of d loops the set is exact, beyond that it is an upper bound.
    """

    loops: tuple[Loop, ...]
    guards: tuple[Disjunction, ...] = ()
    uncertain_depth: int = 0

    def is_exact_for(self, level: int) -> bool:
        """Whether the set is exact when the iterators of the loops outside loop number `level` are fixed."""
        return self.uncertain_depth <= level


@dataclass(frozen=True, slots=True)
class Reference:
    """One read or write of an array element, or of a scalar (no indices; `id` is the statement's).

    An index is None where it is not a polynomial over the iterators around it and the parameters. `first_byte` and
    `size_bytes` say which part of the element is touched (a member).
    """

    id: NodeId
    statement: NodeId
    variable: str
    indices: tuple[Polynomial | None, ...]
    is_write: bool
    place: Place
    first_byte: int = 0
    size_bytes: int = 0
    access: Access | None = None

    @property
    def byte_address(self) -> Polynomial | None:
        """First byte touched, from the array's base; None where an index or an extent is not known."""
        linear = (
            None if self.access is None or None in self.indices or not self.size_bytes else self.access.linear_index
        )
        return None if linear is None or self.access is None else linear * self.access.element_bytes + self.first_byte


def same_layout(first: Reference, second: Reference) -> bool:
    """Whether equal indices mean the same element: the references see one array of one element type."""
    if first.access is None or second.access is None:
        return True
    left, right = first.access, second.access
    return left.element_bytes == right.element_bytes and left.extents[1:] == right.extents[1:]


def constant_symbols(nest: LoopNest) -> frozenset[str]:
    """Names whose value doesn't change in the nest."""
    return frozenset(nest.parameters) | {symbol.name for symbol in nest.derived}


def assigned_scalars(body: tuple[Statement, ...]) -> frozenset[str]:
    """Scalars that a statement of the body assigns; iterators of its loops are not among them unless assigned."""
    return frozenset(
        s.target.name for s in walk_statements(body) if isinstance(s, Assign) and isinstance(s.target, ScalarRef)
    )


def references(nest: LoopNest) -> tuple[Reference, ...]:
    """All reads and writes in source order; scalars only if the nest assigns them."""
    known = tuple(((known.value,),) for known in nest.known)
    return tuple(_Walk(nest).body((nest.root,), Place((), known)))


class _Walk:
    """What the traversal needs to know of the nest."""

    def __init__(self, nest: LoopNest) -> None:
        self.constants = constant_symbols(nest)
        self.assigned = assigned_scalars((nest.root,))
        self.exits = {
            loop.id: any(
                isinstance(s, Exit) and (s.leaves == loop.id or s.leaves not in _ids(loop))
                for s in walk_statements(loop.body)
            )
            for loop in loops_of(nest)
        }

    def symbols(self, loops: tuple[Loop, ...]) -> frozenset[str]:
        return (self.constants | {loop.iterator for loop in loops}) - self.assigned

    def body(self, statements: tuple[Statement, ...], place: Place) -> Iterator[Reference]:
        for statement in statements:
            match statement:
                case Assign():
                    yield from self.assign(statement, place)
                case If(id, condition, then, otherwise):
                    yield from self.reads(condition, id, place)
                    symbols = self.symbols(place.loops)
                    yield from self.body(then, self.guarded(place, condition_of(condition, symbols)))
                    yield from self.body(otherwise, self.guarded(place, condition_of(condition, symbols, negated=True)))
                case Evaluate(id, expression):
                    yield from self.reads(expression, id, place)
                case Loop():
                    for bound in statement.bound_reads:
                        yield from self.reads(bound, statement.id, place)
                    yield from self.body(statement.body, self.inside(place, statement))
                case _:
                    pass

    def assign(self, statement: Assign, place: Place) -> Iterator[Reference]:
        yield from self.reads(statement.value, statement.id, place)
        target = statement.target
        if isinstance(target, ScalarRef):
            write = Reference(statement.id, statement.id, target.name, (), is_write=True, place=place)
        else:
            for subscript in target.subscripts:
                yield from self.reads(subscript, statement.id, place)
            write = replace(self.load(target, statement.id, place), is_write=True)
        if statement.operator:
            yield replace(write, is_write=False)
        yield write

    def reads(self, expression: Expression, statement: NodeId, place: Place) -> Iterator[Reference]:
        iterators = {loop.iterator for loop in place.loops}
        for node in walk(expression):
            if isinstance(node, Load):
                yield self.load(node.access, statement, place)
            elif isinstance(node, ScalarRef) and node.name in self.assigned and node.name not in iterators:
                yield Reference(statement, statement, node.name, (), is_write=False, place=place)

    def load(self, access: Access, statement: NodeId, place: Place) -> Reference:
        symbols = self.symbols(place.loops)
        indices = tuple(i if i is not None and i.symbols <= symbols else None for i in access.indices)
        size = access.type.size_bytes if isinstance(access.type, Scalar | StructOf) else 0
        if not access.member:
            size = access.element_bytes
        return Reference(
            access.id, statement, access.array, indices, False, place, access.member_offset_bytes, size, access
        )

    def guarded(self, place: Place, guard: Disjunction | None) -> Place:
        if guard is None:
            return replace(place, uncertain_depth=len(place.loops))
        return replace(place, guards=(*place.guards, guard))

    def inside(self, place: Place, loop: Loop) -> Place:
        loop = self.with_constant_bounds(loop, self.symbols(place.loops))
        is_exact = has_exact_bounds(loop) and not self.exits[loop.id]
        depth = place.uncertain_depth if is_exact else len(place.loops)
        return replace(place, loops=(*place.loops, loop), uncertain_depth=max(depth, place.uncertain_depth))

    def with_constant_bounds(self, loop: Loop, symbols: frozenset[str]) -> Loop:
        """The loop without bounds that mention something that changes while the loops around it stand still."""
        bounds = [loop.start, *loop.limits]
        if all(bound is None or bound.symbols <= symbols for bound in bounds):
            return loop
        return replace(
            loop,
            start=loop.start if loop.start is not None and loop.start.symbols <= symbols else None,
            limits=tuple(limit for limit in loop.limits if limit.symbols <= symbols),
            bound_reason=loop.bound_reason or "a bound changes in the nest",
        )


def has_exact_bounds(loop: Loop) -> bool:
    """Whether the header's polynomials say exactly which iterations run."""
    return (
        loop.start is not None
        and bool(loop.limits)
        and loop.step != 0
        and not loop.bound_reads
        and not loop.bound_reason
        and (not loop.exact_end or abs(loop.step) == 1)
    )


def _ids(loop: Loop) -> frozenset[NodeId]:
    return frozenset(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))
