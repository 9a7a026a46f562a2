"""A nest as it is looked at under what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.scalars.reduction import accumulations
from warplens.analysis.dependence.subscripts.affine_condition import Disjunction
from warplens.analysis.dependence.subscripts.iteration_domain import Place, Reference
from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.dependence.subscripts.quasi_affine import Definition, Lookup
from warplens.analysis.facts.promises import by_array, known_tables
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.increasing import Increasing
from warplens.analysis.ir.promises.injective import Injective
from warplens.analysis.ir.promises.named import TablePromise
from warplens.analysis.ir.promises.promise import Promise

_REFERENCE_OPERATIONS = 30
"""What it counts as to find out where one reference runs and what it touches."""

_SAID_OPERATIONS = 3
"""The same once that is known but for what is said."""


class NestViews:
    """A nest and its references under what is said of tables and sizes: the same ones where the same is said."""

    def __init__(self, nest: LoopNest, budget: NestBudget) -> None:
        self.nest = nest
        self._budget = budget
        self.tables = known_tables(nest)
        self.folds = accumulations((nest.root,), nest.scalars)
        self._plain: tuple[Reference, ...] | None = None
        self._seen: dict[tuple[object, ...], tuple[Reference, ...]] = {}

    def references(self, promises: tuple[Promise, ...], sizes: tuple[Disjunction, ...] = ()) -> tuple[Reference, ...]:
        """All references of the nest."""
        said = by_array((*promises, *self.tables))
        key = (frozenset(said.items()), sizes)
        if key not in self._seen:
            if self._plain is None:
                self._plain = references(self.nest)
                self._budget.count(_REFERENCE_OPERATIONS * len(self._plain))
            self._seen[key] = _Said(self.nest, said, sizes).of(self._plain) if said or sizes else self._plain
            self._budget.count(_SAID_OPERATIONS * len(self._plain))
        return self._seen[key]


class _Said:
    """References with what is said: only the look-ups in tables and what holds for the sizes are other ones then."""

    def __init__(
        self, nest: LoopNest, tables: Mapping[str, frozenset[type[TablePromise]]], sizes: tuple[Disjunction, ...]
    ) -> None:
        self._tables = tables
        known = (((known.value,),) for known in nest.known)
        self._first: tuple[Disjunction, ...] = (*known, *sizes) if sizes else ()
        self._places: dict[int, Place] = {}

    def of(self, plain: tuple[Reference, ...]) -> tuple[Reference, ...]:
        """The same references where that is said."""
        return tuple(map(self._reference, plain))

    def _reference(self, plain: Reference) -> Reference:
        place, definitions = self._place(plain.place), self._every(plain.definitions)
        if place is plain.place and definitions is plain.definitions:
            return plain
        return replace(plain, place=place, definitions=definitions)

    def _place(self, plain: Place) -> Place:
        """One object for all references in a place."""
        if id(plain) not in self._places:
            definitions = self._every(plain.definitions)
            guards = tuple(dict.fromkeys((*self._first, *plain.guards))) if self._first else plain.guards
            is_other = bool(self._first) or definitions is not plain.definitions
            self._places[id(plain)] = replace(plain, guards=guards, definitions=definitions) if is_other else plain
        return self._places[id(plain)]

    def _every(self, definitions: tuple[Definition, ...]) -> tuple[Definition, ...]:
        """The same object where nothing is said of any."""
        found = tuple(map(self._told, definitions))
        return definitions if found == definitions else found

    def _told(self, definition: Definition) -> Definition:
        said = self._tables.get(definition.array) if isinstance(definition, Lookup) else None
        if said is None or not isinstance(definition, Lookup):
            return definition
        is_increasing = Increasing in said and len(definition.indices) == 1
        return replace(definition, is_injective=Injective in said, is_increasing=is_increasing)
