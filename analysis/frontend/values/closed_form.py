"""Reads and steps of variables that loops move: their values as expressions in iterators and constants."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.c.arithmetic import binary
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.frontend.scopes.places import Dimension
from warplens.analysis.frontend.values.context import Context
from warplens.analysis.ir.expression import Constant, Expression, ScalarRef, Unknown
from warplens.analysis.ir.nest import ScalarObject
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rational_polynomial import RationalPolynomial
from warplens.analysis.ir.types import INT, LONG, CType, PointerTo


def closed_read(context: Context, symbol: Symbol) -> Expression | None:
    """What stands for a read of a variable that a loop moves, None for any other variable."""
    name = symbol.name
    if name not in context.values.closed:
        return None
    if isinstance(symbol.type, PointerTo):
        place = context.values.pointers.get(name)
        moved = () if place is None else tuple(dimension.subscript for dimension in place.dimensions)
        return Unknown(f"the address in `{name}`, which moves", moved, symbol.type, is_pure=True)
    value = context.values.known.get(name)
    return None if value is None else expression_of(context, value, symbol.type)


def closed_step(context: Context, target: ScalarRef, operator: str, value: Expression) -> bool:
    """Follow `k += value` or `k = value` of a variable that a loop moves; False for any other variable."""
    values = context.values
    name = target.name
    if name not in values.closed:
        return False
    step = values.polynomial(value)
    if isinstance(target.type, PointerTo):
        place = values.pointers.get(name)
        if place is None or step is None or operator not in {"+", "-"}:
            return False
        last = place.dimensions[-1]
        index = None if last.index is None else last.index + (step if operator == "+" else -step)
        subscript = Unknown("an address", (), INT) if index is None else expression_of(context, index, LONG)
        moved = Dimension(subscript, index, last.extent)
        values.pointers[name] = replace(place, dimensions=(*place.dimensions[:-1], moved))
        return True
    old = values.known.get(name)
    if not operator:
        values.known[name] = step
    elif old is None or step is None or operator not in {"+", "-"}:
        values.known[name] = None
    else:
        values.known[name] = old + step if operator == "+" else old - step
    return True


def whole_value(context: Context, total: RationalPolynomial) -> Polynomial:
    """A sum that is an integer, as a polynomial: what is left to divide is a symbol of its own."""
    values = context.values
    value, rest = total.split()
    if not rest.numerator.terms:
        return value
    divided = rest.numerator
    name = f"{f'({divided})' if len(divided.terms) > 1 else divided}/{rest.divisor}"
    if values.is_parameter(divided):
        return value + values.derive(name, (values.formula(divided) / rest.divisor).floor())
    values.quotients[name] = divided + rest.divisor * Polynomial.symbol("'divisor")
    context.sums[name] = rest
    return value + Polynomial.symbol(name)


def computed_from(context: Context, value: Polynomial) -> frozenset[str]:
    """Symbols of a value, and of what its symbols for sums and quotients are computed from."""
    found, fresh = set[str](), set(value.symbols)
    while fresh:
        found |= fresh
        sums = [context.sums[name].numerator for name in fresh & context.sums.keys()]
        rounded = [part for name in fresh & context.values.rounded.keys() for part in context.values.rounded[name][1:]]
        fresh = {symbol for part in (*sums, *rounded) for symbol in part.symbols} - found
    return frozenset(found)


def expression_of(context: Context, value: Polynomial, ctype: CType) -> Expression:
    """A polynomial as an expression of a type."""
    total: Expression | None = None
    for monomial, coefficient in sorted(value.terms, key=lambda term: (not term[0], -len(term[0]), term[0])):
        product: Expression | None = None
        for name in monomial:
            factor = _factor(context, name)
            product = factor if product is None else binary("*", product, factor)
        size = abs(coefficient)
        if product is None:
            product = Constant(size, ctype)
        elif size != 1:
            product = binary("*", Constant(size, INT), product)
        if total is None:
            total = product if coefficient > 0 else binary("-", Constant(0, INT), product)
        else:
            total = binary("+" if coefficient > 0 else "-", total, product)
    return total or Constant(0, ctype)


def _factor(context: Context, name: str) -> Expression:
    whole, rounded = context.sums.get(name), context.values.rounded.get(name)
    if whole is not None:
        return _quotient(context, whole)
    if rounded is None:
        return reference(context, name)
    operator, left, right = rounded
    return binary(operator, expression_of(context, left, INT), expression_of(context, right, INT))


def _quotient(context: Context, whole: RationalPolynomial) -> Expression:
    return binary("/", expression_of(context, whole.numerator, INT), Constant(whole.divisor, INT))


def reference(context: Context, name: str) -> ScalarRef:
    """The scalar with a name of the nest; a derived symbol becomes one."""
    known = context.scalars.get(name)
    if known is not None:
        return ScalarRef(name, known.type)
    for scope in (*reversed(context.scopes), context.file_scope.symbols):
        for source_name, symbol in scope.items():
            if symbol.name == name:
                return context.scalar(symbol, source_name)
    context.scalars[name] = ScalarObject(name, LONG, "local", used_after=False)
    return ScalarRef(name, LONG)
