"""A polynomial as an expression of C."""

from __future__ import annotations

from warplens.analysis.ir.expression import Binary, Constant, Expression, ScalarRef
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import CType


def expression_of(polynomial: Polynomial, kind: CType) -> Expression:
    """The polynomial as an expression, all of one integer type."""
    total: Expression | None = None
    for monomial, coefficient in polynomial.terms:
        factors: list[Expression] = [ScalarRef(name, kind) for name in monomial]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, Constant(abs(coefficient), kind))
        term = factors[0]
        for factor in factors[1:]:
            term = Binary("*", term, factor, kind)
        if total is None:
            total = term if coefficient > 0 else Binary("-", Constant(0, kind), term, kind)
        else:
            total = Binary("+" if coefficient > 0 else "-", total, term, kind)
    return Constant(0, kind) if total is None else total
