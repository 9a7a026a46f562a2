"""The conditions under which a reference touches memory, as far as the range of its subscript can follow them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from warplens.analysis.dependence.subscripts.affine_condition import Conjunction, Disjunction, Known, condition_of
from warplens.analysis.dependence.subscripts.derived_ranges import derived_range
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, assigned_scalars
from warplens.analysis.dependence.subscripts.quasi_affine import Definition, Lookup, Quotient, Standing
from warplens.analysis.ir.nest import DerivedSymbol, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import kind_of
from warplens.analysis.ports.sections.expression_guards import expression_guards
from warplens.analysis.ports.sections.lost_conditions import LostConditions
from warplens.analysis.workload.loops.derived_symbols import formula_of

_MOST_WAYS = 8


@dataclass(frozen=True, slots=True)
class Followed:
    """One of the conjunctions in `ways` holds (each polynomial of it >= 0) wherever the reference touches memory.

    `by_data`: data decides too. `is_lossy`: so does a condition of iterators and sizes that the ways don't have.
    """

    ways: tuple[Conjunction, ...]
    by_data: bool
    is_lossy: bool


class NestConditions:
    """Those of every reference of a nest. `known` are symbols whose value the host has."""

    def __init__(self, nest: LoopNest, known: frozenset[str]) -> None:
        self._nest = nest
        self._known = known
        self._always = granted_guards(nest)
        self._free = known - assigned_scalars((nest.root,))
        self._inside = expression_guards(nest)
        self._lost = LostConditions(nest)

    def of(self, reference: Reference) -> Followed:
        """The conditions of one reference."""
        place, definitions = reference.place, dict[str, Definition]()
        for definition in (*place.definitions, *reference.definitions):
            definitions[definition.name] = definition
        iterators = {loop.iterator for loop in place.loops}
        disjunctions = [guard for guard in place.guards if guard not in self._always]
        by_data = place.uncertain_depth > 0
        is_lossy = by_data and self._lost.around(reference.statement)
        for condition, negated in self._inside.get(reference.id, ()):
            symbols = Known(self._free | iterators, dict(self._nest.values), loops=place.loops)
            found = condition_of(condition, symbols, negated)
            if found is None:
                by_data, is_lossy = True, is_lossy or self._lost.has(condition)
            else:
                disjunctions.append(found)
        ways: list[Conjunction] = [()]
        same = _names_of_quotients(definitions.values(), self._nest.derived)
        for disjunction in disjunctions:
            said = tuple(tuple(value.substitute(same) for value in part) for part in disjunction)
            followed = self._known | iterators
            others = {name for part in said for value in part for name in value.symbols} - followed
            if any(_is_of_data(name, definitions) for name in others):
                by_data, is_lossy = True, is_lossy or self._lost.around(reference.statement)
                said = _without(said, followed)
            elif others:
                is_lossy = True
                continue
            if len(ways) * len(said) > _MOST_WAYS:
                is_lossy = True
            else:
                ways = [(*way, *part) for way, part in product(ways, said)]
        return Followed(tuple(ways), by_data, is_lossy)


def granted_guards(nest: LoopNest) -> frozenset[Disjunction]:
    """The same as references have it beside the conditions around them."""
    ranges = (derived_range(symbol) for symbol in nest.derived)
    known = (((known.value,),) for known in nest.known)
    return frozenset((*known, *(found for found in ranges if found is not None)))


def _without(said: Disjunction, followed: Collection[str]) -> Disjunction:
    """What is left to be said without conditions on other names."""
    parts = (tuple(value for value in part if value.symbols <= set(followed)) for part in said)
    return tuple(dict.fromkeys(parts))


def _is_of_data(name: str, definitions: Mapping[str, Definition]) -> bool:
    """Whether a symbol is a value in memory, or is computed from one."""
    definition = definitions.get(name)
    if definition is None or isinstance(definition, Lookup | Standing):
        return name in definitions or kind_of(name) != "computed"
    return any(_is_of_data(below, definitions) for below in definition.symbols if below in definitions)


def _names_of_quotients(definitions: Iterable[Definition], derived: Collection[DerivedSymbol]) -> dict[str, Polynomial]:
    """Quotients of sizes by the name that the nest has for the same number."""
    found: dict[str, Polynomial] = {}
    for one in definitions:
        if isinstance(one, Quotient) and not one.rounds_down:
            share = formula_of(one.numerator, {}) / one.divisor
            formulas = share.floor(), share.truncated()
            name = next((d.name for d in derived if d.formula in formulas and ">>" not in d.text), "")
            found |= {one.name: Polynomial.symbol(name)} if name else {}
    return found
