"""The type of an expression as far as pointers, arrays and sizes matter, without lowering it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from pycparser import c_ast
from warplens.analysis.c.arithmetic import common_type, literal
from warplens.analysis.c.c_types import CHAR, VOID, TypeResolver
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.scopes.places import is_pointer_like
from warplens.analysis.frontend.scopes.scope import ConstantFolder
from warplens.analysis.frontend.syntax.generic_selection import selection
from warplens.analysis.frontend.values.context import Context
from warplens.analysis.ir.expression import (
    Expression,
)
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, ArrayOf, CType, PointerTo, StructOf, UnknownType, as_volatile

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||"})
INCREMENTS = frozenset({"++", "--", "p++", "p--"})


class ExpressionTypes(ABC):
    """Types of expressions in a context."""

    def __init__(self, context: Context) -> None:
        self.context = context
        folder = ConstantFolder({n: s.value for n, s in context.file_scope.symbols.items() if s.value is not None})
        scope = context.file_scope
        self.types = TypeResolver(self.extent, folder.fold, scope.typedefs, scope.tags, self.typeof)
        folder.resolver = self.types

    def extent(self, node: c_ast.Node) -> Polynomial | None:
        """Array dimension as a polynomial in what is known here."""
        try:
            return self.context.values.settled(self.lower(node))
        except UnsupportedError:
            return None

    @abstractmethod
    def lower(self, node: c_ast.Node) -> Expression:
        """Value of an expression; raises UnsupportedError."""

    def type_of(self, node: c_ast.Node) -> CType:
        """Type of an expression as far as pointers and arrays matter."""
        match node:
            case c_ast.ID():
                return self.context.lookup(node.name).type
            case c_ast.ArrayRef():
                return pointed_to(self.type_of(node.name))
            case c_ast.StructRef():
                base = self.type_of(node.name)
                base = pointed_to(base) if node.type == "->" else base
                if isinstance(base, StructOf):
                    for field in base.fields:
                        if field.name == node.field.name:
                            member = self.types.completed(field.type)
                            return as_volatile(member) if base.volatile else member
                return UnknownType("a member of a type that is not known")
            case c_ast.UnaryOp():
                if node.op == "*":
                    return pointed_to(self.type_of(node.expr))
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
                return self._type_of_selected(node)

    def _type_of_selected(self, node: c_ast.Node) -> CType:
        """Type of what a generic selection or a statement expression gives, that of a call through one too."""
        match node:
            case c_ast.Compound():
                return self._type_of_block(node)
            case c_ast.GenericSelection():
                return self.type_of(self.selected(node))
            case c_ast.FuncCall(name=c_ast.GenericSelection()):
                return self.type_of(c_ast.FuncCall(self.selected(node.name), node.args, node.coord))
            case _:
                return INT

    def _type_of_block(self, node: c_ast.Compound) -> CType:
        """Type of a statement expression: that of its last item, which may use what the block declares."""
        own: dict[str, Symbol] = {}
        self.context.scopes.append(own)
        try:
            for item in (node.block_items or [])[:-1]:
                if isinstance(item, c_ast.Decl) and item.name:
                    own[item.name] = Symbol(item.name, self.types.resolve(item.type), "body")
            return self.type_of(node.block_items[-1]) if node.block_items else VOID
        finally:
            self.context.scopes.pop()

    def typeof(self, node: c_ast.Node) -> CType:
        """Type of an expression as `typeof` gives it: like `type_of`, arithmetic converted as C does."""
        match node:
            case c_ast.Constant():
                value = literal(node.value)
                return value.type if value is not None else PointerTo(CHAR) if node.type == "string" else INT
            case c_ast.BinaryOp() if node.op not in COMPARISONS:
                left, right = self.typeof(node.left), self.typeof(node.right)
                if node.op in {"<<", ">>"}:
                    return left
                return (
                    self.type_of(node) if is_pointer_like(left) or is_pointer_like(right) else common_type(left, right)
                )
            case c_ast.TernaryOp():
                return common_type(self.typeof(node.iftrue), self.typeof(node.iffalse))
            case c_ast.UnaryOp() if node.op in {"-", "+", "~"}:
                return self.typeof(node.expr)
            case _:
                return self.type_of(node)

    def selected(self, node: c_ast.GenericSelection) -> c_ast.Node:
        """What a generic selection stands for; raises UnsupportedError where the types don't tell for sure."""
        resolve = self.types.resolve
        cases = [(resolve(one.type) if one.type is not None else None, one.expr) for one in node.associations]
        found = selection(self.typeof(node.expr), cases) if self._has_sure_type(node.expr) else None
        if found is None:
            raise UnsupportedError("a generic selection by a type that is not known")
        return found

    def _has_sure_type(self, node: c_ast.Node) -> bool:
        """Whether `typeof` gives what C does: not for what may be promoted, or is of no type that is seen."""
        match node:
            case c_ast.ID():
                context = self.context
                return any(node.name in names for names in (*context.scopes, context.file_scope.symbols))
            case c_ast.Constant() | c_ast.Cast():
                return True
            case c_ast.ArrayRef() | c_ast.StructRef():
                return self._has_sure_type(node.name)
            case c_ast.UnaryOp(op="*" | "&"):
                return self._has_sure_type(node.expr)
            case c_ast.BinaryOp():
                is_plain = node.op in COMPARISONS or node.op in {"+", "-", "*", "/", "%"}
                return is_plain and self._has_sure_type(node.left) and self._has_sure_type(node.right)
            case c_ast.FuncCall():
                return isinstance(node.name, c_ast.ID) and node.name.name in self.context.file_scope.results
            case _:
                return False

    def _operand_type(self, node: c_ast.UnaryOp) -> CType:
        return self.type_of(node.expr) if node.op in INCREMENTS else INT

    def is_pointer(self, node: c_ast.Node) -> bool:
        """Whether an expression is an address."""
        return is_pointer_like(self.type_of(node))


def pointed_to(ctype: CType) -> CType:
    """Type of what a pointer or array leads to."""
    match ctype:
        case PointerTo(target):
            return target
        case ArrayOf(element):
            return element
        case _:
            return UnknownType("not a pointer")
