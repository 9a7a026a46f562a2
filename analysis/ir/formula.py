"""Counts kept as formulas in the parameters, so that a report can be evaluated for another size.

A formula is exact rational arithmetic over parameters with max, min, floor and ceiling; evaluation needs only a
mapping from parameter to integer. Trip counts, footprints in elements and launch counts are formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, prod
from types import MappingProxyType
from typing import Literal

from warplens.analysis.ir.polynomial import Polynomial

_LARGEST_BITS = 256
LARGEST_VALUE = Fraction(1 << _LARGEST_BITS)
Operator = Literal["+", "*", "/", "max", "min", "floor", "ceil"]


@dataclass(frozen=True, slots=True)
class Formula:
    """A constant (`value`), a parameter (`name`) or an operation on `operands`; exactly one of the three.

    Build with `constant`, `parameter`, `from_polynomial` and the operators; `floor` and `ceil` take one operand.
    """

    value: Fraction | None = None
    name: str | None = None
    operator: Operator | None = None
    operands: tuple[Formula, ...] = ()

    @staticmethod
    def constant(value: int | Fraction) -> Formula:
        """Build a constant."""
        return Formula(value=Fraction(value))

    @staticmethod
    def parameter(name: str) -> Formula:
        """Build a parameter."""
        return Formula(name=name)

    @staticmethod
    def from_polynomial(
        polynomial: Polynomial, known: Mapping[str, Formula] = MappingProxyType({}), divisor: int = 1
    ) -> Formula:
        """Build the formula of a polynomial, or of its part; `known` replaces symbols, the others are parameters."""
        total = ZERO
        for monomial, c in polynomial.terms:
            term = Formula.constant(Fraction(c, divisor))
            for name in monomial:
                term = term * (known[name] if name in known else Formula.parameter(name))
            total = total + term
        return total

    def __add__(self, other: Formula | int | Fraction) -> Formula:
        return _nary("+", self, _lift(other))

    __radd__ = __add__

    def __mul__(self, other: Formula | int | Fraction) -> Formula:
        return _nary("*", self, _lift(other))

    __rmul__ = __mul__

    def __sub__(self, other: Formula | int | Fraction) -> Formula:
        return self + _lift(other) * -1

    def __rsub__(self, other: int | Fraction) -> Formula:
        return _lift(other) - self

    def __truediv__(self, other: Formula | int | Fraction) -> Formula:
        divisor = _lift(other)
        if divisor.value is not None and self.value is not None and divisor.value:
            return Formula(value=self.value / divisor.value)
        return self if divisor.value == 1 else Formula(operator="/", operands=(self, divisor))

    def at_least(self, other: Formula | int) -> Formula:
        """Maximum of the two."""
        return _extreme("max", self, _lift(other))

    def at_most(self, other: Formula | int) -> Formula:
        """Minimum of the two."""
        return _extreme("min", self, _lift(other))

    def floor(self) -> Formula:
        """Largest integer not above."""
        return _rounded("floor", self)

    def ceil(self) -> Formula:
        """Smallest integer not below."""
        return _rounded("ceil", self)

    @property
    def parameters(self) -> frozenset[str]:
        """Parameters that an evaluation needs."""
        found: set[str] = set()
        seen: set[int] = set()  # a formula shares its parts: there are far fewer of them than ways to each
        stack = [self]
        while stack:
            formula = stack.pop()
            if id(formula) in seen:
                continue
            seen.add(id(formula))
            if formula.name is not None:
                found.add(formula.name)
            stack.extend(formula.operands)
        return frozenset(found)

    def is_longer_than(self, parts: int) -> bool:
        """Whether writing it out takes more than so many constants, names and operations."""
        stack = [self]
        while stack and parts >= 0:
            stack.extend(stack.pop().operands)
            parts -= 1
        return parts < 0

    def evaluate(self, sizes: Mapping[str, int]) -> Fraction:
        """Exact value; beyond `LARGEST_VALUE`, which no machine counts to and nearly no float holds a power of, that.

        Raises KeyError for a parameter without value and ZeroDivisionError where the formula divides by zero.
        """
        if self.value is not None:
            return self.value
        number = _number(self, sizes)
        if number.numerator.bit_length() - number.denominator.bit_length() > _LARGEST_BITS:
            return LARGEST_VALUE if number > 0 else -LARGEST_VALUE
        return Fraction(number)

    def __str__(self) -> str:
        if self.value is not None:
            return str(self.value)
        if self.name is not None:
            return self.name
        texts = [str(operand) for operand in self.operands]
        match self.operator:
            case "+":
                return "(" + " + ".join(texts).replace("+ -", "- ") + ")"
            case "*":
                if texts[0] == "-1" and len(texts) > 1:
                    return "-" + "*".join(texts[1:])
                return "*".join(texts)
            case "/":
                return f"{texts[0]}/{texts[1]}"
            case _:
                return f"{self.operator}({', '.join(texts)})"


ZERO = Formula.constant(0)
ONE = Formula.constant(1)


def _number(formula: Formula, sizes: Mapping[str, int]) -> int | Fraction:
    """The value, whole numbers as `int` where they are known to be: fractions take many times as long."""
    if formula.value is not None:
        return formula.value.numerator if formula.value.denominator == 1 else formula.value
    if formula.name is not None:
        return sizes[formula.name]
    values = [_number(operand, sizes) for operand in formula.operands]
    match formula.operator:
        case "+":
            return sum(values)
        case "*":
            return prod(values)
        case "/":
            return Fraction(values[0], values[1])
        case "max":
            return max(values)
        case "min":
            return min(values)
        case "floor":
            return floor(values[0])
        case _:
            return ceil(values[0])


def _lift(value: Formula | int | Fraction) -> Formula:
    return value if isinstance(value, Formula) else Formula.constant(value)


def _nary(operator: Literal["+", "*"], left: Formula, right: Formula) -> Formula:
    neutral = Fraction(0) if operator == "+" else Fraction(1)
    constant = neutral
    rest: list[Formula] = []
    for side in (left, right):
        for operand in side.operands if side.operator == operator else (side,):
            if operand.value is None:
                rest.append(operand)
            elif operator == "+":
                constant += operand.value
            else:
                constant *= operand.value
    if operator == "*" and constant == 0:
        return ZERO
    if constant != neutral or not rest:
        rest = [Formula(value=constant), *rest] if operator == "*" else [*rest, Formula(value=constant)]
    return rest[0] if len(rest) == 1 else Formula(operator=operator, operands=tuple(rest))


def _extreme(operator: Literal["max", "min"], left: Formula, right: Formula) -> Formula:
    if left == right:
        return left
    if left.value is not None and right.value is not None:
        return Formula(value=(max if operator == "max" else min)(left.value, right.value))
    return Formula(operator=operator, operands=(left, right))


def _rounded(operator: Literal["floor", "ceil"], operand: Formula) -> Formula:
    if operand.value is not None:
        return Formula.constant((floor if operator == "floor" else ceil)(operand.value))
    return Formula(operator=operator, operands=(operand,))
