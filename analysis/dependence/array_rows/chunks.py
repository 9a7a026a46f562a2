"""Chunks: iterations that each walk a stretch of an array of their own, cut by hand (`ns = j*size + min(j, rest)`).

Products of an iterator and a size fit in no integer set, but the ends of neighbours cancel. Two steps of an induction
are proved instead, for all iterations j and j + 1: the stretch of j ends before that of j + 1 starts, and starts never
go back. Then no stretch meets a later one. That some stretch is not empty may be used: otherwise nothing is touched
(so the chunks' size is at least 1, say).

Bounds by cases (`j < rest ? a : b`) are proved case by case; quotients (`j*n/t`) grow with what is divided.

Rows of packed triangles are such stretches: `T(i) + j` with a polynomial T (`i*(i + 1)/2`) whose degree neighbours
cancel. Where T falls, or the loop does, stretches may follow each other downwards: the same of the negated subscripts.
Inside, a polynomial of an iterator is largest at the end of its loop if no step of the loop takes it down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, islice, product

from warplens.analysis.dependence.array_rows.stretches import Stretch, end_of, is_curved
from warplens.analysis.dependence.integer_sets.constraint_rows import (
    Affine,
    Symbols,
    System,
    equals,
    exceeds,
    is_least,
    minus,
)
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver
from warplens.analysis.dependence.subscripts.defined_values import DefinedValues, Terms
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, same_layout
from warplens.analysis.dependence.subscripts.quasi_affine import Quotient, Remainder, Share
from warplens.analysis.dependence.subscripts.whole_quotients import whole_quotients, without_division
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Monomial, Polynomial

_MOST_CASES = 8
"""Cases of one stretch's bounds."""

_TERM_OPERATIONS = 5
"""What it counts as to make one term of a bound into coefficients."""

_WITNESS = "'witness"
"""The iterator of an iteration whose stretch is not empty."""


def are_apart(source: Reference, sink: Reference, level: int, solver: ConflictSolver) -> bool:
    """Whether what `sink` touches lies beyond all that `source` touched in earlier iterations of loop number `level`.

    False is not knowing. Raises TooComplexError.
    """
    if not same_layout(source, sink):
        return False
    definitions = (*source.place.definitions, *source.definitions, *sink.place.definitions, *sink.definitions)
    values = DefinedValues(definitions)
    first, second = (Stretch(r.place, level, values, solver) for r in (source, sink))
    curved = is_curved(source, 0) or is_curved(sink, 0)
    if not (first.loops and second.loops) and not curved:
        return False
    carrier = source.place.loops[level]
    moving = frozenset({carrier.iterator, *first.iterators, *second.iterators})
    if moving & {loop.iterator for loop in source.place.loops[:level]} or carrier.iterator in first.iterators:
        return False
    lasting = first.lasting(carrier) & second.lasting(carrier)
    induction = _Induction(carrier, moving, tuple(sorted(lasting, key=str)), values, solver)
    runs = dict.fromkeys((first.bounds(), second.bounds(), first.runs(), second.runs()))
    wholes = whole_quotients(definitions, source.place.wholes)
    for position, other in zip(source.positions, sink.positions, strict=False):
        if position is None or other is None:
            continue
        p, q = without_division((position, other), wholes)
        for sign in (1, -1) if curved or carrier.step < 0 else (1,):
            ends, starts = first.extremes(p * sign, 1), second.extremes(q * sign, -1)
            if ends and starts and any(induction.is_known(ends, starts, run) for run in runs):
                return True
    return False


