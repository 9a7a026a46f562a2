"""`memcpy`, `memset` and their like as a loop over the elements that they set."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from pycparser import c_ast
from warplens.analysis.c.arithmetic import converted
from warplens.analysis.c.c_types import size_bytes
from warplens.analysis.frontend.scopes.places import Place
from warplens.analysis.frontend.values.context import Context
from warplens.analysis.ir.expression import Access, Constant, Expression, Load
from warplens.analysis.ir.nest import Assign, Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, LONG, ArrayOf

_COPIES = frozenset({"memcpy", "memmove"})
_FILLS = frozenset({"memset", "bzero"})


class Lowering(Protocol):
    """What this needs of the lowering of expressions."""

    context: Context

    def lower(self, node: c_ast.Node) -> Expression:
        """Value of an expression."""
        ...

    def argument_place(self, node: c_ast.Node) -> Place:
        """What a pointer argument points to."""
        ...

    def access(self, place: Place, node: c_ast.Node) -> Access:
        """Reference to memory."""
        ...


def block_fill(lowering: Lowering, call: c_ast.FuncCall, name: str) -> Loop | None:
    """The loop that a call stands for; None where the bytes are not a whole number of known elements.

    Assumes: the elements lie in one row of the array (a condition of the accesses where that is not certain).
    """
    plain = name.removeprefix("__builtin___").removeprefix("__builtin_").removesuffix("_chk")
    arguments = list(call.args.exprs) if call.args else []
    if plain not in _COPIES | _FILLS or len(arguments) < (2 if plain == "bzero" else 3):
        return None
    context = lowering.context
    bytes_ = context.values.polynomial(lowering.lower(arguments[1 if plain == "bzero" else 2]))
    target = _element(lowering.argument_place(arguments[0]))
    source = _element(lowering.argument_place(arguments[1])) if plain in _COPIES else target
    if bytes_ is None or target is None or source is None:
        return None
    size = size_bytes(target.type)
    count = bytes_.exact_div(size) if size and size == size_bytes(source.type) else None
    if count is None:
        return None
    span = context.extents.call(context.extents.offset(call.coord)) if call.coord else None
    identity = context.new_id()
    if span is not None:
        context.headers[identity] = context.wholes[identity] = span
    context.loops.append(identity)
    symbol = context.declare(f"{plain}'", LONG, "body")
    context.loops.pop()
    context.values.iterators.add(symbol.name)
    iterator = context.scalar(symbol, symbol.name)
    index = Polynomial.symbol(symbol.name)
    assign = context.new_id(span)

    def element(place: Place) -> Access:
        access = lowering.access(place.shifted(iterator, index), call)
        extent = access.extents[-1]
        rest = None if extent is None else count - extent
        is_inside = rest is None or (rest.is_constant and rest.constant_term <= 0)
        is_checked = bool(access.member) and len(access.extents) > 1  # as the row of a member
        return access if is_inside or is_checked else replace(access, conditions=(f"{count} <= {extent}",))

    if plain in _COPIES:
        value: Expression = Load(element(source))
    elif plain == "bzero":
        value = Constant(0, target.type)
    else:
        value = converted(lowering.lower(arguments[1]), target.type)
    body = Assign(assign, element(target), "", value)
    context.values.iterators.discard(symbol.name)
    return Loop(identity, symbol.name, LONG, Polynomial(()), (count,), 1, (body,), declares_iterator=True)


def _element(place: Place) -> Place | None:
    """The first element of a row, None for variables and for arrays of rows."""
    while isinstance(place.type, ArrayOf) and (place.member or not isinstance(place.type.element, ArrayOf)):
        place = place.indexed(Constant(0, INT), Polynomial(()))
    if isinstance(place.type, ArrayOf) or place.variable is not None or not (place.dimensions or place.member):
        return None
    return place if place.is_walkable else None
