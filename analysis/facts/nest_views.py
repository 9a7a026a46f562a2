"""A nest as it is looked at under what is said of it."""

from __future__ import annotations

from warplens.analysis.facts.affine_condition import Disjunction
from warplens.analysis.facts.iteration_domain import Reference
from warplens.analysis.facts.nest_references import references
from warplens.analysis.facts.promises import by_array, known_tables
from warplens.analysis.facts.reduction import accumulations
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promise import Promise


class NestViews:
    """A nest and its references under what is said of tables and sizes: the same ones where the same is said."""

    def __init__(self, nest: LoopNest) -> None:
        self.nest = nest
        self.tables = known_tables(nest)
        self.folds = accumulations((nest.root,), nest.scalars)
        self._seen: dict[tuple[object, ...], tuple[Reference, ...]] = {}

    def references(self, promises: tuple[Promise, ...], sizes: tuple[Disjunction, ...] = ()) -> tuple[Reference, ...]:
        """All references of the nest."""
        said = by_array((*promises, *self.tables))
        key = (frozenset(said.items()), sizes)
        if key not in self._seen:
            self._seen[key] = references(self.nest, said, sizes)
        return self._seen[key]
