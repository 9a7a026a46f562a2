"""Integer expressions and conditions as polynomials: the part of C that integer sets can hold.

With `Definitions` quotients, remainders, masks, shifts and choices become symbols with a definition (quasi_affine).

What becomes of unsigned arithmetic that leaves its type: unsigned_values.py. Signed overflow is undefined in C.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from itertools import product

from warplens.analysis.dependence.subscripts.quasi_affine import (
    Choice,
    Definitions,
    Partner,
    Quotient,
    Remainder,
    Share,
    lookup,
    low_bits,
)
from warplens.analysis.dependence.subscripts.unsigned_values import (
    is_unsigned_comparison,
    may_be_negative,
    unsigned_order,
)
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    children,
    walk,
)
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.ir.types import CType, Scalar, is_hashed, may_cut

Conjunction = tuple[Polynomial, ...]
"""All of them are >= 0."""
Disjunction = tuple[Conjunction, ...]
"""One of the conjunctions holds; the empty disjunction is false."""

_LARGEST_CONDITION = 32
"""Conjunctions kept; a condition with more is treated as data-dependent."""
_LARGEST_SHIFT = 62
_MOST_TERMS = 12
"""Terms of a divided polynomial; with more the expression has no value here."""
_MOST_PRODUCTS = 60
"""Terms that a product may have before those that are alike are joined."""
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known where an expression stands: names that stand for themselves, values of scalars, the loops around.

    Without `define` only polynomials have a value.
    """

    symbols: Container[str]
    values: Mapping[str, Polynomial] = field(default_factory=dict)
    define: Definitions | None = None
    loops: tuple[Loop, ...] = ()
    is_nonnegative: Callable[[Polynomial], bool] = field(default=lambda _: False)


def polynomial_of(expression: Expression, symbols: Container[str] | Known) -> Polynomial | None:
    """Value of an integer expression over `symbols`, None where it is none.

    >>> from warplens.analysis.ir.types import INT
    >>> i = ScalarRef("i", INT)
    >>> str(polynomial_of(Binary("+", i, Constant(1, INT), INT), {"i"}))
    'i + 1'
    """
    known = symbols if isinstance(symbols, Known) else Known(symbols)
    values: list[Polynomial | None] = []
    for node in walk(expression):
        count = len(children(node))
        operands = values[len(values) - count :]
        del values[len(values) - count :]
        try:
            values.append(_value(node, operands, known))
        except TooLargeError:
            values.append(None)
    return values[-1]


def _value(node: Expression, operands: list[Polynomial | None], known: Known) -> Polynomial | None:
    if not _is_integer(node):
        return None
    chosen = _chosen(node, operands)
    if chosen is not None and known.define is not None:
        return _choice(*chosen, known, known.define)
    values = [operand for operand in operands if operand is not None]
    if len(values) != len(operands):
        return None
    match node:
        case Constant(int() as value):
            return Polynomial.constant(value)
        case ScalarRef(name):
            return known.values.get(name) or (Polynomial.symbol(name) if name in known.symbols else None)
        case Cast(operand):
            return None if _may_cut(node.type, operand.type, values[0], known) else values[0]
        case Unary("-"):
            return -values[0]
        case Unary("~"):
            return -values[0] - 1
        case Binary("+"):
            return values[0] + values[1]
        case Binary("-"):
            return values[0] - values[1]
        case Binary("*"):
            is_small = len(values[0].terms) * len(values[1].terms) <= _MOST_PRODUCTS
            return values[0] * values[1] if is_small else None
        case Binary("<<") if values[1].is_constant and 0 <= values[1].constant_term <= _LARGEST_SHIFT:
            return values[0] * (1 << values[1].constant_term)
        case Binary() if known.define is not None and max(len(v.terms) for v in values) <= _MOST_TERMS:
            return _rounded(node, values[0], values[1], known, known.define)
        case Load(access) if known.define is not None:
            return lookup(access, tuple(values), known.define)
        case _:
            return None


def _rounded(node: Binary, left: Polynomial, right: Polynomial, known: Known, define: Definitions) -> Polynomial | None:
    """Quotients and what is made of them: `%`, masks of low bits, shifts to the right."""
    wraps = isinstance(node.left.type, Scalar) and _may_wrap(node, left)
    is_hash = is_hashed(node.type, left)
    constant = right.constant_term if right.is_constant else None
    match node.operator:
        case "/" | "%" if constant:
            divisor = abs(constant)
            is_power = divisor & (divisor - 1) == 0
            if (wraps or is_hash) and not (node.operator == "%" and is_power):
                return None
            quotient = define.symbol(Quotient(left, divisor, wraps or known.is_nonnegative(left)))
            if node.operator == "%":
                return left - quotient * divisor
            return quotient if constant > 0 else -quotient
        case "%" if constant is None and not (wraps or is_hash):
            return define.symbol(Remainder(define.folded(left), right))
        case "/" if constant is None and not (wraps or is_hash):
            remainder = Remainder(define.folded(left), right)
            define.symbol(remainder)
            return define.symbol(Share(remainder))
        case ">>" if constant is not None and 0 <= constant <= _LARGEST_SHIFT and not (wraps or is_hash):
            return define.symbol(Quotient(left, 1 << constant, True))
        case "&" | "|" | "^" as operator:
            value, mask = (right, left) if constant is None and left.is_constant else (left, right)
            masked = _masked(operator, value, mask.constant_term, define) if mask.is_constant else None
            if masked is None and operator == "^" and not (wraps or is_hash):
                return define.symbol(_partner(left, right, known, define))
            return masked
        case _:
            return None


