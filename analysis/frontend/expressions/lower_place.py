"""Lvalues and addresses: which object, which element, which member they designate."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Literal, cast

from pycparser import c_ast
from warplens.analysis.c.arithmetic import binary
from warplens.analysis.c.c_types import CHAR, VOID, is_scalar_value, size_bytes
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.expressions.expression_types import INCREMENTS, ExpressionTypes, pointed_to
from warplens.analysis.frontend.scopes.places import Dimension, Place, element_bytes_of
from warplens.analysis.frontend.values.closed_form import expression_of
from warplens.analysis.ir.expression import (
    Constant,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import ArrayObject
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import (
    INT,
    LONG,
    ArrayOf,
    CType,
    PointerTo,
    Scalar,
    StructOf,
    as_volatile,
    is_qualified_volatile,
    is_volatile,
)

_ZERO = Constant(0, INT)
_NO_OFFSET = Polynomial(())
DESCRIPTIONS = {
    "FuncCall": "a call's result",
    "TernaryOp": "a choice between pointers",
    "CompoundLiteral": "a compound literal",
    "Compound": "a statement expression",
    "InitList": "an initialiser list",
    "Assignment": "an assignment's result",
    "Constant": "a constant",
    "Typename": "a type as an argument (`va_arg`, `offsetof`)",
}
"""Syntax in words, for reasons."""


class Places(ExpressionTypes):
    """Finds the place of an lvalue; methods raise UnsupportedError."""

    def place(self, node: c_ast.Node) -> Place:
        """Memory that an lvalue designates; raises UnsupportedError for a scalar variable."""
        match node:
            case c_ast.ID():
                symbol = self.context.lookup(node.name)
                if isinstance(symbol.type, PointerTo) and not symbol.is_array_parameter:
                    raise UnsupportedError(f"`{node.name}` used as memory")
                if symbol.name in self.context.bound:
                    known = self.context.values.pointers.get(symbol.name)
                    if known is None:
                        raise UnsupportedError(f"`{node.name}`, which is not followed")
                    return known
                self.context.array_object(symbol)
                return Place(symbol.name, (), symbol.type, element_bytes_of(symbol.type)[0])
            case c_ast.ArrayRef():
                if not self.is_pointer(node.name) and self.is_pointer(node.subscript):
                    return self._moved(node.subscript, node.name)  # 2[a]
                inner = self._array_place(node.name)
                if inner is None:
                    return self._moved(node.name, node.subscript)
                subscript = self.lower(node.subscript)
                return inner.indexed(subscript, self.context.values.polynomial(subscript))
            case c_ast.StructRef():
                base = self.pointee(node.name) if node.type == "->" else self.place(node.name)
                field = base.field(node.field.name)
                return replace(field, type=self.types.completed(field.type))
            case c_ast.UnaryOp() if node.op == "*":
                return self.pointee(node.expr)
            case c_ast.Cast():
                return self.place(node.expr)
            case c_ast.FuncCall():
                return self.place_of_call(node, "place")
            case _:
                raise UnsupportedError(f"{DESCRIPTIONS.get(type(node).__name__, 'an expression')} used as memory")

    @abstractmethod
    def place_of_call(self, node: c_ast.FuncCall, wanted: Literal["place", "pointee"]) -> Place:
        """Place of what a call returns, or of what the address that it returns points to."""

    def variable(self, node: c_ast.Node) -> Symbol | None:
        """The scalar variable that an lvalue is, `*p` with a `p` that is known to point to it included."""
        while isinstance(node, c_ast.Cast):
            node = node.expr
        match node:
            case c_ast.ID():
                symbol = self.context.lookup(node.name)
                return symbol if is_scalar_value(symbol.type) else None
            case c_ast.UnaryOp(op="*"):
                pointer = node.expr
            case c_ast.ArrayRef(subscript=c_ast.Constant(value="0")):
                pointer = node.name
            case _:
                return None
        found = self._variable_behind(pointer)
        if found is not None and is_volatile(pointed_to(self.type_of(pointer))):
            raise _volatile(found.name)
        return found

    def _variable_behind(self, pointer: c_ast.Node) -> Symbol | None:
        while isinstance(pointer, c_ast.Cast):
            pointer = pointer.expr
        if isinstance(pointer, c_ast.UnaryOp) and pointer.op == "&":
            return self.variable(pointer.expr)
        if not isinstance(pointer, c_ast.ID):
            return None
        known = self.context.values.pointers.get(self.context.lookup(pointer.name).name)
        return None if known is None else known.variable

    def retyped(self, place: Place, target: CType) -> Place:
        """A place seen through a pointer to another type of the same size (or of a size that is not known)."""
        if _is_same_shape(target, place.type):
            return place
        if isinstance(place.type, ArrayOf) or isinstance(target, ArrayOf):
            raise UnsupportedError("an array that is handed on as one of another shape")
        new, old = size_bytes(target), size_bytes(place.type)
        if new is None:
            return place
        if old is None:
            return self.first_typed(place, target)
        if new == old and isinstance(target, StructOf) == isinstance(place.type, StructOf):
            return replace(place, type=target)
        raise UnsupportedError("a pointer that is handed on as one to another type")

    def first_typed(self, place: Place, target: CType) -> Place:
        """The start of memory of no type (`void *`) as a pointer to a type shows it, which is what it holds then."""
        size, old = size_bytes(target), self.context.arrays.get(place.array)
        if size is None or old is None or size_bytes(place.type) is not None or place.member or not _starts_row(place):
            return place
        if size_bytes(old.element) is None:
            self.context.retype(old, target)
        return replace(place, type=target, element_bytes=element_bytes_of(target)[0])

    def _array_place(self, node: c_ast.Node) -> Place | None:
        """Place of an array that `node` names directly, None for a pointer."""
        if isinstance(node, (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef)) and not isinstance(
            self.type_of(node), PointerTo
        ):
            return self.place(node)
        return None

    def pointee(self, node: c_ast.Node) -> Place:
        """Place of `*node`."""
        match node:
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef():
                ctype = self.type_of(node)
                if isinstance(ctype, PointerTo):
                    return self._through_variable(node) if isinstance(node, c_ast.ID) else self._through(node)
                return self.place(node).indexed(_ZERO, _NO_OFFSET)
            case c_ast.BinaryOp() if node.op in {"+", "-"}:
                left_is_address = self.is_pointer(node.left)
                address, offset = (node.left, node.right) if left_is_address else (node.right, node.left)
                return self._moved(address, offset, negative=node.op == "-")
            case c_ast.UnaryOp() if node.op == "&":
                return self.place(node.expr)
            case c_ast.UnaryOp() if node.op == "*":
                if isinstance(self.type_of(node), PointerTo):
                    return self._through(node)
                return self.place(node).indexed(_ZERO, _NO_OFFSET)
            case c_ast.UnaryOp() if node.op in INCREMENTS:
                if (
                    isinstance(node.expr, c_ast.ID)
                    and self.context.lookup(node.expr.name).name in self.context.values.closed
                ):
                    return self._stepped(node)
                if isinstance(node.expr, c_ast.ID) and self.context.values.loops:
                    return self._stepped(node)
                place = self.pointee(node.expr)
                self.lower(node)
                return place.unindexed()
            case c_ast.Cast():
                return self._reinterpreted(node)
            case c_ast.FuncCall():
                return self.place_of_call(node, "pointee")
            case _:
                raise UnsupportedError(
                    f"memory reached through {DESCRIPTIONS.get(type(node).__name__, 'an expression')}"
                )

    def _stepped(self, node: c_ast.UnaryOp) -> Place:
        """Place of `*p++` or `*++p`, for a pointer that is followed over the step."""
        if node.op.startswith("p"):
            place = self.pointee(node.expr)
            self.lower(node)
            return place
        self.lower(node)
        return self.pointee(node.expr)

    def _moved(self, address: c_ast.Node, offset: c_ast.Node, negative: bool = False) -> Place:
        place = self.pointee(address)
        if place.type == VOID:
            place = self.first_typed(place, CHAR)  # as GNU C counts
        elif pointed_to(self.type_of(address)) == VOID and size_bytes(place.type) != 1:
            raise UnsupportedError("a `void *` that moves by bytes through memory of another type")
        subscript = self.lower(offset)
        index = self.context.values.polynomial(subscript)
        if negative:
            subscript = binary("-", _ZERO, subscript)
            index = None if index is None else -index
        return place.shifted(subscript, index)

    def _through_variable(self, node: c_ast.ID) -> Place:
        """What a pointer variable points to, or where it is known to point."""
        context = self.context
        symbol = context.lookup(node.name)
        if is_volatile(symbol.type):
            raise _volatile(node.name)
        known = context.values.pointers.get(symbol.name)
        if known is not None and known.variable is None:
            if context.in_nest and node.name not in context.moving and symbol.scope != "body":
                context.older_pointers[node.name, known.array] = None
            is_ordered = is_qualified_volatile(pointed_to(symbol.type))
            return replace(known, type=as_volatile(known.type)) if is_ordered else known
        if known is not None:
            raise UnsupportedError(f"memory around the variable that `{node.name}` points to")
        target = cast("PointerTo", symbol.type).target
        values = context.values
        if symbol.name not in values.lost and (
            symbol.name in context.bound or (context.in_nest and node.name in context.moving)
        ):
            values.lose(symbol.name)
            if symbol.name in context.bound and not values.loops:
                raise UnsupportedError(f"`{node.name}`, which is not followed")
        lost = values.lost.get(symbol.name)
        if lost is not None:
            return context.chosen_place(symbol, target, lost)
        context.array_object(symbol)
        return Place(symbol.name, (Dimension(_ZERO, _NO_OFFSET, None),), target, element_bytes_of(target)[0])

    def _through(self, node: c_ast.Node) -> Place:
        """What a pointer in memory points to: a row of an array of rows, or a member's own array."""
        holder = self.place(node)
        if is_volatile(holder.type):
            raise _volatile(f"{holder.array}{'.' if holder.member else ''}{holder.member}")
        target = cast("PointerTo", holder.type).target
        size = element_bytes_of(target)[0]
        if not holder.member:
            self.context.inexact[
                f"rows of `{c_name(holder.array)}` are reached through pointers, whose loads are not counted"
            ] = None
            self._object(holder.array, target, len(holder.dimensions) + 1)
            return Place(holder.array, (*holder.dimensions, Dimension(_ZERO, _NO_OFFSET, None)), target, size)
        constant = _is_single(holder)
        path = MemoryPath.of(holder.array)
        owner = path if constant else path.element()
        name = str(owner.member(holder.member, is_arrow=constant and self._is_arrow(node)))
        kept = () if constant else holder.dimensions
        self._object(name, target, len(kept) + 1, holder.array)
        return Place(name, (*kept, Dimension(_ZERO, _NO_OFFSET, None)), target, size)

    def _object(self, name: str, target: CType, dimensions: int, owner: str = "") -> None:
        context = self.context
        if owner and name in context.arrays:
            return
        old = context.arrays[owner or name]
        # an object of each iteration may hold the same address in all of them
        chosen_in = old.declared_in if old.chosen_in is None else old.chosen_in
        symbol = Symbol(old.name, target, old.scope if chosen_in is None else "local")
        context.arrays.pop(name, None)
        context.add_array(name, target, (None,) * dimensions, symbol, True, False)
        context.arrays[name] = self._reached_like(old, name, chosen_in)

    def _reached_like(self, holder: ArrayObject, name: str, chosen_in: NodeId | None) -> ArrayObject:
        """The object of a name, reached from where what holds its address is."""
        return replace(
            self.context.arrays[name],
            chosen_in=chosen_in,
            reached_by=holder.reached_by,
            set_in=holder.declared_in if holder.chosen_in is None else holder.set_in,
            is_of_called=holder.is_of_called,
        )

    def _is_arrow(self, node: c_ast.Node) -> bool:
        while isinstance(node, c_ast.StructRef):
            if node.type == "->":
                return True
            node = node.name
        return False

    def _reinterpreted(self, node: c_ast.Cast) -> Place:
        place = self.pointee(node.expr)
        target = self.types.resolve(node.to_type)
        if not isinstance(target, PointerTo):
            raise UnsupportedError("an address made from a number")
        new, old = size_bytes(target.target), size_bytes(place.type)
        if old is None and new is not None and _starts_row(place) and not place.member:
            return self.first_typed(place, target.target)
        if place.narrow is not None and new == place.narrow.size_bytes:
            return place.as_element(target.target)
        if isinstance(target.target, Scalar) and target.target.lanes > 1 and new != old:
            return place.as_vector(target.target)
        if new is None or new == old:
            ctype = place.type if new is None else target.target
            return replace(place, type=ctype, variable=None)
        dimensions = self._in_units(place, new, old)
        return Place(place.array, dimensions, target.target, element_bytes_of(target.target)[0])

    def _in_units(self, place: Place, new: int, old: int | None) -> tuple[Dimension, ...]:
        """Subscripts of a place for elements of another size: `4*i` bytes are `i` integers of four."""
        if not place.member and all(d.index is not None and not d.index.terms for d in place.dimensions):
            return place.dimensions
        index = place.dimensions[0].index if len(place.dimensions) == 1 and not place.member else None
        whole = Polynomial.constant(new // old) if old and new > old and new % old == 0 else None
        share = None if index is None or whole is None else index.exact_div(whole)
        if share is None or self.context.values.without_quotients(share) is None:
            raise UnsupportedError("a pointer cast to a type of another size")
        return (Dimension(expression_of(self.context, share, LONG), share, None),)


def _volatile(name: str) -> UnsupportedError:
    """Of a pointer that each use has to load, or a variable that is reached through a pointer to `volatile`."""
    return UnsupportedError(f"`{c_name(name)}` is volatile or atomic: the order of its accesses matters")


def _is_same_shape(wanted: CType, given: CType) -> bool:
    """Whether a type is another one, an extent that is not written being any."""
    while isinstance(wanted, ArrayOf) and isinstance(given, ArrayOf):
        if wanted.extent is not None and wanted.extent != given.extent:
            return False
        wanted, given = wanted.element, given.element
    return wanted == given


def _starts_row(place: Place) -> bool:
    """Whether the place is where a pointer points, or where a row of them does: nothing was added to it."""
    return bool(place.dimensions) and (index := place.dimensions[-1].index) is not None and not index.terms


def _is_single(place: Place) -> bool:
    """Whether the place is the first element of its object: what a pointer to one struct points to."""
    return all(d.index is not None and not d.index.terms for d in place.dimensions)
