"""Counts kept as formulas in the parameters, so that a report can be evaluated for another size.

A formula is exact rational arithmetic over parameters with max, min, floor and ceiling, powers, digits and means;
evaluation needs only a mapping from parameter to integer. Trip counts, footprints in elements and launch counts are
formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isqrt, prod, trunc
from types import MappingProxyType
from typing import Literal

from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import as_operand

_LARGEST_BITS = 256
LARGEST_VALUE = Fraction(1 << _LARGEST_BITS)
Operator = Literal["+", "*", "/", "max", "min", "floor", "ceil", "trunc", "root", "power", "digits", "mean"]

_MOST_EXACT_TERMS = 64
"""Iterations over which a mean is taken one by one; of more, as many are taken, each for a stretch of its own."""
_FIRST_TERMS = 16
"""Of those, the first ones, which differ most where a count falls with the iteration: `n / (i + 1)`."""
_SPREAD = 0.6180339887498949
"""Source: Knuth, The Art of Computer Programming, volume 3, section 6.4: multiples of it fill the unit evenly."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A constant (`value`), a parameter (`name`) or an operation on `operands`; exactly one of the three.

    Build with `constant`, `parameter`, `from_polynomial` and the operators; `floor`, `ceil`, `trunc` and `root` take
    one operand, `power` a base and an exponent, `digits` a number and the base it is written in. A `mean` has the
    parameter that it goes over, what it is the mean of, the weight of each and how many there are, from 0 on.
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

    def truncated(self) -> Formula:
        """Nearest integer towards zero, as C divides."""
        return _rounded("trunc", self)

    def root(self) -> Formula:
        """Largest integer whose square is not above, 0 of what is negative.

        >>> [int(Formula.constant(n).root().evaluate({})) for n in (-4, 0, 3, 4, 8, 9)]
        [0, 0, 1, 2, 2, 3]
        """
        return Formula(operator="root", operands=(self,))

    def power(self, exponent: Formula) -> Formula:
        """Raise to a power that is no negative number; both are rounded down.

        >>> str(Formula.constant(2).power(Formula.parameter("t")).evaluate({"t": 5}))
        '32'
        """
        return Formula(operator="power", operands=(self, exponent))

    def digits(self, base: Formula) -> Formula:
        """How many digits the number has in a base of 2 or more: as often it can be divided before it is 0.

        >>> [int(Formula.constant(n).digits(Formula.constant(2)).evaluate({})) for n in (-1, 0, 1, 2, 3, 4)]
        [0, 0, 1, 2, 2, 3]
        """
        return Formula(operator="digits", operands=(self, base))

    def mean_over(self, name: str, count: Formula, weight: Formula) -> Formula:
        """Weighted mean over the values 0, 1, ... of a parameter, `count` of them; 0 where there is none.

        Exact up to 64 values; of more, samples are taken.

        >>> t = Formula.parameter("t")
        >>> str((t * t).mean_over("t", Formula.constant(4), ONE).evaluate({}))
        '7/2'
        """
        return Formula(operator="mean", operands=(Formula.parameter(name), self, weight, count))

    @property
    def parameters(self) -> frozenset[str]:
        """Parameters that an evaluation needs."""
        found: set[str] = set()
        bound: set[str] = set()
        seen: set[int] = set()  # a formula shares its parts: there are far fewer of them than ways to each
        stack = [self]
        while stack:
            formula = stack.pop()
            if id(formula) in seen:
                continue
            seen.add(id(formula))
            if formula.name is not None:
                found.add(formula.name)
            if formula.operator == "mean" and formula.operands[0].name is not None:
                bound.add(formula.operands[0].name)
            stack.extend(formula.operands)
        return frozenset(found - bound)

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
        is_infix = self.operator in {"+", "*", "/", "power"}
        texts = [as_operand(o.name) if is_infix and o.name is not None else str(o) for o in self.operands]
        match self.operator:
            case "+":
                return "(" + " + ".join(texts).replace("+ -", "- ") + ")"
            case "*":
                if texts[0] == "-1" and len(texts) > 1:
                    return "-" + "*".join(texts[1:])
                return "*".join(texts)
            case "/":
                return f"{texts[0]}/{texts[1]}"
            case "power":
                return f"{texts[0]}^{texts[1]}"
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
    if formula.operator == "mean":
        return _mean(formula, sizes)
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
        case "power":
            return _power(floor(values[0]), floor(values[1]))
        case "digits":
            return _digits(floor(values[0]), max(2, floor(values[1])))
        case "root":
            return isqrt(max(0, floor(values[0])))
        case "floor" | "ceil" | "trunc" as rounding:
            return _whole(rounding, values[0])
        case other:
            raise ValueError(other)


def _whole(rounding: Literal["floor", "ceil", "trunc"], value: int | Fraction) -> int:
    return floor(value) if rounding == "floor" else ceil(value) if rounding == "ceil" else trunc(value)


def _power(base: int, exponent: int) -> int:
    most = _LARGEST_BITS // max(1, base.bit_length() - 1)  # beyond, all powers are as good as endless
    return 1 if exponent <= 0 else int(base ** min(exponent, most))


def _digits(number: int, base: int) -> int:
    found = 0
    while number > 0:
        number //= base
        found += 1
    return found


def _mean(formula: Formula, sizes: Mapping[str, int]) -> Fraction:
    counter, body, weight, count = formula.operands
    assert counter.name is not None
    values = dict(sizes)
    total = weights = Fraction(0)
    for at, times in _terms(floor(_number(count, sizes))):
        values[counter.name] = at
        share = Fraction(_number(weight, values)) * times
        if share > 0:
            total, weights = total + share * _number(body, values), weights + share
    return total / weights if weights else Fraction(0)


def _terms(count: int) -> Iterator[tuple[int, int]]:
    """Terms of a mean, each with how many it stands for: all of a few, of many one in each of growing stretches."""
    if count <= _MOST_EXACT_TERMS:
        yield from ((at, 1) for at in range(count))
        return
    yield from ((at, 1) for at in range(_FIRST_TERMS))
    strata = _MOST_EXACT_TERMS - _FIRST_TERMS
    growth = (count / _FIRST_TERMS) ** (1 / strata)
    begin = _FIRST_TERMS
    for number in range(strata):
        end = count if number == strata - 1 else min(count, max(begin + 1, int(_FIRST_TERMS * growth ** (number + 1))))
        if end > begin:
            yield begin + int((end - begin) * (number * _SPREAD % 1)), end - begin
            begin = end


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


def _rounded(operator: Literal["floor", "ceil", "trunc"], operand: Formula) -> Formula:
    if operand.value is not None:
        return Formula.constant(_whole(operator, operand.value))
    if operand.name is not None or (operand.operator in {"+", "*"} and all(map(_is_whole, operand.operands))):
        return operand
    return Formula(operator=operator, operands=(operand,))


def _is_whole(part: Formula) -> bool:
    """Whether it is a parameter, which has whole numbers, or such a number."""
    return part.name is not None or (part.value is not None and part.value.denominator == 1)
