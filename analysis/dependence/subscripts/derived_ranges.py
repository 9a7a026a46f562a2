"""What is true of a derived symbol in integers: `n/2` is at most half of n, and not a whole one less.

Only quotients of polynomials by a constant: anything else may have any value where integer sets are asked.
"""

from __future__ import annotations

from warplens.analysis.dependence.subscripts.affine_condition import Disjunction
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.nest import DerivedSymbol
from warplens.analysis.ir.polynomial import Polynomial


def derived_range(symbol: DerivedSymbol) -> Disjunction | None:
    """Where the symbol lies between neighbouring multiples of its divisor; None where its formula says nothing.

    >>> half = (Formula.parameter("n") / Formula.constant(2)).floor()
    >>> [[str(p) for p in case] for case in derived_range(DerivedSymbol("n>>1", half, "n>>1"))]
    [['n - 2*n>>1', '-n + 2*n>>1 + 1']]
    """
    formula, quotient = symbol.formula, quotient_of(symbol)
    if formula is None or quotient is None:
        return None
    numerator, width = quotient
    rest = numerator - Polynomial.symbol(symbol.name) * width
    down, up = (rest, width - 1 - rest), (-rest, width - 1 + rest)
    if formula.operator == "ceil":
        return (up,)
    if ">>" in symbol.name:
        return (down,)
    # C's division rounds towards zero.
    return (numerator, *down), (-numerator - 1, *up)


def quotient_of(symbol: DerivedSymbol) -> tuple[Polynomial, int] | None:
    """What is divided and by which positive number, before it is rounded; None for any other formula."""
    formula = symbol.formula
    if formula is None or formula.operator not in {"floor", "ceil", "trunc"}:
        return None
    (quotient,) = formula.operands
    if quotient.operator != "/" or len(quotient.operands) != 2:
        return None
    numerator, divisor = (_polynomial(operand) for operand in quotient.operands)
    if numerator is None or divisor is None or not divisor.is_constant or divisor.constant_term < 1:
        return None
    return numerator, divisor.constant_term


def _polynomial(formula: Formula) -> Polynomial | None:
    if formula.name is not None:
        return Polynomial.symbol(formula.name)
    if formula.value is not None:
        return Polynomial.constant(int(formula.value)) if formula.value.denominator == 1 else None
    operands = [_polynomial(operand) for operand in formula.operands]
    known = [operand for operand in operands if operand is not None]
    if formula.operator not in {"+", "*"} or len(known) != len(operands):
        return None
    total = known[0]
    for operand in known[1:]:
        total = total + operand if formula.operator == "+" else total * operand
    return total
