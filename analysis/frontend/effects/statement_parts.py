"""Questions about single nodes of a function's tree, which need to know nothing of its names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pycparser import c_ast
from warplens.analysis.c.c_types import ORDERED


def still_at_first(node: c_ast.Node) -> Sequence[c_ast.Node]:
    """Operands of an operation that reaches nothing but the first element behind them, if they are pointers."""
    match node:
        case c_ast.StructRef() | c_ast.UnaryOp(op="*" | "!" | "sizeof"):
            return (node.name if isinstance(node, c_ast.StructRef) else node.expr,)
        case c_ast.ArrayRef(subscript=c_ast.Constant(value="0")):
            return (node.name,)
        case c_ast.BinaryOp(op="==" | "!=" | "&&" | "||"):
            return (node.left, node.right)
        case c_ast.FuncCall():
            return list(node.args.exprs) if node.args else ()
        case _:
            return ()


def called_name(node: c_ast.FuncCall) -> str:
    """Name of a called function, empty where a pointer says it."""
    return str(node.name.name) if isinstance(node.name, c_ast.ID) else ""


def without_casts(node: c_ast.Node) -> c_ast.Node:
    """What is cast."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return node


def leads_to_volatile(node: c_ast.Node) -> bool:
    """Whether it declares a pointer to `volatile`, or casts to one: whatever it is given, the accesses are in order."""
    target = node.type if isinstance(node, c_ast.PtrDecl) else None
    while isinstance(target, c_ast.ArrayDecl):
        target = target.type
    return isinstance(target, c_ast.TypeDecl | c_ast.PtrDecl) and not ORDERED.isdisjoint(target.quals or ())


def every_node(node: c_ast.Node | None) -> Iterable[c_ast.Node]:
    """A tree's nodes, each before its parts."""
    stack = [node]
    while stack:
        item = stack.pop()
        if item is not None:
            yield item
            stack.extend(reversed(list(item)))
