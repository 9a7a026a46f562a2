"""Reads and writes of memory, and assignments inside of expressions, emitted as statements in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast

from pycparser import c_ast
from warplens.analysis.c.arithmetic import binary, common_type, converted
from warplens.analysis.c.c_types import size_bytes
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.expressions.lower_place import Places
from warplens.analysis.frontend.expressions.variable_views import after_store, is_seen_as_itself, viewed
from warplens.analysis.frontend.scopes.places import Place, is_pointer_like
from warplens.analysis.frontend.values.closed_form import closed_step, expression_of
from warplens.analysis.frontend.values.smaller_values import smaller_of
from warplens.analysis.ir.addresses import address_in
from warplens.analysis.ir.expression import (
    Access,
    BinaryOperator,
    Call,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unknown,
    loads,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import INT, LONG, CType, PointerTo, Scalar
from warplens.analysis.ir.vector_parts import LANE, OF_LANES
from warplens.analysis.text.span import Span

VECTOR_COUNTS_ONCE = "an operation on a vector counts as one, not as one for each lane"
AssignOperator = Literal["", "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]


class Effects(Places):
    """Emits what an expression reads and writes; methods raise UnsupportedError."""

    def read(self, place: Place, node: c_ast.Node) -> Expression:
        """Value at a place."""
        if is_pointer_like(place.type) and not isinstance(place.type, PointerTo):
            reads = tuple(d.subscript for d in place.dimensions)
            return Unknown("the address of an array", reads, PointerTo(place.type), is_pure=True)
        if isinstance(place.type, Scalar) and place.type.lanes > 1:
            self.context.inexact[VECTOR_COUNTS_ONCE] = None
        if place.narrow is not None:
            lanes = tuple(Load(self.access(lane, node)) for lane in place.lanes())
            return Call(OF_LANES, lanes, place.type, False, "none")
        return Load(self.access(place, node))

    def access(self, place: Place, node: c_ast.Node) -> Access:
        """Finished reference to memory with its own id."""
        return Access(
            self.context.new_id(self._access_span(node)),
            place.array,
            place.type,
            tuple(d.subscript for d in place.dimensions),
            tuple(self.context.values.without_quotients(d.index) for d in place.dimensions),
            tuple(d.extent for d in place.dimensions),
            place.element_bytes,
            place.member,
            place.member_offset_bytes,
        )

    def _access_span(self, node: c_ast.Node) -> Span:
        extents = self.context.extents
        if not self.context.in_nest or node.coord is None:
            return Span(0, 0)
        offset = extents.offset(node.coord)
        if isinstance(node, c_ast.UnaryOp):
            return extents.dereference(offset)
        operations = 0
        while isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
            operations += 1
            node = node.name
        return extents.postfix(offset, operations)

    def assign(self, node: c_ast.Assignment) -> Expression:
        """Value of an assignment, which is emitted."""
        operator = node.op[:-1]
        span = self.context.extents.statement(self.context.extents.offset(node.coord)) if node.coord else Span(0, 0)
        lvalue = node.lvalue
        place = None
        if self.variable(lvalue) is None:
            place = self.place(lvalue)
        value = self.lower(node.rvalue)
        target = self.store(lvalue, place, operator, value, span)
        if isinstance(target, ScalarRef) or place is None:
            return self.lower(lvalue)
        stored = cast("Assign", self.context.before[-1]).value
        is_simple = not operator and not any(loads(stored))
        return stored if is_simple else self._later_read(place, lvalue)

    def _later_read(self, place: Place, node: c_ast.Node) -> Expression:
        """Value of an assignment to memory: one more read, dropped again when the value is not used."""
        return self.read(place, node)

    def store(
        self, lvalue: c_ast.Node, place: Place | None, operator: str, value: Expression, span: Span
    ) -> ScalarRef | Access:
        """Emit an assignment and keep track of what the target then holds."""
        context = self.context
        target: ScalarRef | Access
        if place is not None and place.narrow is not None:
            return self._store_lanes(lvalue, place, operator, value, span)
        if place is not None:
            target = self.access(place, lvalue)
        else:
            symbol = self.variable(lvalue)
            if symbol is None:
                raise UnsupportedError("an assignment to what is no variable")
            target = context.scalar(symbol, symbol.name)
            operator, value = self._as_held(symbol, target, self.type_of(lvalue), operator, value)
            if self._is_followed_step(target, operator, value, span):
                return target
        is_shift = operator in {"<<", ">>"}
        if not operator:
            value = converted(value, target.type)
        elif isinstance(target.type, Scalar) and target.type.kind != "int" and not is_shift:
            value = converted(value, common_type(target.type, value.type))
        moved = self._moved_pointer(target, operator, value) if isinstance(target.type, PointerTo) else None
        owner = None
        if isinstance(target, ScalarRef) and operator in {"+", "-"} and c_name(target.name) not in context.addressed:
            owner = context.values.given_in(target.name)
        set_in = self._set_before_it_moves(target) if operator in {"+", "-"} else None
        statement = Assign(context.new_id(span), target, cast("AssignOperator", operator), value)
        context.before.append(statement)
        if isinstance(target, ScalarRef):
            held = None if operator else smaller_of(value, context.values.settled)
            context.values.assign(target.name, self._assigned(target, operator, value))
            if held is not None and c_name(target.name) not in context.addressed:
                context.values.smaller[target.name] = held
            if isinstance(target.type, PointerTo) and not operator:
                context.values.note_set(target.name)
            elif owner is not None:
                context.values.lose(target.name, owner)
            elif set_in is not None:
                context.values.lost[target.name] = replace(context.values.lost[target.name], set_in=set_in)
            if moved is not None:
                context.values.pointers[target.name] = moved
        return target

    def _as_held(
        self, symbol: Symbol, variable: ScalarRef, seen: CType, operator: str, value: Expression
    ) -> tuple[str, Expression]:
        """What is assigned to a variable, by which operator, where it is reached as a type."""
        if is_seen_as_itself(variable.type, seen):
            return operator, value
        if size_bytes(seen) != size_bytes(variable.type):
            self.check_part_of(symbol)
        if operator:
            value = binary(cast("BinaryOperator", operator), viewed(variable, seen), value)
        return "", after_store(variable, seen, value)

    def check_part_of(self, symbol: Symbol) -> None:
        """Raise unless a variable may be set in part: what of it an iteration keeps is told apart from nothing else."""
        context = self.context
        if context.in_nest and (not context.loops or symbol.declared_in != context.loops[-1]):
            raise UnsupportedError(f"a part of the variable `{c_name(symbol.name)}` is set")

    def _store_lanes(self, lvalue: c_ast.Node, place: Place, operator: str, value: Expression, span: Span) -> Access:
        """A vector's store: the vector, then each of the elements that it covers."""
        context = self.context
        if operator:
            value = binary(cast("BinaryOperator", operator), self.read(place, lvalue), value)
        context.inexact[VECTOR_COUNTS_ONCE] = None
        symbol = context.declare(OF_LANES, place.type, "body")
        vector = context.scalar(symbol, symbol.name)
        context.before.append(Assign(context.new_id(span), vector, "", value))
        for lane in place.lanes():
            target = self.access(lane, lvalue)
            part = Call(LANE, (vector,), lane.type, False, "none")
            context.before.append(Assign(context.new_id(span), target, "", part))
        return target

    def _moved_pointer(self, target: ScalarRef | Access, operator: str, value: Expression) -> Place | None:
        """Where a pointer variable points after `p += value`, where it is known before."""
        context = self.context
        values = context.values
        if not isinstance(target, ScalarRef) or operator not in {"+", "-"} or c_name(target.name) in context.addressed:
            return None
        place, lost = values.settled_place(target.name), values.lost.get(target.name)
        step = values.settled(value)
        if place is None and lost is not None and isinstance(target.type, PointerTo) and step is not None:
            ctype = PointerTo(target.type.target)
            place = context.chosen_place(Symbol(target.name, ctype, "local"), ctype.target, lost)
        if place is None or place.variable is not None or place.member or not place.dimensions or step is None:
            return None
        written = expression_of(context, step, LONG) if any(loads(value)) else value
        if operator == "-":
            written, step = binary("-", Constant(0, INT), written), -step
        return place.shifted(written, step)

    def _set_before_it_moves(self, target: ScalarRef | Access) -> NodeId | None:
        """The loop around in each iteration of which a pointer was set that moves now, if there is one."""
        context = self.context
        if not isinstance(target, ScalarRef) or not isinstance(target.type, PointerTo) or not context.loops:
            return None
        is_followed = c_name(target.name) not in context.addressed
        return context.values.set_in(target.name, context.loops[-1]) if is_followed else None

    def _is_followed_step(self, target: ScalarRef, operator: str, value: Expression, span: Span) -> bool:
        """Whether a variable that a loop moves is stepped, which what is known of it says from here on."""
        if closed_step(self.context, target, operator, value):
            self._kept_step(target, span)
            return True
        if target.name not in self.context.walking or operator not in {"+", "-"}:
            return False
        self._walked_step(target, operator, value, span)
        return True

    def _kept_step(self, target: ScalarRef, span: Span) -> None:
        """A step of a variable that a loop moves: written out only where the value after that loop is not known."""
        context = self.context
        if target.name in context.kept_walks and target.name in context.values.pointers:
            index = context.values.pointers[target.name].dimensions[-1].index
            now = Unknown("an address", (), LONG) if index is None else expression_of(context, index, LONG)
            context.before.append(Assign(context.new_id(span), context.kept_walks[target.name], "", now))
        value = context.values.known.get(target.name)
        if target.name in context.values.kept and value is not None:
            closed = expression_of(context, value, target.type)
            context.before.append(Assign(context.new_id(span), target, "", closed))

    def _walked_step(self, target: ScalarRef, operator: str, value: Expression, span: Span) -> None:
        """A step of a pointer that a loop moves unevenly: it is the variable that says where it is that moves."""
        context = self.context
        place, holder = context.values.pointers.get(target.name), context.walking[target.name]
        if place is None:
            raise UnsupportedError(f"`{c_name(target.name)}` moves from where it is not followed to")
        context.before.append(Assign(context.new_id(span), holder, cast("AssignOperator", operator), value))
        address = address_in(place.array, (holder, target), target.type, is_start=False)  # it goes on from where it was
        context.before.append(Assign(context.new_id(span), target, "", address))

    def _assigned(self, target: ScalarRef, operator: str, value: Expression) -> Polynomial | None:
        is_integer = isinstance(target.type, Scalar) and target.type.kind == "int"
        if not is_integer or c_name(target.name) in self.context.addressed:
            return None
        if not operator:
            return self.context.values.stored(value, target.type)
        if operator in {"+", "-", "*"}:
            return self.context.values.stored(binary(cast("BinaryOperator", operator), target, value), target.type)
        return None

    def increment(self, node: c_ast.UnaryOp) -> Expression:
        """Value of `i++` or `++i`; what it writes is emitted, or kept for `finish`."""
        late = node.op.startswith("p")
        operator = "+" if "+" in node.op else "-"
        place = None if self.variable(node.expr) is not None else self.place(node.expr)
        extents = self.context.extents
        span = extents.statement(extents.offset(node.coord)) if node.coord else Span(0, 0)
        if late:
            old = self.lower(node.expr)
            self.context.after.append((node.expr, place, operator, span))
            return old
        self.store(node.expr, place, operator, Constant(1, INT), span)
        return self._later_read(place, node.expr) if place is not None else self.lower(node.expr)

    def finish(self) -> None:
        """Emit the side effects that happen after the expression."""
        pending, self.context.after = self.context.after, []
        for lvalue, place, operator, span in pending:
            self.store(lvalue, place, operator, Constant(1, INT), span)
