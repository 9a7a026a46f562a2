"""Choices that stay one way while a loop runs, `at = mode == 2 ? i*n : i*n + m`, taken case by case.

A choice between sums of products fits in no integer set. Where the condition speaks of what stands still, both
references of a pair choose the same side: each case is a pair of plain subscripts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from warplens.analysis.dependence.integer_sets.constraint_rows import Affine, Symbols, System, is_least
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver
from warplens.analysis.dependence.subscripts.defined_values import DefinedValues
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.quasi_affine import Choice, Disjunction
from warplens.analysis.ir.polynomial import Polynomial

_MOST_CASES = 8

_Pair = tuple[Reference, Reference]


def without_fixed_choices(source: Reference, sink: Reference, level: int, solver: ConflictSolver) -> tuple[_Pair, ...]:
    """The pair once for each way in which the choices in its subscripts can go; the pair itself where there are none.

    None of them: the two never run under one condition. Raises TooComplexError.
    """
    cases = _Cases(source, sink, level, solver)
    found: list[_Pair] = []
    todo = [(source, sink)]
    while todo:
        pair = todo.pop()
        choice = cases.choice_in(pair)
        if choice is None:
            found.append(pair)
        else:
            todo += (case for case in cases.of(choice, pair) if cases.is_possible(case))
        if len(found) + len(todo) > _MOST_CASES:
            return ((source, sink),)
    return tuple(found)


class _Cases:
    """What is known of the symbols of a pair."""

    def __init__(self, source: Reference, sink: Reference, level: int, solver: ConflictSolver) -> None:
        definitions = [d for r in (source, sink) for d in (*r.place.definitions, *r.definitions)]
        self._values = DefinedValues(tuple(definitions))
        outer = {loop.iterator for loop in source.place.loops[:level]}
        self._moving = {loop.iterator for r in (source, sink) for loop in r.place.loops} - outer
        self._solver = solver

    def choice_in(self, pair: _Pair) -> Choice | None:
        """A choice of a subscript whose condition stays what it is."""
        terms = (p for reference in pair for p in reference.positions if p is not None)
        names = sorted({name for term in terms for name in term.symbols})
        choices = (d for d in map(self._values.known.get, names) if isinstance(d, Choice))
        return next((choice for choice in choices if _has_product(choice) and self._is_fixed(choice)), None)

    def of(self, choice: Choice, pair: _Pair) -> list[_Pair]:
        """The pair with each side of the choice, where that is chosen."""
        sides = ((choice.condition, choice.then), (choice.negated, choice.otherwise))
        return [
            (self._chosen(pair[0], choice, value, part), self._chosen(pair[1], choice, value, part))
            for test, value in sides
            for part in test
        ]

    def is_possible(self, pair: _Pair) -> bool:
        """Whether both may run, as far as what stands still decides."""
        table, system = Symbols(), System()
        for guard in dict.fromkeys((*pair[0].place.guards, *pair[1].place.guards)):
            if self._stands_still(guard):
                parts = [[self._row(term, table) for term in part] for part in guard]
                system.choose(*(tuple(is_least(row) for row in part if row is not None) for part in parts))
        return not self._solver.is_impossible(system, table)

    def _row(self, term: Polynomial, table: Symbols) -> Affine | None:
        return table.affine(term, {})

    def _chosen(
        self, reference: Reference, choice: Choice, value: Polynomial, condition: tuple[Polynomial, ...]
    ) -> Reference:
        positions = tuple(p if p is None else p.substitute({choice.name: value}) for p in reference.positions)
        used = self._behind(name for p in positions if p is not None for name in p.symbols)
        place = replace(reference.place, guards=(*reference.place.guards, (condition,)))
        return replace(
            reference,
            positions=positions,
            place=place,
            definitions=tuple(d for d in reference.definitions if d.name in used),
        )

    def _behind(self, names: Iterable[str]) -> frozenset[str]:
        return self._values.basis(sum(map(Polynomial.symbol, sorted(set(names))), Polynomial(())))

    def _is_fixed(self, choice: Choice) -> bool:
        return self._stands_still(choice.condition) and self._stands_still(choice.negated)

    def _stands_still(self, guard: Disjunction) -> bool:
        symbols = [self._values.basis(term) for part in guard for term in part]
        return all(self._moving.isdisjoint(found) and found.isdisjoint(self._values.known) for found in symbols)


def _has_product(choice: Choice) -> bool:
    """Whether it is more than one of two sums, which integer sets hold."""
    return max(choice.then.degree, choice.otherwise.degree) > 1
