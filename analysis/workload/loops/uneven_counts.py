"""Counts of loops whose bounds are no polynomials: variables that double, halve or move by another one; `j = i % 2`.

A count is a formula in the parameters and in the counters of the loops around; its average is the weighted mean over
those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.ir.bound_reason import READ_BOUND, READ_START
from warplens.analysis.ir.expression import Expression
from warplens.analysis.ir.formula import ONE, Formula
from warplens.analysis.ir.nest import Loop, Progress
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.loops.expression_formula import Named, expression_formula, no_name

Values = Mapping[str, Formula | None]
"""What integers of the nest hold at some point, over parameters and counters; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Run:
    """A loop around: its counter's name and how often it runs, over counters and parameters.

    `is_short` marks one that runs at most as often as a number has digits: its means are exact.
    """

    counter: str
    count: Formula
    is_short: bool = False


def uneven_count(loop: Loop, values: Values, named: Named = no_name) -> Formula | None:
    """How often a loop runs whose bounds are expressions, None where data decides.

    `named` says which parameter a part of a limit is that has no formula.
    """
    if loop.progress is not None:
        return _progress_count(loop.progress, values)
    start, ends = first_value(loop, values), _ends(loop, values, named)
    if start is None or not ends or loop.step == 0 or {*loop.bound_reasons} - {READ_BOUND, READ_START}:
        return None
    smallest: Formula | None = None
    for end in ends:
        distance = (end - start) * (1 if loop.step > 0 else -1)
        count = (distance / abs(loop.step)).ceil()
        smallest = count if smallest is None else smallest.at_most(count)
    return None if smallest is None else smallest.at_least(0)


def first_value(loop: Loop, values: Values) -> Formula | None:
    """Where the iterator starts."""
    if loop.start is not None:
        return polynomial_formula(loop.start, values)
    return None if loop.start_read is None else expression_formula(loop.start_read, values)


def value_in_loop(progress: Progress, counter: str, values: Values) -> Formula | None:
    """What the variable holds in the loop's iteration number `counter`."""
    first, amount = (expression_formula(part, values) for part in (progress.first, progress.amount))
    if first is None or amount is None:
        return None
    at = Formula.parameter(counter)
    match progress.operator:
        case "+":
            return first + amount * at
        case "-":
            return first - amount * at
        case "*":
            return first * amount.power(at)
        case _:
            return (first / amount.power(at)).truncated()


def polynomial_formula(polynomial: Polynomial, values: Values) -> Formula | None:
    """A polynomial over what is known, None where one of its symbols is not."""
    known = {name: value for name in polynomial.symbols if (value := values.get(name)) is not None}
    return Formula.from_polynomial(polynomial, known) if len(known) == len(polynomial.symbols) else None


def average_count(count: Formula, around: Sequence[Run]) -> tuple[Formula, bool]:
    """Mean of a count over all executions of its loop, and whether it is exact; loops `around` are outer first."""
    by_counter = {run.counter: run for run in around}
    needed = set(count.parameters & by_counter.keys())
    while True:
        more = {name for counter in needed for name in by_counter[counter].count.parameters & by_counter.keys()}
        more |= {run.counter for run in around if run.count.parameters & needed}
        if more <= needed:
            break
        needed |= more
    relevant = [run for run in around if run.counter in needed]
    weight, is_exact = ONE, True
    for run in reversed(relevant):
        if run.counter in count.parameters | weight.parameters:
            is_exact &= run.is_short
        if run.counter in count.parameters:
            count = count.mean_over(run.counter, run.count, weight)
        is_alike = run.counter not in weight.parameters
        weight = run.count * (weight if is_alike else weight.mean_over(run.counter, run.count, ONE))
    return count, is_exact


def _ends(loop: Loop, values: Values, named: Named) -> list[Formula]:
    """Exclusive limits, none where one of them is not known."""
    if len(loop.limit_reads) + (loop.start_read is not None) != len(loop.bound_reads):
        return []
    found = [polynomial_formula(limit, values) for limit in loop.limits]
    found += [_read_end(read, added, values, named) for read, added in loop.limit_reads]
    known = [end for end in found if end is not None]
    return known if len(known) == len(found) else []


def _read_end(read: Expression, added: Polynomial, values: Values, named: Named) -> Formula | None:
    one, other = expression_formula(read, values, named), polynomial_formula(added, values)
    return None if one is None or other is None else one + other


def _progress_count(progress: Progress, values: Values) -> Formula | None:
    parts = [expression_formula(part, values) for part in (progress.first, progress.amount, progress.limit)]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if progress.is_square:
        progress, known[2] = _of_root(progress, known[2])
    count = _steps(progress, *known)
    return count if count is None or progress.is_tested_first else count.at_least(1)


def _of_root(progress: Progress, limit: Formula) -> tuple[Progress, Formula]:
    """`i * i <= n` is `i <= root(n)` of what is not negative."""
    if progress.relation == "<":
        limit = limit - 1
    return replace(progress, relation="<=" if progress.relation in {"<", "<="} else ">", is_square=False), limit.root()


def _steps(progress: Progress, first: Formula, amount: Formula, limit: Formula) -> Formula | None:
    """Assumes: steps are in the direction of the limit, and what is multiplied starts from 1 at least.

    Equations: first * b**t < limit holds as long as b**t <= ceil(limit / first) - 1, which is once for each of that
    number's digits in base b; first / b**t >= limit as long as b**t <= first / limit.
    """
    match progress.operator, progress.relation:
        case "+" | "-" as operator, relation:
            distance = limit - first if operator == "+" else first - limit
            inclusive, exclusive = ("<=", "<") if operator == "+" else (">=", ">")
            if amount.value is not None and amount.value <= 0:
                return None
            by = amount.at_least(1)
            if relation == inclusive:
                return ((distance / by).floor() + 1).at_least(0)
            return (distance / by).ceil().at_least(0) if relation in {exclusive, "!="} else None
        case "*", "<" | "!=":
            return ((limit / first.at_least(1)).ceil() - 1).digits(amount)
        case "*", "<=":
            return (limit / first.at_least(1)).floor().digits(amount)
        case "/", ">" | "!=":
            return (first / (limit + 1).at_least(1)).floor().digits(amount)
        case "/", ">=":
            return (first / limit.at_least(1)).floor().digits(amount)
        case _:
            return None
