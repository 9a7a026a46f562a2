"""Expressions: pycparser's tree to frozen nodes that only read; side effects go to the context, in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast, get_args

from pycparser import c_ast
from warplens.analysis.frontend.arithmetic import binary, common_type, converted, literal, promoted
from warplens.analysis.frontend.c_types import TypeResolver, size_bytes
from warplens.analysis.frontend.context import Context
from warplens.analysis.frontend.math_calls import math_function
from warplens.analysis.frontend.places import (
    Dimension,
    Place,
    UnsupportedError,
    element_bytes_of,
    is_pointer_like,
    is_scalar_value,
)
from warplens.analysis.frontend.scope import ConstantFolder, Symbol
from warplens.analysis.ir.expression import (
    Access,
    BinaryOperator,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    UnaryOperator,
    Unknown,
    loads,
)
from warplens.analysis.ir.nest import Assign
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, SIZE_T, ArrayOf, CType, PointerTo, Scalar, StructOf, UnknownType
from warplens.analysis.text.span import Span

AssignOperator = Literal["", "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]
_ZERO = Constant(0, INT)
_NO_OFFSET = Polynomial(())
_BINARY = frozenset(get_args(BinaryOperator))
_INCREMENTS = frozenset({"++", "--", "p++", "p--"})
DEEPEST_EXPRESSION = 200
"""Levels of an expression; those after us in the pipeline may recurse over it."""


class Expressions:
    """Lowers expressions in a context; methods raise UnsupportedError."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._depth = 0
        folder = ConstantFolder({n: s.value for n, s in context.file_scope.symbols.items() if s.value is not None})
        scope = context.file_scope
        self.types = TypeResolver(self.extent, folder.fold, scope.typedefs, scope.tags)
        folder.resolver = self.types

    def extent(self, node: c_ast.Node) -> Polynomial | None:
        """Array dimension as a polynomial in what is known here."""
        try:
            return self.context.values.polynomial(self.lower(node))
        except UnsupportedError:
            return None

    def lower(self, node: c_ast.Node) -> Expression:
        """Value of an expression; raises UnsupportedError."""
        self._depth += 1
        try:
            if self._depth > DEEPEST_EXPRESSION:
                raise UnsupportedError(f"an expression deeper than {DEEPEST_EXPRESSION} levels")
            return self._lower(node)
        finally:
            self._depth -= 1

    def _lower(self, node: c_ast.Node) -> Expression:
        match node:
            case c_ast.Constant():
                constant = literal(node.value)
                return constant or Unknown("a string", (), PointerTo(Scalar("char", "int", 1), const_target=True))
            case c_ast.ID():
                return self._identifier(node)
            case c_ast.ArrayRef() | c_ast.StructRef():
                return self._result_part(node) or self._read(self.place(node), node)
            case c_ast.BinaryOp():
                return self._binary(node)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.Assignment():
                return self._assign(node)
            case c_ast.Cast():
                return self._cast(node)
            case c_ast.TernaryOp():
                return self._conditional(node)
            case c_ast.FuncCall():
                return self._call(node)
            case c_ast.ExprList():
                for part in node.exprs[:-1]:
                    self.effect(part)
                return self.lower(node.exprs[-1])
            case _:
                raise UnsupportedError(_DESCRIPTIONS.get(type(node).__name__, type(node).__name__))

    def effect(self, node: c_ast.Node) -> None:
        """Part of a comma expression whose value is dropped."""
        value = self.lower(node)
        if isinstance(value, Call) and not value.is_math:
            raise UnsupportedError(f"a call of `{value.function}` in a comma expression")

    # ---- reads

    def _identifier(self, node: c_ast.ID) -> Expression:
        symbol = self.context.lookup(node.name)
        if symbol.value is not None:
            return Constant(symbol.value, symbol.type)
        if isinstance(symbol.type, StructOf):
            return self._read(self.place(node), node)
        if symbol.is_array_parameter or not is_scalar_value(symbol.type):
            if is_pointer_like(symbol.type):
                self.context.array_object(symbol)
            return Unknown(f"the address of `{node.name}`", (), PointerTo(symbol.type))
        return self.context.scalar(symbol, node.name)

    def _read(self, place: Place, node: c_ast.Node) -> Expression:
        if is_pointer_like(place.type) and not isinstance(place.type, PointerTo):
            reads = tuple(d.subscript for d in place.dimensions)
            return Unknown("the address of an array", reads, PointerTo(place.type))
        return Load(self.access(place, node))

    def _result_part(self, node: c_ast.Node) -> Expression | None:
        """`f(x).m`, `f(x)->m`, `f(x)[i]`, `*f(x)`: what a call gave or gave the address of; None for anything else."""
        reads: list[c_ast.Node] = []
        base = node
        while not isinstance(base, c_ast.FuncCall):
            match base:
                case c_ast.ArrayRef():
                    reads.append(base.subscript)
                    base = base.name
                case c_ast.StructRef():
                    base = base.name
                case c_ast.UnaryOp(op="*"):
                    base = base.expr
                case _:
                    return None
        parts = tuple(self.lower(part) for part in (base, *reversed(reads)))
        return Unknown("memory reached through a call's result", parts, self.type_of(node))

    def access(self, place: Place, node: c_ast.Node) -> Access:
        """Finished reference to memory with its own id."""
        return Access(
            self.context.new_id(self._access_span(node)),
            place.array,
            place.type,
            tuple(d.subscript for d in place.dimensions),
            tuple(d.index for d in place.dimensions),
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

    # ---- places

    def place(self, node: c_ast.Node) -> Place:
        """Memory that an lvalue designates; raises UnsupportedError for a scalar variable."""
        match node:
            case c_ast.ID():
                symbol = self.context.lookup(node.name)
                if isinstance(symbol.type, PointerTo) and not symbol.is_array_parameter:
                    raise UnsupportedError(f"`{node.name}` used as memory")
                self.context.array_object(symbol)
                return Place(symbol.name, (), symbol.type, element_bytes_of(symbol.type)[0])
            case c_ast.ArrayRef():
                if not self._is_pointer(node.name) and self._is_pointer(node.subscript):
                    return self._moved(node.subscript, node.name)  # 2[a]
                inner = self._array_place(node.name)
                if inner is None:
                    return self._moved(node.name, node.subscript)
                subscript = self.lower(node.subscript)
                inner = self._member_array(inner, node.name)
                return inner.indexed(subscript, self.context.values.polynomial(subscript))
            case c_ast.StructRef():
                base = self.pointee(node.name) if node.type == "->" else self.place(node.name)
                field = base.field(node.field.name)
                return replace(field, type=self.types.completed(field.type))
            case c_ast.UnaryOp() if node.op == "*":
                return self.pointee(node.expr)
            case c_ast.Cast():
                return self.place(node.expr)
            case _:
                raise UnsupportedError(f"{_DESCRIPTIONS.get(type(node).__name__, 'an expression')} used as memory")

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
                left_is_address = self._is_pointer(node.left)
                address, offset = (node.left, node.right) if left_is_address else (node.right, node.left)
                return self._moved(address, offset, negative=node.op == "-")
            case c_ast.UnaryOp() if node.op == "&":
                return self.place(node.expr)
            case c_ast.UnaryOp() if node.op == "*":
                if isinstance(self.type_of(node), PointerTo):
                    return self._through(node)
                return self.place(node).indexed(_ZERO, _NO_OFFSET)
            case c_ast.UnaryOp() if node.op in _INCREMENTS:
                place = self.pointee(node.expr)
                self.lower(node)
                return place.unindexed()
            case c_ast.Cast():
                return self._reinterpreted(node)
            case _:
                raise UnsupportedError(
                    f"memory reached through {_DESCRIPTIONS.get(type(node).__name__, 'an expression')}"
                )

    def _moved(self, address: c_ast.Node, offset: c_ast.Node, negative: bool = False) -> Place:
        place = self.pointee(address)
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
        known = context.values.pointers.get(symbol.name)
        if known is not None:
            return known
        context.array_object(symbol)
        target = cast("PointerTo", symbol.type).target
        size = element_bytes_of(target)[0]
        if context.in_nest and node.name in context.moving:
            moves = Unknown(f"`{node.name}` moves", (context.scalar(symbol, node.name),), INT)
            return Place(symbol.name, (Dimension(moves, None, None),), target, size)
        return Place(symbol.name, (Dimension(_ZERO, _NO_OFFSET, None),), target, size)

    def _through(self, node: c_ast.Node) -> Place:
        """What a pointer in memory points to: a row of an array of rows, or a member's own array."""
        holder = self.place(node)
        target = cast("PointerTo", holder.type).target
        size = element_bytes_of(target)[0]
        if not holder.member:
            self.context.inexact[
                f"rows of `{holder.array}` are reached through pointers, whose loads are not counted"
            ] = None
            self._object(holder.array, target, len(holder.dimensions) + 1)
            return Place(holder.array, (*holder.dimensions, Dimension(_ZERO, _NO_OFFSET, None)), target, size)
        constant = _is_single(holder)
        arrow = "->" if self._is_arrow(node) else "."
        name = f"{holder.array}{'' if constant else '[]'}{arrow if constant else '.'}{holder.member}"
        kept = () if constant else holder.dimensions
        self._object(name, target, len(kept) + 1, holder.array)
        return Place(name, (*kept, Dimension(_ZERO, _NO_OFFSET, None)), target, size)

    def _object(self, name: str, target: CType, dimensions: int, owner: str = "") -> None:
        context = self.context
        if owner and name in context.arrays:
            return
        old = context.arrays[owner or name]
        symbol = Symbol(old.name, target, old.scope, declared_in=old.declared_in)
        context.arrays.pop(name, None)
        context.add_array(name, target, (None,) * dimensions, symbol, True, False)

    def _member_array(self, place: Place, node: c_ast.Node) -> Place:
        """A single struct's array whose elements don't divide the struct: an object of its own."""
        if not isinstance(place.type, ArrayOf) or not place.member or not _is_single(place):
            return place
        element_bytes, known = element_bytes_of(place.type)
        if not known or place.element_bytes % element_bytes == 0:
            return place
        name = f"{place.array}{'->' if self._is_arrow(node) else '.'}{place.member}"
        old = self.context.arrays[place.array]
        symbol = Symbol(old.name, place.type, old.scope, declared_in=old.declared_in)
        extents: list[Polynomial | None] = []
        ctype: CType = place.type
        while isinstance(ctype, ArrayOf):
            extents.append(ctype.extent)
            ctype = ctype.element
        self.context.add_array(name, ctype, tuple(extents), symbol, old.is_pointer, old.is_const)
        return Place(name, (), place.type, element_bytes)

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
        if new is None or new == old:
            ctype = place.type if new is None else target.target
            return Place(place.array, place.dimensions, ctype, place.element_bytes, place.member,
                         place.member_offset_bytes)  # fmt: skip
        if any(d.index is None or d.index.terms for d in place.dimensions) or place.member:
            raise UnsupportedError("a pointer cast to a type of another size")
        return Place(place.array, place.dimensions, target.target, element_bytes_of(target.target)[0])

    def _is_pointer(self, node: c_ast.Node) -> bool:
        return is_pointer_like(self.type_of(node))

    def type_of(self, node: c_ast.Node) -> CType:
        """Type of an expression as far as pointers and arrays matter."""
        match node:
            case c_ast.ID():
                return self.context.lookup(node.name).type
            case c_ast.ArrayRef():
                return _target(self.type_of(node.name))
            case c_ast.StructRef():
                base = self.type_of(node.name)
                base = _target(base) if node.type == "->" else base
                for field in base.fields if isinstance(base, StructOf) else ():
                    if field.name == node.field.name:
                        return self.types.completed(field.type)
                return UnknownType("a member of a type that is not known")
            case c_ast.UnaryOp():
                if node.op == "*":
                    return _target(self.type_of(node.expr))
                return PointerTo(self.type_of(node.expr)) if node.op == "&" else self._operand_type(node)
            case c_ast.BinaryOp() if node.op in {"+", "-"}:
                left = self.type_of(node.left)
                return left if is_pointer_like(left) else self.type_of(node.right)
            case c_ast.Cast():
                return self.types.resolve(node.to_type)
            case c_ast.TernaryOp():
                return self.type_of(node.iftrue)
            case c_ast.Assignment():
                return self.type_of(node.lvalue)
            case c_ast.FuncCall() if isinstance(node.name, c_ast.ID):
                return self.context.file_scope.results.get(node.name.name, INT)
            case _:
                return INT

    def _operand_type(self, node: c_ast.UnaryOp) -> CType:
        return self.type_of(node.expr) if node.op in _INCREMENTS else INT

    # ---- operators

    def _binary(self, node: c_ast.BinaryOp) -> Expression:
        spine = [node]
        while isinstance(spine[-1].left, c_ast.BinaryOp):
            spine.append(spine[-1].left)
        if len(spine) + self._depth > DEEPEST_EXPRESSION:
            raise UnsupportedError(f"an expression deeper than {DEEPEST_EXPRESSION} levels")
        result = self.lower(spine[-1].left)
        for part in reversed(spine):
            if part.op not in _BINARY:
                raise UnsupportedError(f"operator `{part.op}`")
            right = self._unconditional(part.right) if part.op in {"&&", "||"} else self.lower(part.right)
            if part.op in {"+", "-"} and (is_pointer_like(result.type) or is_pointer_like(right.type)):
                both = is_pointer_like(result.type) and is_pointer_like(right.type)
                pointer = result.type if is_pointer_like(result.type) else right.type
                result = Unknown("pointer arithmetic", (result, right), SIZE_T if both else pointer)
            else:
                result = binary(part.op, result, right)
        return result

    def _unconditional(self, node: c_ast.Node) -> Expression:
        """An operand that is not always evaluated: it must have no side effect."""
        before, after = len(self.context.before), len(self.context.after)
        value = self.lower(node)
        if (len(self.context.before), len(self.context.after)) != (before, after):
            raise UnsupportedError("a side effect that depends on a condition")
        return value

    def _unary(self, node: c_ast.UnaryOp) -> Expression:
        if node.op in _INCREMENTS:
            return self._increment(node)
        if node.op == "*":
            return self._result_part(node) or self._read(self.pointee(node.expr), node)
        if node.op == "&":
            return self._address(node)
        if node.op in {"sizeof", "_Alignof"}:
            ctype = self.types.resolve(node.expr) if isinstance(node.expr, c_ast.Typename) else self.type_of(node.expr)
            size = size_bytes(ctype)
            return Unknown("a size that is not known", (), SIZE_T) if size is None else Constant(size, SIZE_T)
        operand = self.lower(node.expr)
        if node.op == "+":
            return operand
        if node.op not in {"-", "~", "!"}:
            raise UnsupportedError(f"operator `{node.op}`")
        if isinstance(operand, Constant):
            if node.op == "-":
                return Constant(-operand.value, operand.type)
            if isinstance(operand.value, int):
                return Constant(int(not operand.value) if node.op == "!" else ~operand.value, operand.type)
        ctype = promoted(operand.type) if isinstance(operand.type, Scalar) else operand.type
        return Unary(cast("UnaryOperator", node.op), operand, INT if node.op == "!" else ctype)

    def _address(self, node: c_ast.UnaryOp) -> Expression:
        target = node.expr
        if isinstance(target, c_ast.ID) and is_scalar_value(self.context.lookup(target.name).type):
            reference = self.context.scalar(self.context.lookup(target.name), target.name)
            return Unknown(f"the address of `{target.name}`", (reference,), PointerTo(reference.type))
        place = self.place(target)
        return Unknown(
            f"an address in `{place.array}`", tuple(d.subscript for d in place.dimensions), PointerTo(place.type)
        )

    def _cast(self, node: c_ast.Cast) -> Expression:
        ctype = self.types.resolve(node.to_type)
        operand = self.lower(node.expr)
        if isinstance(ctype, Scalar) and ctype.kind == "int" and isinstance(operand.type, Scalar):
            if isinstance(operand, Constant) and isinstance(operand.value, int):
                return Constant(operand.value, ctype)
            if operand.type.kind == "int":
                return operand if operand.type == ctype else Cast(operand, ctype)
        if isinstance(ctype, UnknownType) and ctype.reason == "void":
            return operand
        if is_pointer_like(ctype) and is_pointer_like(operand.type):
            return Unknown("a pointer cast", (operand,), ctype)
        return converted(operand, ctype)

    def _conditional(self, node: c_ast.TernaryOp) -> Expression:
        condition = self.lower(node.cond)
        then, otherwise = self._unconditional(node.iftrue), self._unconditional(node.iffalse)
        if isinstance(condition, Constant):
            return then if condition.value else otherwise
        ctype = common_type(then.type, otherwise.type)
        return Conditional(condition, converted(then, ctype), converted(otherwise, ctype), ctype)

    def _call(self, node: c_ast.FuncCall) -> Expression:
        name = node.name.name if isinstance(node.name, c_ast.ID) else "(*pointer)"
        arguments = tuple(self.lower(argument) for argument in (node.args.exprs if node.args else ()))
        if name == "asm":
            raise UnsupportedError("inline assembly")
        if name in {"__builtin_expect", "__builtin_assume_aligned"} and arguments:
            return arguments[0]
        math = math_function(name)
        if math is not None:
            plain, ctype = math
            if isinstance(ctype, Scalar) and ctype.kind == "float":
                arguments = tuple(converted(argument, ctype) for argument in arguments)
            return Call(plain, arguments, ctype, is_math=True)
        return Call(name, arguments, self.context.file_scope.results.get(name, INT), is_math=False)

    # ---- side effects

    def _assign(self, node: c_ast.Assignment) -> Expression:
        operator = node.op[:-1]
        span = self.context.extents.statement(self.context.extents.offset(node.coord)) if node.coord else Span(0, 0)
        lvalue = node.lvalue
        place = None
        if not self._is_scalar(lvalue):
            place = self.place(lvalue)
        value = self.lower(node.rvalue)
        target = self.store(lvalue, place, operator, value, span)
        if isinstance(target, ScalarRef) or place is None:
            return cast("ScalarRef", target)
        stored = cast("Assign", self.context.before[-1]).value
        is_simple = not operator and not any(loads(stored))
        return stored if is_simple else self._later_read(place, lvalue)

    def _later_read(self, place: Place, node: c_ast.Node) -> Expression:
        """Value of an assignment to memory: one more read, dropped again when the value is not used."""
        return Load(self.access(place, node))

    def store(
        self, lvalue: c_ast.Node, place: Place | None, operator: str, value: Expression, span: Span
    ) -> ScalarRef | Access:
        """Emit an assignment and keep track of what the target then holds."""
        context = self.context
        target: ScalarRef | Access
        if place is not None:
            target = self.access(place, lvalue)
        else:
            while isinstance(lvalue, c_ast.Cast):
                lvalue = lvalue.expr
            target = context.scalar(context.lookup(lvalue.name), lvalue.name)
        is_shift = operator in {"<<", ">>"}
        if not operator:
            value = converted(value, target.type)
        elif isinstance(target.type, Scalar) and target.type.kind != "int" and not is_shift:
            value = converted(value, common_type(target.type, value.type))
        statement = Assign(context.new_id(span), target, cast("AssignOperator", operator), value)
        context.before.append(statement)
        if isinstance(target, ScalarRef):
            context.values.assign(target.name, self._assigned(target, operator, value))
        return target

    def _assigned(self, target: ScalarRef, operator: str, value: Expression) -> Polynomial | None:
        if not isinstance(target.type, Scalar) or target.type.kind != "int" or target.name in self.context.addressed:
            return None
        if not operator:
            return self.context.values.polynomial(value)
        if operator in {"+", "-", "*"}:
            return self.context.values.polynomial(binary(cast("BinaryOperator", operator), target, value))
        return None

    def _increment(self, node: c_ast.UnaryOp) -> Expression:
        late = node.op.startswith("p")
        operator = "+" if "+" in node.op else "-"
        place = None if self._is_scalar(node.expr) else self.place(node.expr)
        extents = self.context.extents
        span = extents.statement(extents.offset(node.coord)) if node.coord else Span(0, 0)
        if late:
            old = self.lower(node.expr)
            self.context.after.append((node.expr, place, operator, span))
            return old
        target = self.store(node.expr, place, operator, Constant(1, INT), span)
        return self._later_read(place, node.expr) if place is not None else cast("ScalarRef", target)

    def finish(self) -> None:
        """Emit the side effects that happen after the expression."""
        pending, self.context.after = self.context.after, []
        for lvalue, place, operator, span in pending:
            self.store(lvalue, place, operator, Constant(1, INT), span)

    def _is_scalar(self, node: c_ast.Node) -> bool:
        while isinstance(node, c_ast.Cast):
            node = node.expr
        if not isinstance(node, c_ast.ID):
            return False
        symbol = self.context.lookup(node.name)
        return is_scalar_value(symbol.type)


def _is_single(place: Place) -> bool:
    """Whether the place is the first element of its object: what a pointer to one struct points to."""
    return all(d.index is not None and not d.index.terms for d in place.dimensions)


def _target(ctype: CType) -> CType:
    match ctype:
        case PointerTo(target):
            return target
        case ArrayOf(element):
            return element
        case _:
            return UnknownType("not a pointer")


_DESCRIPTIONS = {
    "FuncCall": "a call's result",
    "TernaryOp": "a choice between pointers",
    "CompoundLiteral": "a compound literal",
    "Compound": "a statement expression",
    "InitList": "an initialiser list",
    "Assignment": "an assignment's result",
    "Constant": "a constant",
}
