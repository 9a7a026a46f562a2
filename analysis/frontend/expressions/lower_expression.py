"""Expressions: pycparser's tree to frozen nodes that only read; side effects go to the context, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import eq, ge, gt, le, lt, ne
from typing import cast, get_args

from pycparser import c_ast
from warplens.analysis.c.arithmetic import binary, common_type, converted, cut_to, literal, promoted
from warplens.analysis.c.c_types import is_scalar_value, size_bytes
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.expressions.emitting import may_emit
from warplens.analysis.frontend.expressions.expression_types import COMPARISONS, INCREMENTS
from warplens.analysis.frontend.expressions.lower_place import DESCRIPTIONS
from warplens.analysis.frontend.expressions.lower_vectors import Vectors
from warplens.analysis.frontend.expressions.variable_views import viewed
from warplens.analysis.frontend.scopes.places import is_pointer_like
from warplens.analysis.frontend.values.closed_form import closed_read
from warplens.analysis.frontend.values.context import Context
from warplens.analysis.frontend.values.values import Values
from warplens.analysis.ir.expression import (
    Binary,
    BinaryOperator,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    ScalarRef,
    Unary,
    UnaryOperator,
    Unknown,
    reads_volatile,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Statement
from warplens.analysis.ir.rewrite_accesses import rewrite_expression
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import INT, LONG, SIZE_T, PointerTo, Scalar, StructOf, UnknownType

_BINARY = frozenset(get_args(BinaryOperator))
_STATEMENTS = (
    c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch, c_ast.Compound, c_ast.EmptyStatement, c_ast.Return,
    c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.Label, c_ast.DeclList, c_ast.Pragma,
)  # fmt: skip
_TESTS: dict[str, Callable[[int, int], bool]] = {
    "==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip
DEEPEST_EXPRESSION = 200
"""Levels of an expression; those after us in the pipeline may recurse over it."""


class Expressions(Vectors):
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
                if constant is None and node.value[:1].isdigit():
                    return Unknown("a number that no type holds", (), LONG, is_pure=True)
                text = PointerTo(Scalar("char", "int", 1), const_target=True)
                return constant or Unknown("a string", (), text, is_pure=True)
            case c_ast.ID():
                return self._identifier(node)
            case c_ast.ArrayRef() | c_ast.StructRef():
                variable = self.variable(node)
                if variable is not None:
                    return viewed(self.context.scalar(variable, variable.name), self.type_of(node))
                return self.vector_value(node) or self._result_part(node) or self.read(self.place(node), node)
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
                return self.call(node)
            case c_ast.ExprList():
                for part in node.exprs[:-1]:
                    self.effect(part)
                return self.lower(node.exprs[-1])
            case _:
                return self._selected_value(node)

    def _selected_value(self, node: c_ast.Node) -> Expression:
        """Value of a statement expression, a generic selection, or a vector's initialiser."""
        match node:
            case c_ast.Compound():
                return self._statement_expression(node.block_items or [])
            case c_ast.GenericSelection():
                return self.lower(self.selected(node))
        vector = self.vector_value(node)
        if vector is None:
            raise UnsupportedError(DESCRIPTIONS.get(type(node).__name__, "an expression of an unusual form"))
        return vector

    def effect(self, node: c_ast.Node) -> None:
        """Part of a comma expression whose value is dropped."""
        value = self.lower(node)
        if isinstance(value, Call) and not value.is_math and value.effects != "none":
            raise UnsupportedError(f"a call of `{value.function}` in a comma expression")
        if reads_volatile(value):
            raise UnsupportedError("a read of a volatile object in a comma expression")

    def _identifier(self, node: c_ast.ID) -> Expression:
        symbol = self.context.lookup(node.name)
        if symbol.value is not None:
            return Constant(symbol.value, symbol.type)
        if symbol.name in self.context.substitutions:
            return self._again(self.context.substitutions[symbol.name])
        if isinstance(symbol.type, StructOf):
            return self.read(self.place(node), node)
        if symbol.is_array_parameter or not is_scalar_value(symbol.type):
            if is_pointer_like(symbol.type):
                self.context.array_object(symbol)
            return Unknown(f"the address of `{node.name}`", (), PointerTo(symbol.type), is_pure=True)
        return closed_read(self.context, symbol) or self.context.scalar(symbol, node.name)

    def _again(self, value: Expression) -> Expression:
        """An argument once more: each access has an id of its own."""
        return rewrite_expression(value, lambda access: replace(access, id=self.context.new_id(self.call_span())))

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
        if self.can_be_inlined(base):
            return None
        if self.called_name(base).startswith("__ctype_"):  # what `isdigit` is a macro for: a table that never changes
            parts = tuple(self.lower(part) for part in reversed(reads))
            return Call(self.called_name(base), parts, self.type_of(node), False, "none")
        parts = tuple(self.lower(part) for part in (base, *reversed(reads)))
        if (
            isinstance(parts[0], Call) and parts[0].effects == "unseen"
        ):  # who vouches for the call vouches for its memory
            return replace(parts[0], arguments=(*parts[0].arguments, *parts[1:]), type=self.type_of(node))
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
            if part.op in {"&&", "||"}:
                result = self._short_circuit(part.op, result, part.right)
                continue
            right = self.lower(part.right)
            if part.op in {"+", "-"} and (is_pointer_like(result.type) or is_pointer_like(right.type)):
                both = is_pointer_like(result.type) and is_pointer_like(right.type)
                pointer = result.type if is_pointer_like(result.type) else right.type
                result = Unknown("pointer arithmetic", (result, right), SIZE_T if both else pointer, is_pure=True)
            else:
                result = self._decided(part.op, result, right) or binary(part.op, result, right)
        return result

    def _decided(self, compare: str, left: Expression, right: Expression) -> Constant | None:
        """What a called function asks of numbers that its caller knows: `if (*beta == 0)`."""
        if not self.context.callers or compare not in _TESTS:
            return None
        one, other = self.context.values.number(left), self.context.values.number(right)
        if one is None or other is None or (min(one, other) < 0 and not (_is_signed(left) and _is_signed(right))):
            return None
        return Constant(int(_TESTS[compare](one, other)), INT)

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
            variable = self.variable(node)
            if variable is not None:
                return viewed(self.context.scalar(variable, variable.name), self.type_of(node))
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
            kind = promoted(operand.type) if isinstance(operand.type, Scalar) else operand.type
            is_zero = isinstance(operand.value, float) and not operand.value  # -0.0 equals 0.0 in memories' keys
            if node.op == "-" and not is_zero:
                return Constant(0 - operand.value, kind)
            if node.op != "-" and isinstance(operand.value, int):
                return Constant(int(not operand.value), INT) if node.op == "!" else Constant(~operand.value, kind)
        ctype = promoted(operand.type) if isinstance(operand.type, Scalar) else operand.type
        return Unary(cast("UnaryOperator", node.op), operand, INT if node.op == "!" else ctype)

    def _address(self, node: c_ast.UnaryOp) -> Expression:
        target = node.expr
        if isinstance(target, c_ast.ID) and is_scalar_value(self.context.lookup(target.name).type):
            reference = self.context.scalar(self.context.lookup(target.name), target.name)
            return Unknown(f"the address of `{target.name}`", (reference,), PointerTo(reference.type), is_pure=True)
        place = self.place(target)
        subscripts = tuple(d.subscript for d in place.dimensions)
        return Unknown(f"an address in `{c_name(place.array)}`", subscripts, PointerTo(place.type), is_pure=True)

    def _cast(self, node: c_ast.Cast) -> Expression:
        ctype = self.types.resolve(node.to_type)
        operand = self.lower(node.expr)
        if isinstance(ctype, Scalar) and ctype.kind == "int" and isinstance(operand.type, Scalar):
            if isinstance(operand, Constant) and isinstance(operand.value, int):
                return Constant(cut_to(operand.value, ctype), ctype)
            if operand.type.kind == "int":
                return operand if operand.type == ctype else Cast(operand, ctype)
        if isinstance(ctype, UnknownType) and ctype.reason == "void":
            return operand
        if isinstance(operand, Call) and isinstance(operand.type, PointerTo) and isinstance(ctype, PointerTo):
            return replace(operand, type=ctype)  # `(int *)get(n)`: the same address
        if is_pointer_like(ctype) and is_pointer_like(operand.type):
            return Unknown("a pointer cast", (operand,), ctype, is_pure=True)
        return converted(operand, ctype)

    def _conditional(self, node: c_ast.TernaryOp) -> Expression:
        condition = self.lower(node.cond)
        if isinstance(condition, Constant):
            return self.lower(node.iftrue if condition.value else node.iffalse)
        if may_emit(node.iftrue) or may_emit(node.iffalse):
            return self._chosen(condition, node)
        then, otherwise = self._unconditional(node.iftrue), self._unconditional(node.iffalse)
        ctype = common_type(then.type, otherwise.type)
        return Conditional(condition, converted(then, ctype), converted(otherwise, ctype), ctype)

    def _statement_expression(self, items: Sequence[c_ast.Node]) -> Expression:
        """`({ ...; value; })`."""
        if not self.context.in_nest:
            raise UnsupportedError("a statement expression")
        self.context.scopes.append({})
        try:
            has_value = bool(items) and not isinstance(items[-1], (*_STATEMENTS, c_ast.Decl))
            self.emit_block(items[:-1] if has_value else items)
            return self.at_once(items[-1]) if has_value else Constant(0, INT)
        finally:
            self.context.scopes.pop()

    # ---- operands that are not always evaluated

    def _short_circuit(self, operator: BinaryOperator, left: Expression, node: c_ast.Node) -> Expression:
        """`left && right`; where the right side does something, `t = left; if (t) { ...; t = right; }`."""
        if not may_emit(node):
            return binary(operator, left, self._unconditional(node))
        if isinstance(left, Constant):
            is_decided = bool(left.value) == (operator == "||")
            return Constant(int(bool(left.value)), INT) if is_decided else _truth(self.lower(node))
        flag, identity = self._reserved(), self._reserved()
        start = self.context.values
        self.context.values = start.copy()
        value, statements = self._captured(node)
        if not statements:
            self.context.values = start
            return binary(operator, left, value)
        target = self._flag(flag, "condition'", _truth(left))
        statements.append(Assign(self.context.new_id(self.call_span()), target, "", _truth(value)))
        condition = target if operator == "&&" else Unary("!", target, INT)
        self._emit_branch(identity, condition, statements, [], start, self.context.values, start.copy())
        return target

    def _chosen(self, condition: Expression, node: c_ast.TernaryOp) -> Expression:
        """`c ? a : b`; where a side does something, `if (c) { ...; t = a; } else { ...; t = b; }`."""
        identity = self._reserved()
        start = self.context.values
        self.context.values = start.copy()
        then, then_statements = self._captured(node.iftrue)
        end_of_then = self._reserved()
        after_then, self.context.values = self.context.values, start.copy()
        otherwise, otherwise_statements = self._captured(node.iffalse)
        end_of_otherwise = self._reserved()
        ctype = common_type(then.type, otherwise.type)
        if not then_statements and not otherwise_statements:
            self.context.values = start
            return Conditional(condition, converted(then, ctype), converted(otherwise, ctype), ctype)
        symbol = self.context.declare("choice'", ctype, "body")
        target = self.context.scalar(symbol, symbol.name)
        then_statements.append(Assign(end_of_then, target, "", converted(then, ctype)))
        otherwise_statements.append(Assign(end_of_otherwise, target, "", converted(otherwise, ctype)))
        self._emit_branch(
            identity, condition, then_statements, otherwise_statements, start, after_then, self.context.values
        )
        self.context.values.known[target.name] = None
        return target

    def _captured(self, node: c_ast.Node) -> tuple[Expression, list[Statement]]:
        """An operand and what has to happen before it is known, late effects included."""
        context = self.context
        before, after = context.before, context.after
        context.before, context.after = [], []
        value = self.lower(node)
        if context.after:
            symbol = context.declare("operand'", value.type, "body")
            kept = context.scalar(symbol, symbol.name)
            context.before.append(Assign(context.new_id(self.call_span()), kept, "", value, declares=True))
            context.values.known[symbol.name] = None
            self.finish()
            value = kept
        statements = context.before
        context.before, context.after = before, after
        if statements and (not context.in_nest or after):
            raise UnsupportedError("a side effect that depends on a condition")
        return value, statements

    def _reserved(self) -> NodeId:
        """An id that comes before those of what is lowered next."""
        return self.context.new_id(self.call_span())

    def _flag(self, identity: NodeId, name: str, value: Expression) -> ScalarRef:
        symbol = self.context.declare(name, INT, "body")
        target = self.context.scalar(symbol, symbol.name)
        self.context.before.append(Assign(identity, target, "", value, declares=True))
        return target

    def _emit_branch(
        self,
        identity: NodeId,
        condition: Expression,
        then: list[Statement],
        otherwise: list[Statement],
        start: Values,
        after_then: Values,
        after_otherwise: Values,
    ) -> None:
        self.context.before.append(If(identity, condition, tuple(then), tuple(otherwise)))
        start.merge(after_then, after_otherwise)
        self.context.values = start
        if isinstance(condition, ScalarRef):
            start.known[condition.name] = None


def _is_signed(value: Expression) -> bool:
    return isinstance(value.type, Scalar) and value.type.signed


def _truth(value: Expression) -> Expression:
    """0 or 1."""
    if isinstance(value, Binary) and value.operator in COMPARISONS:
        return value
    return binary("!=", value, Constant(0, INT)) if isinstance(value.type, Scalar) else value
