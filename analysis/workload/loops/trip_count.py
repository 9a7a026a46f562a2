"""How often a loop runs: exact formulas from start, limits and step; averages for triangular loops.

Iterators are written as `start + step * t` with a counter t from 0, so that every count is a function of counters and
parameters. A count that depends on one outer counter is summed in closed form with its clamp at zero; one that depends
on several is summed by Faulhaber's polynomials, right where no count in between is negative.

Not modelled: exits before the loop's end (`break` is shown as an assumption).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from warplens.analysis.algebra.clamped_sum import Linear, sum_clamped
from warplens.analysis.algebra.summation import sum_over
from warplens.analysis.facts.nest_facts import TripCount
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import ScalarRef, walk
from warplens.analysis.ir.formula import ONE, ZERO, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Exit, If, Loop, LoopNest, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rational_polynomial import RationalPolynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import OUTERMOST_RUNS, counter_of, iterations_of, kind_of
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.ir.types import Scalar
from warplens.analysis.workload.loops.counted_loop import Counted, is_tile, never_negative, relevant_loops
from warplens.analysis.workload.loops.derived_symbols import derived_formulas, formula_of
from warplens.analysis.workload.loops.expression_formula import expression_formula
from warplens.analysis.workload.loops.steady_limits import SteadyLimits
from warplens.analysis.workload.loops.uneven_counts import (
    Run,
    average_count,
    first_value,
    uneven_count,
    value_in_loop,
)

_MOST_PARTS = 2000
"""Operations of an average, written out: where a bound has powers of outer iterators it holds theirs as many times."""
_MOST_SUMS = 10
"""Loops, each with bounds from those around it, over which a count is summed in closed form."""


def trip_counts(nest: LoopNest) -> tuple[TripCount, ...]:
    """Trip count of every loop, outer before inner.

    Equation: max(0, ceil((limit - start) / step)), the smallest over several limits. What has no such bounds and is not
    decided by data is counted by uneven_counts.py.
    Assumes: a limit that stays the same is a parameter called as the source spells it, the count of a loop whose bounds
    else depend on data the parameter `iterations of <iterator>`; both are shown as assumptions.
    """
    counter = _TripCounter(nest)
    counter.visit((nest.root,), (), {}, _Point(counter.at_start(nest), ()))
    return tuple(counter.found)


@dataclass(frozen=True, slots=True)
class _Point:
    """What integers hold at a point of the nest, and the loops around it, outer first."""

    values: dict[str, Formula | None]
    around: tuple[Run, ...]


class _TripCounter:
    def __init__(self, nest: LoopNest) -> None:
        self.found: list[TripCount] = []
        self._derived = derived_formulas(nest)
        self._known = {*nest.parameters, *(symbol.name for symbol in nest.derived)}
        self._taken = set(self._known)
        self._steady = SteadyLimits(nest)

    def at_start(self, nest: LoopNest) -> dict[str, Formula | None]:
        """What integers hold before the nest: themselves, where nothing in it sets them."""
        walked = tuple(walk_statements((nest.root,)))
        progresses = [s.progress for s in walked if isinstance(s, Loop) and s.progress is not None]
        parts = [part for p in progresses for part in (p.first, p.amount, p.limit)]
        named = {node.name for part in parts for node in walk(part) if isinstance(node, ScalarRef)}
        named |= {
            scalar.name for scalar in nest.scalars if isinstance(scalar.type, Scalar) and scalar.type.kind == "int"
        }
        values: dict[str, Formula | None] = dict.fromkeys(named - _set_in(walked))
        values |= {name: Formula.parameter(name) for name in (*values, *nest.parameters)}
        if nest.root.progress is not None and nest.root.progress.variable in named:
            values[nest.root.progress.variable] = Formula.parameter(nest.root.progress.variable)
        return {**values, **self._derived}

    def visit(
        self,
        body: tuple[Statement, ...],
        around: tuple[Counted | None, ...],
        iterators: Mapping[str, Polynomial],
        point: _Point,
    ) -> None:
        for statement in body:
            if isinstance(statement, Loop):
                self._visit_loop(statement, around, iterators, point)
                point.values.update(dict.fromkeys(_set_in(walk_statements((statement,)))))
            elif isinstance(statement, If):
                for side in (statement.then, statement.otherwise):
                    self.visit(side, around, iterators, _Point(dict(point.values), point.around))
                point.values.update(dict.fromkeys(_set_in(walk_statements((statement,)))))
            elif isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
                value = None if statement.operator else expression_formula(statement.value, point.values)
                point.values[statement.target.name] = value

    def _visit_loop(
        self,
        loop: Loop,
        around: tuple[Counted | None, ...],
        iterators: Mapping[str, Polynomial],
        point: _Point,
    ) -> None:
        counter = counter_of(loop.id)
        distances = self._distances(loop, iterators)
        uneven = uneven_count(loop, point.values) if distances is None else None
        assumptions, is_taken = _exit_assumptions(loop), False
        if distances is None and uneven is None:
            uneven = uneven_count(loop, point.values, lambda part: self._steady.name(part, loop))
            is_taken = uneven is not None
        inside = dict(iterators)
        counted: Counted | None = None
        if uneven is not None:
            average, exact = average_count(uneven, point.around)
            if average.is_longer_than(_MOST_PARTS):
                uneven, exact = None, False
            elif is_taken:
                assumptions, exact = (*self._taken_as_steady(loop, uneven), *assumptions), False
            elif not exact:
                what = "the iterations of the loops around that were looked at stand for the others"
                assumptions = (_average_assumption(loop, what), *assumptions)
        if distances is None and uneven is None:
            why = f" ({loop.bound_reason})" if loop.bound_reason else ""
            average, unknown = self._parameter(loop, f"depends on data{why}")
            assumptions = (unknown, *assumptions)
            exact = False
        if distances is None:
            inside.pop(loop.iterator, None)
        else:
            depends = frozenset(s for d in distances for s in d.symbols if kind_of(s) == "computed")
            counted = Counted(counter, distances, abs(loop.step), depends, ONE)
            average, guess = self._average(loop, counted, tuple(c for c in around if c is not None))
            if average.is_longer_than(_MOST_PARTS):
                average, guess = self._parameter(loop, f"grows to more than {_MOST_PARTS} operations on sizes")
            exact = guess is None
            if guess is not None:
                assumptions = (guess, *assumptions)
            if loop.bound_reason:
                exact = False
                assumptions = (*assumptions, _partly_known(loop))
            if loop.exact_end and abs(loop.step) > 1:
                assumptions = (*assumptions, _divisible(loop))
            counted = Counted(counter, distances, abs(loop.step), depends, average)
            inside.pop(loop.iterator, None)
            with suppress(TooLargeError):  # what depends on it is not known then
                start = (loop.start or Polynomial(())).substitute(iterators)
                inside[loop.iterator] = start + Polynomial.symbol(counter) * loop.step
        self.found.append(TripCount(loop.id, average, exact, assumptions))
        count = self._count_at(distances, loop.step) if distances is not None else average if uneven is None else uneven
        is_short = loop.progress is not None and loop.progress.operator in {"*", "/"} and uneven is not None
        within = _Point(
            self._values_inside(loop, counter, inside, point.values), (*point.around, Run(counter, count, is_short))
        )
        self.visit(loop.body, (*around, counted), inside, within)

    def _count_at(self, distances: tuple[Polynomial, ...], step: int) -> Formula:
        """The count over the counters of the loops around."""
        counts = [formula_of(distance, self._derived) / abs(step) for distance in distances]
        smallest = counts[0].ceil()
        for count in counts[1:]:
            smallest = smallest.at_most(count.ceil())
        return smallest.at_least(0)

    def _values_inside(
        self, loop: Loop, counter: str, iterators: Mapping[str, Polynomial], before: dict[str, Formula | None]
    ) -> dict[str, Formula | None]:
        """What integers hold at the start of each iteration."""
        values = {**before, **dict.fromkeys(_set_in(walk_statements((loop,))))}
        if loop.progress is not None:
            values[loop.progress.variable] = value_in_loop(loop.progress, counter, before)
        known, first = iterators.get(loop.iterator), first_value(loop, before)
        if known is not None:
            values[loop.iterator] = formula_of(known, self._derived)
        elif first is not None:
            values[loop.iterator] = first + Formula.parameter(counter) * loop.step
        return values

    def _distances(self, loop: Loop, iterators: Mapping[str, Polynomial]) -> tuple[Polynomial, ...] | None:
        """Limits minus start in the direction of the step, None when something in them is not known."""
        if loop.start is None or not loop.limits or loop.step == 0:
            return None
        sign = 1 if loop.step > 0 else -1
        try:
            distances = tuple(((limit - loop.start) * sign).substitute(iterators) for limit in loop.limits)
        except TooLargeError:
            return None
        for distance in distances:
            if any(kind_of(s) != "computed" and s not in self._known for s in distance.symbols):
                return None
        return tuple(sorted(set(distances), key=lambda d: d.terms))

    def _parameter(self, loop: Loop, what: str) -> tuple[Formula, Assumption]:
        """The average that only who wrote the loop knows."""
        name = iterations_of(loop.iterator, self._taken)
        self._taken.add(name)
        iterator = c_name(loop.iterator)
        text = (
            f"How often the loop over `{iterator}` runs {what}: its average is the "
            f"parameter `{name}`, say `// warplens: {name} = …` above the loop."
        )
        return Formula.parameter(name), Assumption("average", name, text)

    def _taken_as_steady(self, loop: Loop, count: Formula) -> Iterator[Assumption]:
        """What is said of limits that may change as far as is known."""
        iterator = c_name(loop.iterator)
        for name in sorted(count.parameters - self._known):
            text = (
                f"How often the loop over `{iterator}` runs follows from `{name}`, which is taken to stay the same "
                f"while the nest runs: say `// warplens: {name} = …` above the loop."
            )
            if kind_of(name) != "computed":
                yield Assumption("average", name, text)

    def _average(self, loop: Loop, own: Counted, around: tuple[Counted, ...]) -> tuple[Formula, Assumption | None]:
        relevant = relevant_loops(own, around)
        if not relevant:
            return self._clamped(own, {}), None
        try:
            summed = self._summed(own, relevant)
        except TooLargeError:
            summed = None
        if summed is not None and summed[1]:
            return summed[0], None
        if len(relevant) == 1:
            exact = self._one_counter(own, relevant[0])
            if exact is not None:
                return exact, None
        if summed is not None:
            what = "no run of it or of a loop around it has a negative count"
            return summed[0], _average_assumption(loop, what)
        # At the mean of the outer counters: exact for a count that is linear and never clamped or rounded.
        means: dict[str, Formula] = {}
        for outer in relevant:
            means[outer.counter] = (outer.average - 1).at_least(0) / 2
        return self._clamped(own, means), _average_assumption(
            loop, "it runs as often as in the middle of the outer loops"
        )

    def _summed(self, own: Counted, relevant: tuple[Counted, ...]) -> tuple[Formula, bool] | None:
        """Total over executions by Faulhaber sums, and whether no count is negative; None if one is not polynomial.

        A count of the outermost loop that is negative stands for no execution: the average is then any number >= 0.
        Raises TooLargeError.
        """
        counts = [counted.polynomial for counted in (*relevant, own)]
        if relevant[0].depends or len(relevant) > _MOST_SUMS or any(count is None for count in counts):
            return None
        known = [count for count in counts if count is not None]
        total, executions = RationalPolynomial(known[-1]), RationalPolynomial(Polynomial.constant(1))
        for outer, count in reversed([*zip(relevant, known[:-1], strict=True)][1:]):
            total = sum_over(total, outer.counter, count)
            executions = sum_over(executions, outer.counter, count)
        is_proved = all(never_negative(count, relevant[: at + 1]) for at, count in enumerate(known[1:]))
        size = Polynomial.symbol(OUTERMOST_RUNS)
        total = sum_over(total, relevant[0].counter, size)
        if len(relevant) == 1:
            # The executions are N itself, a factor of every term of the total.
            mean = RationalPolynomial(total.numerator.coefficient(OUTERMOST_RUNS), total.divisor)
            return self._in_parameters(mean, known[0]).at_least(0), is_proved
        executions = sum_over(executions, relevant[0].counter, size)
        runs = self._in_parameters(executions, known[0]).at_least(1)
        return (self._in_parameters(total, known[0]) / runs).at_least(0), is_proved

    def _in_parameters(self, polynomial: RationalPolynomial, outermost: Polynomial) -> Formula:
        whole = polynomial.numerator.substitute({OUTERMOST_RUNS: outermost})
        return Formula.from_polynomial(whole, self._derived, polynomial.divisor)

    def _clamped(self, counted: Counted, counters: Mapping[str, Formula]) -> Formula:
        """`max(0, min over limits of ceil(distance / step))` with outer counters replaced."""
        symbols = {**self._derived, **counters}
        counts = [(formula_of(d, symbols) / counted.step) for d in counted.distances]
        smallest = counts[0] if counted.step == 1 and not counters else counts[0].ceil()
        for count in counts[1:]:
            smallest = smallest.at_most(count if counted.step == 1 and not counters else count.ceil())
        return smallest.at_least(0)

    def _one_counter(self, own: Counted, outer: Counted) -> Formula | None:
        """Exact mean over one outer counter, clamps included; None when a count is not linear in it."""
        lines = [self._linear(distance, own.step, outer.counter) for distance in own.distances]
        if len(lines) > 2 or any(line is None for line in lines):
            return None
        known = [line for line in lines if line is not None]
        proved = self._clamped(outer, {})
        if is_tile(own, outer):
            # Every element of the outer range is in one tile.
            return formula_of(outer.distances[0], self._derived).at_least(0) / proved.at_least(1)
        if len(known) == 1:
            total = sum_clamped(known[0], ZERO, proved)
        else:
            low, high = sorted(known, key=lambda line: line.slope)
            if low.slope == high.slope:
                total = sum_clamped(Linear(low.rest.at_most(high.rest), low.slope), ZERO, proved)
            else:
                # `low` grows more slowly, so it is the smaller one from the crossing on.
                crossing = ((low.rest - high.rest) / (high.slope - low.slope)).ceil().at_least(0).at_most(proved)
                total = sum_clamped(high, ZERO, crossing) + sum_clamped(low, crossing, proved)
        return total / proved.at_least(1)

    def _linear(self, distance: Polynomial, step: int, counter: str) -> Linear | None:
        slope = distance.coefficient(counter)
        if not slope.is_constant or slope.constant_term % step:
            return None
        rest = formula_of(distance.without((counter,)), self._derived)
        return Linear(rest if step == 1 else (rest / step).ceil(), slope.constant_term // step)


def _set_in(statements: Iterable[Statement]) -> frozenset[str]:
    """Scalars and iterators that are set."""
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, Loop):
            found.add(statement.iterator)
        elif isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
            found.add(statement.target.name)
    return frozenset(found)


def _average_assumption(loop: Loop, what: str) -> Assumption:
    iterator = c_name(loop.iterator)
    return Assumption(
        "average", iterator, f"The trip count of the loop over `{iterator}` is an average, taken as if {what}."
    )


def _divisible(loop: Loop) -> Assumption:
    iterator = c_name(loop.iterator)
    text = f"The loop over `{iterator}` ends with `!=`: its step {loop.step} is assumed to divide the distance."
    return Assumption("bounds", iterator, text)


def _partly_known(loop: Loop) -> Assumption:
    iterator = c_name(loop.iterator)
    text = (
        f"The loop over `{iterator}` may end early ({loop.bound_reason}); it is counted as running to its known limit."
    )
    return Assumption("average", iterator, text)


def _exit_assumptions(loop: Loop) -> tuple[Assumption, ...]:
    if any(isinstance(s, Exit) and s.leaves == loop.id for s in walk_statements(loop.body)):
        iterator = c_name(loop.iterator)
        text = f"The loop over `{iterator}` may end early; it is counted as running to its end."
        return (Assumption("average", iterator, text),)
    return ()


def trip_count_formulas(counts: tuple[TripCount, ...]) -> dict[NodeId, Formula]:
    """Average trip count by loop."""
    return {count.loop: count.average for count in counts}
