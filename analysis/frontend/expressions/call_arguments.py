"""Arguments of a call: what each hands over, and what a parameter then stands for in the called function's body."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.c.arithmetic import converted
from warplens.analysis.c.c_types import CHAR
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.writes import base_name
from warplens.analysis.frontend.expressions.values_before_call import KeptValues
from warplens.analysis.frontend.forms.called_body import CalledBody
from warplens.analysis.frontend.scopes.places import Place, element_bytes_of
from warplens.analysis.frontend.syntax.syntax_trees import holds
from warplens.analysis.ir.expression import Call, Cast, Constant, Expression, Load, ScalarRef, walk
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import Assign
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import address_of, without_address
from warplens.analysis.ir.types import LONG, ArrayOf, CType, PointerTo, Scalar, StructOf
from warplens.analysis.text.span import Span

_PLAIN_TEXT = re.compile(r'"[ !#-\[\]-~]{0,40}"')
"""A short string without escapes."""
_LARGEST_COPIED = 24
"""Nodes of an argument that is put in place of its parameter, however often that stands in the function."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What a parameter stands for: a value, a place that it points to or is, or a function."""

    parameter: c_ast.Decl
    value: Expression | None = None
    place: Place | None = None
    function: str = ""
    is_copy: bool = False


class CallArguments(KeptValues):
    """Lowers and binds arguments; methods raise UnsupportedError."""

    def called_name(self, node: c_ast.FuncCall) -> str:
        """Name of the function that is called, through a parameter that stands for one too; empty if not known."""
        return self.function_name(node.name)

    def function_name(self, node: c_ast.Node) -> str:
        """Name of the function that an expression is, or is the address of; empty if not known."""
        while isinstance(node, c_ast.UnaryOp) and node.op in {"*", "&"}:
            node = node.expr
        if isinstance(node, c_ast.GenericSelection):
            return self.function_name(self.selected(node))
        if not isinstance(node, c_ast.ID):
            return ""
        for scope in reversed(self.context.scopes):
            if node.name in scope:
                return self.context.functions.get(scope[node.name].name, "")
        return "" if node.name in self.context.file_scope.symbols else str(node.name)

    def argument_place(self, node: c_ast.Node) -> Place:
        """What a pointer argument points to; the variable itself for `&x`."""
        target = node
        while isinstance(target, c_ast.Cast):
            target = target.expr
        if isinstance(target, c_ast.UnaryOp) and target.op == "&":
            variable = self.variable(target.expr)
            if variable is not None:
                return _place_of(variable)
        if isinstance(target, c_ast.ID):
            known = self.context.values.pointers.get(self.context.lookup(target.name).name)
            if known is not None and known.variable is not None:
                return known
        return self.pointee(node)

    def followed_place(self, node: c_ast.Node, target: CType) -> Place:
        """What an address that a pointer variable is set to points to; a number for `(T *)&x`, where `x` is one."""
        context, inner = self.context, node
        while isinstance(inner, c_ast.Cast):
            inner = inner.expr
        if isinstance(inner, c_ast.UnaryOp) and inner.op == "&" and isinstance(inner.expr, c_ast.ID):
            variable = self.variable(inner.expr)
            if variable is not None and isinstance(variable.type, Scalar):
                place = self.retyped(_place_of(variable), target)  # as a whole: parts are memory of another name
                # of one whose address is known to be taken no value is followed: what changes it need not be told apart
                if context.loops and inner.expr.name in context.addressed:
                    return place
        return self.retyped(self.pointee(node), target)

    def values(self, arguments: Sequence[c_ast.Node]) -> tuple[Expression, ...]:
        """Values of a call's arguments."""
        return tuple(self.lower(argument) for argument in arguments)

    def argument(self, parameter: c_ast.Decl, node: c_ast.Node, body: CalledBody) -> Argument:
        """What is handed over, in the caller's names."""
        context = self.context
        function = self.function_name(node)
        if function in context.file_scope.results:
            return Argument(parameter, function=function)
        is_address = isinstance(parameter.type, (c_ast.PtrDecl, c_ast.ArrayDecl))
        ctype = None if is_address else self.types.resolve(parameter.type)
        if is_address or isinstance(ctype, (PointerTo, ArrayOf)):
            if is_null(node) or self._stands_for_null(node):
                return Argument(parameter, Constant(0, LONG))
            place = self._text(node) or self.argument_place(node)
            base = base_name(node)
            if base and not context.callers and _variable(place.array) != context.lookup(base).name:
                context.other_pointers[base] = None
            return Argument(parameter, place=self.kept(place))
        if isinstance(ctype, StructOf):
            if parameter.name in body.written or parameter.name in body.addressed:
                raise UnsupportedError("changes a structure that it gets by value")
            return Argument(parameter, place=self.kept(self.place(node)), is_copy=True)
        return Argument(parameter, self.lower(node))

    def _text(self, node: c_ast.Node) -> Place | None:
        """A string that is written as an argument: an array that nobody changes."""
        written = str(node.value) if isinstance(node, c_ast.Constant) else ""
        if not _PLAIN_TEXT.fullmatch(written):
            return None
        codes = (*map(ord, written[1:-1]), 0)
        ctype = ArrayOf(CHAR, Polynomial.constant(len(codes)))
        symbol = self.context.declare(
            "text'", ctype, "body", Symbol("text'", ctype, "body", is_const=True, table=codes)
        )
        self.context.array_object(symbol)
        return Place(symbol.name, (), ctype, 1).indexed(Constant(0, LONG), Polynomial(()))

    def _stands_for_null(self, node: c_ast.Node) -> bool:
        """Whether an argument is a parameter that got a null pointer itself."""
        while isinstance(node, c_ast.Cast):
            node = node.expr
        value = None
        if isinstance(node, c_ast.ID):
            value = self.context.substitutions.get(self.context.lookup(node.name).name)
        while isinstance(value, Cast):
            value = value.operand
        return isinstance(value, Constant) and value.value == 0

    def bind(self, argument: Argument, body: CalledBody, has_late_effects: bool, span: Span) -> None:
        """Declare a parameter as what it stands for, or as a variable that gets the argument's value."""
        context = self.context
        parameter = argument.parameter
        if not parameter.name:
            return
        ctype = self.types.resolve(parameter.type)
        if argument.function or argument.place is not None:
            ctype = PointerTo(ctype.element) if isinstance(ctype, ArrayOf) else ctype
            symbol = context.declare(parameter.name, ctype, "body")
            if argument.place is not None:
                place = argument.place
                target = symbol.type.target if isinstance(symbol.type, PointerTo) else symbol.type
                context.bound.add(symbol.name)
                context.arguments[symbol.name] = place.array
                context.values.pointers[symbol.name] = self.retyped(place, target)
            else:
                context.functions[symbol.name] = argument.function
            return
        value = argument.value
        if value is None:
            return
        value = as_type(value, ctype)
        symbol = context.declare(parameter.name, ctype, "body")
        is_changed = parameter.name in body.written or parameter.name in body.addressed
        if not is_changed and not has_late_effects and self._can_stand(value, body):
            context.substitutions[symbol.name] = value
            return
        if not context.in_nest:
            raise UnsupportedError("a call whose arguments need variables")
        known = context.values.stored(value, ctype)
        reference = context.scalar(symbol, parameter.name)
        context.before.append(Assign(context.new_id(span), reference, "", value, declares=True))
        context.values.assign(symbol.name, None if parameter.name in body.changeable else known)

    def _can_stand(self, value: Expression, body: CalledBody) -> bool:
        """Whether an argument may be computed where its parameter stands: nothing changes it in between."""
        nodes = list(walk(value))
        if len(nodes) > _LARGEST_COPIED or any(isinstance(n, Call) and not n.is_math for n in nodes):
            return False
        if body.value is not None and not body.written and not holds(body.value, c_ast.FuncCall):
            return True
        for node in nodes:
            if isinstance(node, Load):
                return False
            if isinstance(node, ScalarRef):
                scalar = self.context.scalars.get(node.name)
                pointed = any(p.variable is not None and p.variable.name == node.name
                              for p in self.context.values.pointers.values())  # fmt: skip
                if scalar is None or scalar.scope == "global" or scalar.address_taken or pointed:
                    return False
        return True


def as_type(value: Expression, ctype: CType) -> Expression:
    """A value as a parameter or result of a type holds it."""
    if isinstance(ctype, Scalar) and isinstance(value.type, Scalar) and ctype.kind == value.type.kind == "int":
        if value.type == ctype:
            return value
        if isinstance(value, Constant) and isinstance(value.value, int) and 0 <= value.value < 128:
            return Constant(value.value, ctype)
        return Cast(value, ctype)
    return converted(value, ctype)


def is_null(node: c_ast.Node) -> bool:
    """Whether an argument is a null pointer."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return isinstance(node, c_ast.Constant) and node.value == "0"


def _place_of(variable: Symbol) -> Place:
    return Place(address_of(variable.name), (), variable.type, element_bytes_of(variable.type)[0], variable=variable)


def _variable(array: str) -> str:
    """The variable through which an object is reached, or that it is itself."""
    return without_address(MemoryPath.of(array).base)
