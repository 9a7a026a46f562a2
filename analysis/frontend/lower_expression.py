"""Expressions: pycparser's tree to frozen nodes that only read; side effects go to the context, in order."""

from __future__ import annotations

from typing import cast, get_args

from pycparser import c_ast
from warplens.analysis.frontend.arithmetic import binary, common_type, converted, literal, promoted
from warplens.analysis.frontend.c_types import size_bytes
from warplens.analysis.frontend.context import Context
from warplens.analysis.frontend.expression_types import INCREMENTS
from warplens.analysis.frontend.lower_effect import Effects
from warplens.analysis.frontend.lower_place import DESCRIPTIONS
from warplens.analysis.frontend.math_calls import math_function
from warplens.analysis.frontend.places import (
    UnsupportedError,
    is_pointer_like,
    is_scalar_value,
)
from warplens.analysis.frontend.recover import UNREADABLE
from warplens.analysis.ir.expression import (
    BinaryOperator,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Unary,
    UnaryOperator,
    Unknown,
)
from warplens.analysis.ir.types import INT, SIZE_T, PointerTo, Scalar, StructOf, UnknownType

_BINARY = frozenset(get_args(BinaryOperator))
DEEPEST_EXPRESSION = 200
"""Levels of an expression; those after us in the pipeline may recurse over it."""


class Expressions(Effects):
    """Lowers expressions in a context; methods raise UnsupportedError."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._depth = 0

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
                return self._result_part(node) or self.read(self.place(node), node)
            case c_ast.BinaryOp():
                return self._binary(node)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.Assignment():
                return self.assign(node)
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
                raise UnsupportedError(DESCRIPTIONS.get(type(node).__name__, type(node).__name__))

    def effect(self, node: c_ast.Node) -> None:
        """Part of a comma expression whose value is dropped."""
        value = self.lower(node)
        if isinstance(value, Call) and not value.is_math:
            raise UnsupportedError(f"a call of `{value.function}` in a comma expression")

    def _identifier(self, node: c_ast.ID) -> Expression:
        symbol = self.context.lookup(node.name)
        if symbol.value is not None:
            return Constant(symbol.value, symbol.type)
        if isinstance(symbol.type, StructOf):
            return self.read(self.place(node), node)
        if symbol.is_array_parameter or not is_scalar_value(symbol.type):
            if is_pointer_like(symbol.type):
                self.context.array_object(symbol)
            return Unknown(f"the address of `{node.name}`", (), PointerTo(symbol.type))
        return self.context.scalar(symbol, node.name)

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
        if node.op in INCREMENTS:
            return self.increment(node)
        if node.op == "*":
            return self._result_part(node) or self.read(self.pointee(node.expr), node)
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
        if name == UNREADABLE:
            raise UnsupportedError("a statement that was not understood")
        if name in {"__builtin_expect", "__builtin_assume_aligned"} and arguments:
            return arguments[0]
        math = None if name in self.context.file_scope.own_functions else math_function(name)
        if math is not None:
            plain, ctype = math
            if isinstance(ctype, Scalar) and ctype.kind == "float":
                arguments = tuple(converted(argument, ctype) for argument in arguments)
            return Call(plain, arguments, ctype, is_math=True)
        return Call(name, arguments, self.context.file_scope.results.get(name, INT), is_math=False)
