"""What the tests of a loop say of its iterator: exclusive limits, or reads and a reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from warplens.analysis.frontend.values.smaller_values import minimum_or_maximum
from warplens.analysis.frontend.values.values import Values
from warplens.analysis.ir.bound_reason import READ_BOUND, BoundReason
from warplens.analysis.ir.expression import Binary, Cast, Constant, Expression, ScalarRef, walk
from warplens.analysis.ir.polynomial import Polynomial

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!=", "==": "=="}
"""Comparisons with their sides exchanged."""
_NO_BOUND = BoundReason("a condition does not bound the iterator")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right` of a test; None for a side that is no polynomial, `reads` are such sides.

    `sides` are both as expressions where the test compares integers that it names.
    """

    operator: str
    left: Polynomial | None
    right: Polynomial | None
    reads: tuple[Expression, ...] = ()
    sides: tuple[Expression, ...] = ()


@dataclass(slots=True)
class Limits:
    """Exclusive limits in the direction of the step; `reads` and `reasons` tell what was not understood."""

    limits: list[Polynomial] = field(default_factory=list)
    exact_end: bool = False
    reads: list[Expression] = field(default_factory=list)
    limit_reads: list[tuple[Expression, Polynomial]] = field(default_factory=list)
    """Of the reads, those that are a limit by themselves, each with what is added to it."""
    reasons: list[BoundReason] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)

    @property
    def only(self) -> Polynomial | None:
        """The limit where there is one and nothing else."""
        return self.limits[0] if len(self.limits) == 1 and not self.reads and not self.reasons else None


def comparisons(test: Expression, values: Values) -> list[Comparison]:
    """Comparisons that must all hold; `i < min(a, b)` is two of them."""
    while isinstance(test, Cast):
        test = test.operand
    sides: list[tuple[str, Expression, Expression]] = []
    operator: str
    if isinstance(test, Binary) and test.operator in {"<", "<=", ">", ">=", "!="}:
        operator = test.operator
        right, left = minimum_or_maximum(test.right), minimum_or_maximum(test.left)
        if right and right[0] == ("min" if operator in {"<", "<="} else "max") and operator != "!=":
            sides = [(operator, test.left, side) for side in right[1:]]
        elif left and left[0] == ("min" if operator in {">", ">="} else "max") and operator != "!=":
            sides = [(operator, side, test.right) for side in left[1:]]
        else:
            sides = [(operator, test.left, test.right)]
    found = []
    for operator, one, other in sides or [("==", test, test)]:
        compared = (one, other) if sides else ()
        for polynomials in _values_of(operator, one, other, values):
            reads = [
                side for side, known in zip((one, other), polynomials, strict=True)
                if known is None and not isinstance(side, Constant)
            ]  # fmt: skip
            found.append(Comparison(operator, *polynomials, tuple(dict.fromkeys(reads)), compared))
    return found


def _values_of(
    operator: str, left: Expression, right: Expression, values: Values
) -> Iterator[tuple[Polynomial | None, Polynomial | None]]:
    """Values of both sides; twice where one is a variable that holds the smaller of two and both must hold."""
    one, other = values.settled(left), values.settled(right)
    upwards = operator in {"<", "<="}
    ends = {} if operator not in MIRRORED or operator == "!=" else values.smaller
    behind = ends.get(right.name) if other is None and isinstance(right, ScalarRef) else None
    before = ends.get(left.name) if one is None and isinstance(left, ScalarRef) else None
    if behind is not None and behind.kind == ("min" if upwards else "max"):
        yield from ((one, value) for value in behind.values)
    elif before is not None and before.kind == ("max" if upwards else "min"):
        yield from ((value, other) for value in before.values)
    else:
        yield one, other


def limits_of(tests: list[Comparison], iterator: str, step: int, values: Values) -> Limits:
    """Limits of an iterator from comparisons of values that move with it."""
    found = Limits()
    for test in tests:
        if test.left is None or test.right is None:
            found.reads += test.reads
            limit_read = _limit_read(test, iterator, step)
            if limit_read is not None:
                found.limit_reads.append(limit_read)
            found.reasons.append(READ_BOUND)
            continue
        limit = _limit(test.left - test.right, test.operator, iterator, step, values, found)
        if limit is None:
            found.reasons.append(_NO_BOUND)
        elif limit not in found.limits:
            found.limits.append(limit)
    if not tests:
        found.reasons.append(BoundReason("there is no condition"))
    return found


def _limit_read(test: Comparison, iterator: str, step: int) -> tuple[Expression, Polynomial] | None:
    """`i + k < e` and its other spellings, for a step of one in the right direction."""
    is_left = test.left is not None
    known = test.left if is_left else test.right
    if len(test.reads) != 1 or known is None:
        return None
    moved = known - Polynomial.symbol(iterator)
    operator = test.operator if is_left else MIRRORED[test.operator]
    added = {("<", True): 0, ("<=", True): 1, (">", False): 0, (">=", False): -1}.get((operator, step > 0))
    goes_along = any(isinstance(part, ScalarRef) and part.name == iterator for part in walk(test.reads[0]))
    return None if added is None or goes_along or iterator in moved.symbols else (test.reads[0], added - moved)


def _limit(
    difference: Polynomial, operator: str, iterator: str, step: int, values: Values, found: Limits
) -> Polynomial | None:
    """Exclusive limit from `difference operator 0` solved for the iterator."""
    factor = difference.coefficient(iterator)
    if not factor.terms or iterator in factor.symbols:
        return None
    rest = difference.without((iterator,))
    if factor.is_constant:
        is_negative = factor.constant_term < 0
    else:
        is_negative = operator in {">", ">="} or (operator == "!=" and factor.signs <= {-1})
    if is_negative:
        factor, rest, operator = -factor, -rest, MIRRORED[operator]
    if operator != "!=" and (operator in {"<", "<="}) != (step > 0):
        return None
    if not factor.is_constant:
        found.assumptions.append(f"`{factor}`, the step of a loop, is assumed to be positive")
    if factor == Polynomial.constant(1):
        limit: Polynomial | None = -rest
    elif operator in {"<", ">=", "!="}:
        limit = values.divided_up(-rest, factor)
        found.exact_end |= operator == "!="
    else:  # floor(x) = -ceil(-x)
        negative = values.divided_up(rest, factor)
        limit = None if negative is None else -negative
    found.exact_end |= operator == "!=" and abs(step) > 1
    if limit is None:
        return None
    return {"<=": limit + 1, ">=": limit - 1}.get(operator, limit)
