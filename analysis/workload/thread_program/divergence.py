"""Which share of its executions a branch takes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Binary, Call, Cast, Constant, Expression, ScalarRef, Unary, condition_text
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.nest import Assign, Evaluate, Exit, If, Loop, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.loops.ranges import highest, lowest

LARGE_PARAMETER = 1 << 20
"""Every parameter's value where a share is taken for large problems: a guard of a boundary is then near 0 or 1."""

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_MAX_DEPTH = 40


def then_share(
    statement: If, loops: tuple[Loop, ...], derived: Mapping[str, Formula]
) -> tuple[Fraction, Assumption | None]:
    """Share of the iterations in which the condition holds, and the assumption where it is not an affine guard.

    A comparison that is affine in one iterator is counted over that iterator's range for large parameters (all of
    them 2**20); conjunctions multiply. A side that leaves the loop is not taken (the trip count says so), nor one that
    ends the program (which the loop's assumptions say). Anything else is taken half the time.
    """
    if any(map(_leaves, statement.then)):
        return Fraction(0), None
    if any(map(_leaves, statement.otherwise)):
        return Fraction(1), None
    share = _share(statement.condition, {loop.iterator: loops[: at + 1] for at, loop in enumerate(loops)}, derived, 0)
    if share is not None:
        return share, None
    changing = _called_to_change(statement)
    text = f"`if ({condition_text(statement.condition)})` is assumed to hold half the time."
    if changing:
        text = f"`{changing}` is assumed to change half the time what it may change."
    return Fraction(1, 2), Assumption("average", "branch", text, 0.5)


def _leaves(statement: Statement) -> bool:
    called = statement.expression if isinstance(statement, Evaluate) else None
    return isinstance(statement, Exit) or (isinstance(called, Call) and called.effects == "ends")


def _called_to_change(statement: If) -> str:
    """The function whose call stands for a condition of the source's: what it may set gets a value that it gives."""
    condition = statement.condition
    if not isinstance(condition, Call) or condition.is_math:
        return ""
    for inner in statement.then:
        value = inner.value if isinstance(inner, Assign) else None
        while isinstance(value, Cast):
            value = value.operand
        if not isinstance(value, Call) or value.function != condition.function or value.arguments:
            return ""
    return condition.function


def affine(expression: Expression, depth: int = 0) -> Polynomial | None:
    """Polynomial of an integer expression of constants, scalars, sums and products; None for anything else."""
    if depth > _MAX_DEPTH:
        return None
    match expression:
        case Constant(value) if isinstance(value, int):
            return Polynomial.constant(value)
        case ScalarRef(name):
            return Polynomial.symbol(name)
        case Cast(operand):
            return affine(operand, depth + 1)
        case Unary("-", operand):
            inner = affine(operand, depth + 1)
            return None if inner is None else -inner
        case Binary(("+" | "-" | "*") as operator, left, right):
            a, b = affine(left, depth + 1), affine(right, depth + 1)
            if a is None or b is None:
                return None
            return a + b if operator == "+" else a - b if operator == "-" else a * b
        case _:
            return None


def _share(
    condition: Expression, loops: Mapping[str, tuple[Loop, ...]], derived: Mapping[str, Formula], depth: int
) -> Fraction | None:
    if depth > _MAX_DEPTH:
        return None
    match condition:
        case Cast(operand):
            return _share(operand, loops, derived, depth + 1)
        case Unary("!", operand):
            inner = _share(operand, loops, derived, depth + 1)
            return None if inner is None else 1 - inner
        case Binary("&&", left, right):
            a, b = _share(left, loops, derived, depth + 1), _share(right, loops, derived, depth + 1)
            return None if a is None or b is None else a * b
        case Binary("||", left, right):
            a, b = _share(left, loops, derived, depth + 1), _share(right, loops, derived, depth + 1)
            return None if a is None or b is None else a + b - a * b
        case Binary(("<" | "<=" | ">" | ">=" | "==" | "!=") as operator, left, right):
            a_value, b_value = affine(left), affine(right)
            if a_value is None or b_value is None:
                return None
            return _guard(operator, a_value - b_value, loops, derived)
        case _:
            return None


def _guard(
    operator: str, difference: Polynomial, loops: Mapping[str, tuple[Loop, ...]], derived: Mapping[str, Formula]
) -> Fraction | None:
    """Share of one iterator's values for which `difference operator 0`."""
    moving = [name for name in difference.symbols if name in loops]
    if len(moving) != 1:
        return None
    around = loops[moving[0]]
    slope = difference.coefficient(moving[0])
    if not slope.is_constant:
        return None
    symbol = Polynomial.symbol(moving[0])
    first, last = lowest(symbol, around, derived), highest(symbol, around, derived)
    if first is None or last is None:
        return None
    rest = Formula.from_polynomial(difference.without((moving[0],)))
    names = (first + last).parameters | rest.parameters
    if any(name in loops for name in names):
        return None
    sizes = dict.fromkeys(names, LARGE_PARAMETER)
    sizes.update({name: int(f.evaluate(dict.fromkeys(f.parameters, LARGE_PARAMETER))) for name, f in derived.items()})
    low, high = first.evaluate(sizes), last.evaluate(sizes)
    if high < low:
        return None
    return _fraction_of_range(operator, slope.constant_term, rest.evaluate(sizes), low, high).limit_denominator(1000)


def _fraction_of_range(operator: str, slope: int, rest: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """Share of the integers x of [low, high] with `slope*x + rest operator 0`."""
    if operator in {"==", "!="}:
        root = -rest / slope
        equal = Fraction(1) / (high - low + 1) if low <= root <= high and root.denominator == 1 else Fraction(0)
        return equal if operator == "==" else 1 - equal
    if operator in {">", ">="}:
        return 1 - _fraction_of_range(_NEGATED[operator], slope, rest, low, high)
    # slope*x + rest < 0 (or <= 0): x below (slope > 0) or above (slope < 0) the root
    root = -rest / slope
    whole = high - low + 1
    if slope > 0:
        end = root.__ceil__() - 1 if operator == "<" else root.__floor__()
        count = end - low + 1
    else:
        start = root.__floor__() + 1 if operator == "<" else root.__ceil__()
        count = high - start + 1
    return min(max(Fraction(count), Fraction(0)), whole) / whole