def _masked(operator: str, value: Polynomial, mask: int, define: Definitions) -> Polynomial | None:
    """Two's complement: the low bits are the remainder of a division that rounds down."""
    kept = low_bits(mask if operator != "&" or mask >= 0 else ~mask)
    if kept is None:
        return None
    high = define.symbol(Quotient(value, 1 << kept, True)) * (1 << kept)
    if operator == "&":
        return value - high if mask >= 0 else high
    if operator == "|":
        return high + mask
    return high * 2 - value + 1 if mask == 1 else None


def _partner(left: Polynomial, right: Polynomial, known: Known, define: Definitions) -> Partner:
    """The mask is what moves less: what stands still where the other one moves."""
    depths = {loop.iterator: depth for depth, loop in enumerate(known.loops, 1)}

    def depth(side: Polynomial) -> tuple[int, str]:
        return max((depths.get(name, 0) for name in define.basis(side)), default=-1), str(side)

    mask, value = sorted((left, right), key=depth)
    return Partner(value, mask)


def _may_wrap(node: Binary, value: Polynomial) -> bool:
    """Whether unsigned arithmetic may have gone below zero: then only the low bits are what they seem."""
    return isinstance(node.type, Scalar) and not node.type.signed and -1 in value.signs


def _chosen(
    node: Expression, operands: list[Polynomial | None]
) -> tuple[Expression, Polynomial | None, Polynomial | None] | None:
    """What is tested and the values of both cases: a comparison is 1 or 0."""
    match node:
        case Conditional(condition):
            return condition, operands[1], operands[2]
        case Binary(operator) if operator in _NEGATED:
            return node, Polynomial.constant(1), Polynomial(())
        case _:
            return None


def _choice(
    test: Expression, then: Polynomial | None, otherwise: Polynomial | None, known: Known, define: Definitions
) -> Polynomial | None:
    if then is None or otherwise is None:
        return None
    if then == otherwise:
        return then
    condition, negated = condition_of(test, known), condition_of(test, known, negated=True)
    return None if condition is None or negated is None else define.symbol(Choice(condition, negated, then, otherwise))


def _may_cut(target: CType, source: CType, value: Polynomial, known: Known) -> bool:
    """Whether a conversion may make another number of the value, or show that it is another one."""
    if not isinstance(target, Scalar) or not isinstance(source, Scalar):
        return False
    widens = (source.size_bytes, source.signed, target.size_bytes) == (4, False, 8)
    if widens and (is_hashed(source, value) or (target.signed and may_be_negative(value, known.loops, known.define))):
        return True
    return may_cut(target, source, value)


def _is_integer(node: Expression) -> bool:
    return isinstance(node.type, Scalar) and node.type.kind == "int"


def condition_of(condition: Expression, symbols: Container[str] | Known, negated: bool = False) -> Disjunction | None:
    """Condition (or its negation) as a disjunction of conjunctions, None where it isn't affine or is too large."""
    if any(at > 8 * _LARGEST_CONDITION for at, _ in enumerate(walk(condition))):
        return None
    return _condition(condition, symbols, negated)


def conjuncts(condition: Expression, negated: bool = False) -> tuple[tuple[Expression, bool], ...]:
    """Conditions (or, where True stands beside, their opposites) all of which hold where this one (its opposite) does.

    >>> from warplens.analysis.ir.types import INT
    >>> i, n = ScalarRef("i", INT), ScalarRef("n", INT)
    >>> len(conjuncts(Binary("&&", i, n, INT))), len(conjuncts(Binary("&&", i, n, INT), negated=True))
    (2, 1)
    """
    match condition:
        case Unary("!", operand):
            return conjuncts(operand, not negated)
        case Cast(operand):
            return conjuncts(operand, negated)
        case Binary("&&" | "||" as operator, left, right) if (operator == "||") == negated:
            return (*conjuncts(left, negated), *conjuncts(right, negated))
        case _:
            return ((condition, negated),)


def _condition(condition: Expression, symbols: Container[str] | Known, negated: bool) -> Disjunction | None:
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
            return _compared(_NEGATED[operator] if negated else operator, left, right, symbols)
        case _:
            value = polynomial_of(condition, symbols)
            return None if value is None else _comparison("==" if negated else "!=", value)


def _compared(
    operator: str, left: Expression, right: Expression, symbols: Container[str] | Known
) -> Disjunction | None:
    known = symbols if isinstance(symbols, Known) else Known(symbols)
    first, second = polynomial_of(left, known), polynomial_of(right, known)
    if first is None or second is None or is_hashed(left.type, first) or is_hashed(right.type, second):
        return None
    if operator not in {"==", "!="} and is_unsigned_comparison(left, right):
        if operator in {">", ">="}:
            first, second = second, first
        is_open = (
            may_be_negative(first, known.loops, known.define),
            may_be_negative(second, known.loops, known.define),
        )
        return unsigned_order(first, second, *is_open, slack=int(operator in {"<", ">"}))
    return _comparison(operator, first - second)


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
