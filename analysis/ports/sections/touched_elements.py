"""Accesses of a nest with everything that decides whether they happen: loops, branches, `? :`, `&&` and `||`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from warplens.analysis.dependence.subscripts.affine_condition import Disjunction, Known, condition_of, conjuncts
from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars, constant_symbols
from warplens.analysis.ir.exits import exits_of
from warplens.analysis.ir.expression import Access, Expression, Load, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, LoopNest, Statement
from warplens.analysis.ports.sections.expression_guards import Guard, expression_guards
from warplens.analysis.ports.sections.lost_conditions import LostConditions


@dataclass(frozen=True, slots=True)
class TouchedElement:
    """An access, the loops around it (outer first) and the affine conditions, all of which hold when it happens.

    `is_uncertain` marks one that something else decides too: data, a call, an early end. `is_lossy`: so does a
    condition of iterators and sizes, which may be what keeps it inside of its array.
    """

    access: Access
    loops: tuple[Loop, ...]
    guards: tuple[Disjunction, ...] = ()
    is_uncertain: bool = False
    is_lossy: bool = False


def touched_elements(nest: LoopNest) -> tuple[TouchedElement, ...]:
    """Every access of the nest, in source order."""
    constants = constant_symbols(nest) - assigned_scalars((nest.root,))
    return tuple(_Walk(constants, expression_guards(nest), LostConditions(nest)).body((nest.root,), _Place()))


@dataclass(frozen=True, slots=True)
class _Place:
    loops: tuple[Loop, ...] = ()
    guards: tuple[Disjunction, ...] = ()
    is_uncertain: bool = False
    is_lossy: bool = False


class _Walk:
    def __init__(
        self, constants: frozenset[str], inside: Mapping[NodeId, tuple[Guard, ...]], lost: LostConditions
    ) -> None:
        self._constants = constants
        self._inside = inside
        self._lost = lost

    def body(self, statements: tuple[Statement, ...], place: _Place) -> Iterator[TouchedElement]:
        for statement in statements:
            match statement:
                case Assign():
                    yield from self.reads(statement.value, place)
                    if isinstance(statement.target, Access):
                        for subscript in statement.target.subscripts:
                            yield from self.reads(subscript, place)
                        yield self.touched(statement.target, place)
                case Evaluate(expression=expression):
                    yield from self.reads(expression, place)
                case If(condition=condition):
                    yield from self.reads(condition, place)
                    yield from self.body(statement.then, self.where(condition, place))
                    yield from self.body(statement.otherwise, self.where(condition, place, negated=True))
                case Loop():
                    for bound in statement.bound_reads:
                        yield from self.reads(bound, place)
                    inside = _Place(
                        (*place.loops, statement),
                        place.guards,
                        place.is_uncertain or any(exits_of(statement.body)),
                        place.is_lossy or self._lost.ends_early(statement),
                    )
                    yield from self.body(statement.body, inside)
                case _:
                    pass

    def reads(self, expression: Expression, place: _Place) -> Iterator[TouchedElement]:
        for node in walk(expression):
            if isinstance(node, Load):
                here = place
                for condition, negated in self._inside.get(node.access.id, ()):
                    here = self.where(condition, here, negated=negated)
                yield self.touched(node.access, here)

    def where(self, condition: Expression, place: _Place, *, negated: bool = False) -> _Place:
        for part, is_opposite in conjuncts(condition, negated):
            place = self.under(part, place, negated=is_opposite)
        return place

    def under(self, condition: Expression, place: _Place, *, negated: bool) -> _Place:
        symbols = self._constants | {loop.iterator for loop in place.loops}
        found = condition_of(condition, Known(symbols, loops=place.loops), negated)
        if found is None:
            is_lossy = place.is_lossy or self._lost.has(condition) or self._lost.is_computed(condition, symbols)
            return _Place(place.loops, place.guards, is_uncertain=True, is_lossy=is_lossy)
        return _Place(place.loops, (*place.guards, found), place.is_uncertain, place.is_lossy)

    def touched(self, access: Access, place: _Place) -> TouchedElement:
        return TouchedElement(access, place.loops, place.guards, place.is_uncertain, place.is_lossy)
