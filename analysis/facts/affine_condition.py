"""Integer expressions and conditions as polynomials: the part of C that integer sets can hold.

Not modelled: wrap-around of integer arithmetic (signed overflow is undefined; unsigned counters are taken not to wrap).
"""

from __future__ import annotations

from collections.abc import Container
from itertools import product

from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Cast,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    children,
    walk,
)
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import CType, Scalar, may_cut

Conjunction = tuple[Polynomial, ...]
"""All of them are >= 0."""
Disjunction = tuple[Conjunction, ...]
"""One of the conjunctions holds; the empty disjunction is false."""

_LARGEST_CONDITION = 32
"""Conjunctions kept; a condition with more is treated as data-dependent."""
_LARGEST_SHIFT = 62
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def polynomial_of(expression: Expression, symbols: Container[str]) -> Polynomial | None:
    """Value of an integer expression over `symbols`, None where it is none.

    >>> from warplens.analysis.ir.types import INT
    >>> i = ScalarRef("i", INT)
    >>> str(polynomial_of(Binary("+", i, Constant(1, INT), INT), {"i"}))
    'i + 1'
    """
    values: list[Polynomial | None] = []
    for node in walk(expression):
        count = len(children(node))
        operands = values[len(values) - count :]
        del values[len(values) - count :]
        known = [operand for operand in operands if operand is not None]
        values.append(_value(node, known, symbols) if len(known) == count else None)
    return values[-1]


def _value(node: Expression, operands: list[Polynomial], symbols: Container[str]) -> Polynomial | None:
    if isinstance(node, Load) or not _is_integer(node):
        return None
    match node:
        case Constant(int() as value):
            return Polynomial.constant(value)
        case ScalarRef(name) if name in symbols:
            return Polynomial.symbol(name)
        case Cast(operand):
            return None if _may_cut(node.type, operand.type, operands[0]) else operands[0]
        case Unary("-"):
            return -operands[0]
        case Binary("+"):
            return operands[0] + operands[1]
        case Binary("-"):
            return operands[0] - operands[1]
        case Binary("*"):
            return operands[0] * operands[1]
        case Binary("<<") if operands[1].is_constant and 0 <= operands[1].constant_term <= _LARGEST_SHIFT:
            return operands[0] * (1 << operands[1].constant_term)
        case _:
            return None


def _may_cut(target: CType, source: CType, value: Polynomial) -> bool:
    return isinstance(target, Scalar) and isinstance(source, Scalar) and may_cut(target, source, value)


def _is_integer(node: Expression) -> bool:
    return isinstance(node.type, Scalar) and node.type.kind == "int"


def condition_of(condition: Expression, symbols: Container[str], negated: bool = False) -> Disjunction | None:
    """Condition (or its negation) as a disjunction of conjunctions, None where it isn't affine or is too large."""
    if any(at > 8 * _LARGEST_CONDITION for at, _ in enumerate(walk(condition))):
        return None
    return _condition(condition, symbols, negated)


def _condition(condition: Expression, symbols: Container[str], negated: bool) -> Disjunction | None:
    match condition:
        case Unary("!", operand):
            return _condition(operand, symbols, not negated)
        case Cast(operand):
            return _condition(operand, symbols, negated)
        case Binary("&&" | "||" as operator, left, right):
            sides = (_condition(left, symbols, negated), _condition(right, symbols, negated))
            if sides[0] is None or sides[1] is None:
                return None
            if (operator == "||") != negated:
                joined = sides[0] + sides[1]
            else:
                joined = tuple(a + b for a, b in product(sides[0], sides[1]))
            return joined if len(joined) <= _LARGEST_CONDITION else None
        case Binary("<" | "<=" | ">" | ">=" | "==" | "!=" as operator, left, right):
            difference = _difference(left, right, symbols)
            return None if difference is None else _comparison(_NEGATED[operator] if negated else operator, difference)
        case _:
            value = polynomial_of(condition, symbols)
            return None if value is None else _comparison("==" if negated else "!=", value)


def _difference(left: Expression, right: Expression, symbols: Container[str]) -> Polynomial | None:
    values = (polynomial_of(left, symbols), polynomial_of(right, symbols))
    return None if values[0] is None or values[1] is None else values[0] - values[1]


def _comparison(operator: str, difference: Polynomial) -> Disjunction:
    """`difference operator 0` over the integers."""
    match operator:
        case "<":
            return ((-difference - 1,),)
        case "<=":
            return ((-difference,),)
        case ">":
            return ((difference - 1,),)
        case ">=":
            return ((difference,),)
        case "==":
            return ((difference, -difference),)
        case _:
            return ((difference - 1,), (-difference - 1,))


def expression_key(expression: Expression) -> tuple[object, ...]:
    """Two expressions with equal keys compute the same value from the same state: node ids are left out.

    Flat (operands first, each with its arity), so that comparing deep expressions doesn't recurse.
    """
    return tuple(_label(node) for node in walk(expression) if not isinstance(node, Cast))


def access_key(access: Access) -> tuple[object, ...]:
    """`expression_key` of a load of the access."""
    return expression_key(Load(access))


def _label(node: Expression) -> tuple[object, ...]:
    arity = len(children(node))
    match node:
        case Constant(value):
            return ("constant", value, isinstance(value, float))
        case ScalarRef(name):
            return ("scalar", name)
        case Load(access):
            return ("load", access.array, access.member, access.element_bytes, arity)
        case Unary(operator) | Binary(operator):
            return (type(node).__name__, operator, arity)
        case _:
            name = getattr(node, "function", "") or getattr(node, "reason", "")
            return (type(node).__name__, name, arity)


def without_casts(expression: Expression) -> Expression:
    """The expression below conversions."""
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression
