"""Addresses that lead into memory which is an iteration's own, however far into it."""

from __future__ import annotations

from pycparser import c_ast
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.expressions.expression_types import INCREMENTS, ExpressionTypes
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.types import ArrayOf


def owning_loop(expressions: ExpressionTypes, node: c_ast.Node) -> NodeId | None:
    """The loop around in each iteration of which the memory that an address leads into is one of its own.

    That is what calls gave in the iteration and arrays that it declares; None for any other.
    Source: ISO C17 6.5.6 paragraph 8 (arithmetic on an address stays in its object).
    """
    try:
        return _Owners(expressions).of_address(node)
    except UnsupportedError:
        return None


class _Owners:
    def __init__(self, expressions: ExpressionTypes) -> None:
        self._expressions = expressions

    def of_address(self, node: c_ast.Node) -> NodeId | None:
        """Of what a pointer's value leads to."""
        is_pointer = self._expressions.is_pointer
        match node:
            case c_ast.Cast() if is_pointer(node.expr):
                return self.of_address(node.expr)
            case c_ast.BinaryOp(op="+" | "-") if is_pointer(node.left) and not is_pointer(node.right):
                return self.of_address(node.left)
            case c_ast.BinaryOp(op="+") if is_pointer(node.right) and not is_pointer(node.left):
                return self.of_address(node.right)
            case c_ast.UnaryOp(op="&"):
                return self._of_memory(node.expr)
            case c_ast.UnaryOp() if node.op in INCREMENTS:
                return self.of_address(node.expr)
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef():
                if isinstance(self._expressions.type_of(node), ArrayOf):
                    return self._of_memory(node)
                if not isinstance(node, c_ast.ID):
                    return None
                return self._expressions.context.values.given_in(self._lookup(node).name)
            case _:
                return None

    def _of_memory(self, lvalue: c_ast.Node) -> NodeId | None:
        """Of what an lvalue designates."""
        match lvalue:
            case c_ast.ArrayRef():
                return self.of_address(lvalue.name)
            case c_ast.StructRef(type="->"):
                return self.of_address(lvalue.name)
            case c_ast.StructRef():
                return self._of_memory(lvalue.name)
            case c_ast.UnaryOp(op="*"):
                return self.of_address(lvalue.expr)
            case c_ast.ID():
                return self._of_variable(self._lookup(lvalue))
            case _:
                return None

    def _of_variable(self, symbol: Symbol) -> NodeId | None:
        """Of an array or a structure, which may stand for that of a caller."""
        values = self._expressions.context.values
        known = values.pointers.get(symbol.name)
        found = values.given.get(symbol.name if known is None else known.array)
        return found if found in values.loops else None

    def _lookup(self, node: c_ast.ID) -> Symbol:
        return self._expressions.context.lookup(node.name)