class _Induction:
    """Two neighbours of one loop, and a third iteration that is known to touch something."""

    def __init__(
        self, carrier: Loop, moving: frozenset[str], lasting: Terms, values: DefinedValues, solver: ConflictSolver
    ) -> None:
        self._carrier = carrier
        self._moving = moving
        self._lasting = lasting
        self._values = values
        self._solver = solver

    def is_known(self, ends: Terms, starts: Terms, runs: Terms) -> bool:
        """Remembers what `holds` says: the references of a stretch share their bounds."""
        question = (self._carrier.id, self._lasting, ends, starts, runs)
        proved = self._solver.proved
        if question not in proved:
            proved[question] = self.holds(ends, starts, runs)
            self._solver.in_chunks |= {self._carrier.id} if proved[question] else set()
        return proved[question]

    def holds(self, ends: Terms, starts: Terms, runs: Terms) -> bool:
        """Whether every iteration's end lies before the next one's start, and no start after the next one's.

        The end is the smallest of `ends`, the start the largest of `starts`; `runs` are at least zero in some
        iteration. Raises TooComplexError.
        """
        step, iterator = self._carrier.step, Polynomial.symbol(self._carrier.iterator)
        before, after, witnesses = (self._cases(terms) for terms in (ends, starts, runs))
        if not before or not after or not witnesses:
            return False
        following = [self._at(iterator + step, case) for case in after]
        somewhere = [self._at(Polynomial.symbol(_WITNESS), case) for case in witnesses]
        count = len(starts)
        for next_case, witness in product(following, somewhere):
            nexts = [start for start in next_case[:count] if start is not None]
            conditions = (*next_case[count:], *witness)
            for case in before:
                wrong = [end - start for end in case[: len(ends)] for start in nexts]
                if not self._is_impossible(wrong, (*case[len(ends) :], *conditions)):
                    return False
            for case in after:
                for own in case[:count]:
                    if not self._is_impossible([own - start - 1 for start in nexts], (*case[count:], *conditions)):
                        return False
        return True

    def _cases(self, terms: Terms) -> list[Terms]:
        """Terms and then the conditions of each case; none where there are too many."""
        found = [(*case, *conditions) for case, conditions in islice(self._values.cases(terms), _MOST_CASES + 1)]
        return found if len(found) <= _MOST_CASES else []

    def _at(self, place: Polynomial, case: Terms) -> tuple[Polynomial | None, ...]:
        return tuple(self._values.replaced(term, self._carrier.iterator, place) for term in case)

    def _is_impossible(self, violation: list[Polynomial], conditions: tuple[Polynomial | None, ...]) -> bool:
        """Whether for no sizes and iterations under the conditions all of the violation is at least zero."""
        loop, values = self._carrier, self._values
        here = Polynomial.symbol(loop.iterator)
        sign = 1 if loop.step > 0 else -1
        terms = [term for term in conditions if term is not None]
        for point in (here, here + loop.step, Polynomial.symbol(_WITNESS)):
            terms += [(point - bound) * sign for bound in end_of(loop, at_end=False)]
            terms += [(bound - point) * sign for bound in end_of(loop, at_end=True)]
        for point in (here, here + loop.step):
            terms += [term.substitute({loop.iterator: point}) for term in self._lasting]
        self._solver.budget.use(_TERM_OPERATIONS * sum(len(term.terms) for term in (*violation, *terms)))
        columns = {loop.iterator: "x", _WITNESS: "w"}
        table = Symbols()
        for term in (*violation, *terms):
            for name in sorted(term.symbols & values.known.keys()):
                if not self._is_fixed(name):
                    columns.setdefault(name, f"q{len(columns)}")
        system = System()
        wrong = [known for term in violation if (known := self._affine(term, columns, table)) is not None]
        if not wrong:
            return False
        rest = [known for term in terms if (known := self._affine(term, columns, table)) is not None]
        system.add(*map(is_least, (*wrong, *rest)))
        for square, root in _squares((*wrong, *rest), columns, table):
            system.add(exceeds({square: 1}, {root: 1}), exceeds({square: 1}, {root: -1}))
        self._relate_quotients(system, columns, table)
        return self._solver.is_impossible(system, table)

    def _is_fixed(self, name: str) -> bool:
        return (self._moving | {_WITNESS}).isdisjoint(self._values.basis(Polynomial.symbol(name)))

    def _affine(self, term: Polynomial, columns: dict[str, str], table: Symbols) -> Affine | None:
        moving = (self._moving | {_WITNESS}) - columns.keys()
        if not moving.isdisjoint(term.symbols):
            return None
        squares: dict[Monomial, int] = {m: c for m, c in term.terms if len(m) == 2 and m[0] == m[1] and m[0] in columns}
        found = table.affine(term - Polynomial.of(squares), columns)
        return None if found is None else {**found, **{_square(columns[m[0]]): c for m, c in squares.items()}}

    def _relate_quotients(self, system: System, columns: dict[str, str], table: Symbols) -> None:
        """Quotients by one positive divisor are ordered as what is divided."""
        divided: list[tuple[Polynomial, bool, Polynomial, str]] = []
        for name in columns.keys() & self._values.known.keys():
            match self._values.known[name]:
                case Quotient(numerator, divisor, rounds_down):
                    divided.append((Polynomial.constant(divisor), rounds_down, numerator, columns[name]))
                case Share(Remainder(numerator, modulus)):
                    divided.append((modulus, False, numerator, columns[name]))
                case _:
                    pass
        for one, other in combinations(sorted(divided, key=lambda d: d[3]), 2):
            distance = self._affine(one[2] - other[2], columns, table)
            below = self._affine(one[0], columns, table)
            if one[:2] != other[:2] or distance is None or below is None:
                continue
            p, q = {one[3]: 1}, {other[3]: 1}
            system.choose(
                (is_least(minus({}, below)),),
                (is_least(distance, 1), exceeds(p, q)),
                (is_least(minus({}, distance), 1), exceeds(q, p)),
                (equals(distance, {}), equals(p, q)),
            )


def _square(column: str) -> str:
    return f"{column}^2"


def _squares(rows: Iterable[Affine], columns: Mapping[str, str], table: Symbols) -> Iterator[tuple[str, str]]:
    """Columns of squares in the rows, and those of what is squared: at least as large, whatever its sign."""
    used = {column for row in rows for column in row}
    for column in columns.values():
        if _square(column) in used:
            yield _square(column), column
    for monomial, column in list(table.names.items()):
        if len(monomial) == 2 and monomial[0] == monomial[1] and column in used:
            root = table.affine(Polynomial.symbol(monomial[0]), {})
            yield from ((column, name) for name in root or ())
