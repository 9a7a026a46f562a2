"""Every read and write of a nest with the iterations in which it executes.

Integer scalars that an iteration sets before it uses them are followed (`int up = i > 0 ? i - 1 : n - 1; a[up] = ..`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from warplens.analysis.dependence.subscripts.affine_condition import (
    Disjunction,
    Known,
    condition_of,
    conjuncts,
    polynomial_of,
)
from warplens.analysis.dependence.subscripts.derived_ranges import derived_range
from warplens.analysis.dependence.subscripts.iteration_domain import (
    Place,
    Reference,
    assigned_scalars,
    constant_symbols,
    has_exact_bounds,
)
from warplens.analysis.dependence.subscripts.quasi_affine import Choice, Definition, Definitions, Standing
from warplens.analysis.dependence.subscripts.whole_quotients import whole_constants
from warplens.analysis.ir.bound_reason import BoundReason
from warplens.analysis.ir.exits import exits_of
from warplens.analysis.ir.expression import Access, Binary, Cast, Expression, Load, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import (
    Assign,
    Evaluate,
    If,
    Loop,
    LoopNest,
    OpaqueStatement,
    Statement,
    loops_of,
    walk_statements,
)
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.promises.named import TablePromise
from warplens.analysis.ir.types import Scalar, StructOf

_MOST_TERMS = 12
"""Terms of a scalar's value; one with more is not followed."""


def references(
    nest: LoopNest, tables: Mapping[str, frozenset[type[TablePromise]]] | None = None, sizes: Iterable[Disjunction] = ()
) -> tuple[Reference, ...]:
    """All reads and writes in source order; scalars only if the nest assigns them.

    `tables` are what is known of arrays whose values are subscripts; `sizes` what holds for
    the parameters besides what the nest itself knows.
    """
    known = (*(((known.value,),) for known in nest.known), *sizes)
    return tuple(_Walk(nest, tables or {}).body((nest.root,), Place((), known, wholes=whole_constants(nest.derived))))


