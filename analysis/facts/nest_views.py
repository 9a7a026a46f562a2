"""A nest as it is looked at under what is said of it."""

from __future__ import annotations

from warplens.analysis.facts.affine_condition import Disjunction
from warplens.analysis.facts.iteration_domain import Reference
from warplens.analysis.facts.nest_budget import NestBudget
from warplens.analysis.facts.nest_references import references
from warplens.analysis.facts.promises import by_array, known_tables
from warplens.analysis.facts.reduction import accumulations
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promise import Promise

_REFERENCE_OPERATIONS = 30
"""What it counts as to find out where one reference runs and what it touches."""


class NestViews:
    """A nest and its references under what is said of tables and sizes: the same ones where the same is said."""

    def __init__(self, nest: LoopNest, budget: NestBudget) -> None:
        self.nest = nest
        self._budget = budget
        self.tables = known_tables(nest)
        self.folds = accumulations((nest.root,), nest.scalars)
        self._seen: dict[tuple[object, ...], tuple[Reference, ...]] = {}

    def references(self, promises: tuple[Promise, ...], sizes: tuple[Disjunction, ...] = ()) -> tuple[Reference, ...]:
        """All references of the nest."""
        said = by_array((*promises, *self.tables))
        key = (frozenset(said.items()), sizes)
        if key not in self._seen:
            self._seen[key] = references(self.nest, said, sizes)
            self._budget.count(_REFERENCE_OPERATIONS * len(self._seen[key]))
        return self._seen[key]
