"""Expression statements as simpler ones."""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.ir.types import PointerTo, is_volatile


def parts_of(node: c_ast.Node, lookup: Callable[[str], Symbol]) -> list[c_ast.Node]:
    """`a, b` part by part, and `p = q = x` as `q = x; p = q` where `q` is a pointer that reading changes nothing of.

    So that both pointers are followed; what else is assigned so is one statement, whose value is what was stored.

    Source: ISO C17 6.5.16 paragraph 3 (an assignment has the value of the left operand after it).
    """
    match node:
        case c_ast.ExprList():
            return list(node.exprs)
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.Assignment(lvalue=c_ast.ID() as inner)):
            ctype = lookup(inner.name).type
            if isinstance(ctype, PointerTo) and not is_volatile(ctype):
                return [node.rvalue, c_ast.Assignment("=", node.lvalue, inner, node.coord)]
    return [node]


def as_branches(node: c_ast.Assignment) -> c_ast.If:
    """`if (c) v = a; else v = b;` for `v = c ? a : b;`."""
    choice = node.rvalue
    then = c_ast.Assignment("=", node.lvalue, choice.iftrue, node.coord)
    otherwise = c_ast.Assignment("=", node.lvalue, choice.iffalse, node.coord)
    return c_ast.If(choice.cond, then, otherwise, node.coord)