class _Walk:
    """What the traversal needs to know of the nest, and the integer scalars' values where it stands."""

    def __init__(self, nest: LoopNest, tables: Mapping[str, frozenset[type[TablePromise]]]) -> None:
        self.assigned = assigned_scalars((nest.root,))
        self.in_memory = frozenset(scalar.name for scalar in nest.scalars if scalar.address_taken)
        every = loops_of(nest)
        self.iterators = frozenset(loop.iterator for loop in every)
        # `j = 0; while (j < n)` sets its iterator too, but not while it runs.
        self.steady = {loop.id for loop in every if loop.iterator not in assigned_scalars(loop.body)}
        self.integers = (self.assigned - self.in_memory) & {
            s.name for s in nest.scalars if isinstance(s.type, Scalar) and s.type.kind == "int"
        }
        # Those that only stand where no polynomial does (`i % m`) are not among the parameters.
        unchanged = {s.name for s in nest.scalars} - self.assigned - self.in_memory - self.iterators
        self.constants = constant_symbols(nest) | unchanged
        written = {
            s.target.array
            for s in walk_statements((nest.root,))
            if isinstance(s, Assign) and not isinstance(s.target, ScalarRef)
        }
        ranges = ((symbol.name, derived_range(symbol)) for symbol in nest.derived)
        self.ranges = {name: known for name, known in ranges if known is not None}
        self.definitions = Definitions(tables, frozenset(written), _moving_arrays(nest))
        self.values = {name: value for name, value in nest.values if name in unchanged}
        self.exits = {loop.id: any(exits_of(loop.body)) for loop in every}

    def symbols(self, loops: tuple[Loop, ...]) -> frozenset[str]:
        return (self.constants - self.assigned) | {loop.iterator for loop in loops if loop.id in self.steady}

    def known(self, place: Place) -> Known:
        return Known(
            self.symbols(place.loops),
            self.values,
            self.definitions,
            place.loops,
            lambda value: _is_nonnegative(value, place.loops),
        )

    def body(self, statements: tuple[Statement, ...], place: Place) -> Iterator[Reference]:
        for statement in statements:
            match statement:
                case Assign():
                    yield from self.assign(statement, place)
                case If():
                    yield from self.branch(statement, place)
                case Evaluate(id, expression):
                    yield from self.reads(expression, id, place)
                case Loop():
                    changed = (*assigned_scalars(statement.body), statement.iterator)
                    again = [bound for bound in statement.bound_reads if not _scalars(bound).isdisjoint(changed)]
                    for bound in statement.bound_reads:
                        at_start = self.reads(bound, statement.id, place)
                        yield from (r for r in at_start if bound not in again or r.access is None)
                    self.stand(statement, place)
                    inside = self.inside(place, statement)
                    self.forget(changed)
                    for bound in again:
                        found = self.reads(bound, statement.id, _until_it_fails(inside))
                        yield from (r for r in found if r.access is not None)
                    yield from self.body(statement.body, inside)
                    self.forget(changed)
                case _:
                    pass

    def branch(self, statement: If, place: Place) -> Iterator[Reference]:
        yield from self.reads(statement.condition, statement.id, place)
        known = self.known(place)
        condition = condition_of(statement.condition, known)
        negated = condition_of(statement.condition, known, negated=True)
        before = dict(self.values)
        yield from self.body(statement.then, self.where(place, statement.condition, condition))
        after_then, self.values = self.values, before
        yield from self.body(statement.otherwise, self.where(place, statement.condition, negated, negated=True))
        merged = {}
        for name, value in self.values.items():
            other = after_then.get(name)
            if other == value:
                merged[name] = value
            elif other is not None and condition is not None and negated is not None:
                merged[name] = self.definitions.symbol(Choice(condition, negated, other, value))
        self.values = merged

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
        if isinstance(target, ScalarRef):
            self.set_value(statement, target, place)

    def set_value(self, statement: Assign, target: ScalarRef, place: Place) -> None:
        """The scalar's value until it is set again, where it follows from the iterators."""
        value = statement.value
        if statement.operator:
            own = ScalarRef(target.name, target.type)
            value = Binary(statement.operator, own, value, target.type)
        found = None
        if target.name not in self.in_memory and isinstance(target.type, Scalar) and target.type.kind == "int":
            found = polynomial_of(Cast(value, target.type), self.known(place))
        self.forget((target.name,))
        if found is not None and len(found.terms) <= _MOST_TERMS and found.is_bounded:
            self.values[target.name] = found

    def stand(self, loop: Loop, place: Place) -> None:
        """Integers whose value is not known and which the loop leaves alone are one number while it runs."""
        inside = tuple(walk_statements((loop,)))
        if any(isinstance(s, OpaqueStatement) for s in inside):
            return
        around = frozenset(lp.iterator for lp in place.loops)
        moving = assigned_scalars(loop.body) | around | {s.iterator for s in inside if isinstance(s, Loop)}
        for name in sorted(self.integers - moving - self.values.keys()):
            self.values[name] = self.definitions.symbol(Standing(name, loop.id, around))

    def forget(self, names: Iterable[str]) -> None:
        """Drop the values of these scalars, and those that follow from an iterator of that name."""
        gone = frozenset(names)
        for name in gone & self.values.keys():
            del self.values[name]
        moved = gone & self.iterators  # a value is made of iterators and of what the nest doesn't assign
        for name, value in list(self.values.items()) if moved else ():
            if not moved.isdisjoint(self.definitions.basis(value)):
                del self.values[name]

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
        positions: tuple[Polynomial | None, ...] = indices
        definitions: tuple[Definition, ...] = ()
        if None in indices:
            known = self.known(place)
            positions = tuple(
                polynomial_of(subscript, known) if index is None else index
                for subscript, index in zip(access.subscripts, indices, strict=True)
            )
            definitions = self.definitions.needed(name for p in positions if p is not None for name in p.symbols)
        return Reference(
            access.id, statement, access.array, indices, False, place, access.member_offset_bytes, size, access,
            positions, definitions,
        )  # fmt: skip

    def where(self, place: Place, condition: Expression, whole: Disjunction | None, *, negated: bool = False) -> Place:
        """The place under a condition, or under all parts of it that have a value where the `whole` has none."""
        if whole is not None:
            return self.guarded(place, whole)
        for part, is_opposite in conjuncts(condition, negated):
            place = self.guarded(place, condition_of(part, self.known(place), is_opposite))
        return place

    def guarded(self, place: Place, guard: Disjunction | None) -> Place:
        if guard is None:
            return replace(place, uncertain_depth=len(place.loops))
        needed = self.definitions.needed(name for part in guard for p in part for name in p.symbols)
        definitions = tuple(dict.fromkeys((*place.definitions, *needed)))
        return replace(place, guards=(*place.guards, guard), definitions=definitions)

    def inside(self, place: Place, loop: Loop) -> Place:
        loop = self.with_constant_bounds(self.with_known_bounds(loop, place), place)
        is_exact = has_exact_bounds(loop) and not self.exits[loop.id]
        depth = place.uncertain_depth if is_exact else len(place.loops)
        bounds = (*loop.limits, *(() if loop.start is None else (loop.start,)))
        needed = self.definitions.needed(name for bound in bounds for name in bound.symbols)
        used = sorted({name for bound in bounds for name in bound.symbols} & self.ranges.keys())
        return replace(
            place,
            loops=(*place.loops, loop),
            guards=tuple(dict.fromkeys((*place.guards, *(self.ranges[name] for name in used)))),
            uncertain_depth=max(depth, place.uncertain_depth),
            definitions=tuple(dict.fromkeys((*place.definitions, *needed))),
        )

    def with_known_bounds(self, loop: Loop, place: Place) -> Loop:
        """The loop with bounds that its header reads (`j = 1 + i % 2`), where they follow from the iterators."""
        if not loop.bound_reads or (loop.start_read is None and not loop.limit_reads):
            return loop
        known = self.known(place)
        start = loop.start if loop.start_read is None else polynomial_of(loop.start_read, known)
        changed = assigned_scalars(loop.body)
        lasting = replace(known, values={n: v for n, v in known.values.items() if n not in changed})
        read = [(polynomial_of(expression, lasting), added) for expression, added in loop.limit_reads]
        found = [limit + added for limit, added in read if limit is not None]
        sign = -1 if loop.step > 0 else 1
        limits = (*loop.limits, *(end for limit in found for end in self.definitions.bounds(limit, sign)))
        if (
            start is None
            or any(limit is None for limit, _ in read)
            or {reason.kind for reason in loop.bound_reasons} != {"read"}
        ):
            return replace(loop, start=start, limits=limits)
        return replace(loop, start=start, limits=limits, bound_reads=(), bound_reasons=())

    def with_constant_bounds(self, loop: Loop, place: Place) -> Loop:
        """The loop without bounds that mention something that changes while the loops around it stand still."""
        symbols = self.symbols(place.loops) | self.definitions.known.keys()
        bounds = [loop.start, *loop.limits]
        if all(bound is None or bound.symbols <= symbols for bound in bounds):
            return loop
        return replace(
            loop,
            start=loop.start if loop.start is not None and loop.start.symbols <= symbols else None,
            limits=tuple(limit for limit in loop.limits if limit.symbols <= symbols),
            bound_reasons=loop.bound_reasons or (BoundReason("a bound changes in the nest"),),
        )


def _scalars(expression: Expression) -> frozenset[str]:
    return frozenset(node.name for node in walk(expression) if isinstance(node, ScalarRef))


def _until_it_fails(inside: Place) -> Place:
    """Where the innermost loop's condition is evaluated: before each iteration, and once more."""
    loop = inside.loops[-1]
    return replace(inside, loops=(*inside.loops[:-1], replace(loop, limits=tuple(x + loop.step for x in loop.limits))))


def _is_nonnegative(value: Polynomial, loops: tuple[Loop, ...]) -> bool:
    """Whether the loops' own bounds show it, parameters aside; False is not knowing."""
    for loop in reversed(loops):
        slope = value.coefficient(loop.iterator)
        if slope.is_constant and not slope.constant_term:
            continue
        if not slope.is_constant or slope.constant_term < 0:
            return False
        end = loop.limits[0] + 1 if loop.limits else None
        least = loop.start if loop.step > 0 else end
        if least is None:
            return False
        value = value.substitute({loop.iterator: least})
    return value.is_constant and value.constant_term >= 0


def _moving_arrays(nest: LoopNest) -> dict[str, frozenset[str]]:
    """Arrays that are other memory in other iterations of loops, with those loops' iterators."""
    moved_in = {a.name: {a.chosen_in, a.declared_in} - {None} for a in nest.arrays}
    moved_in = {name: loops for name, loops in moved_in.items() if loops}
    found = dict.fromkeys(moved_in, frozenset[str]())
    for loop in loops_of(nest) if moved_in else ():
        inside = _ids(loop)
        for name, loops in moved_in.items():
            if not loops.isdisjoint((loop.id, *inside)):
                found[name] |= {loop.iterator}
    return found


def _ids(loop: Loop) -> frozenset[NodeId]:
    return frozenset(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))
