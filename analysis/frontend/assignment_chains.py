"""Expression statements that do several things one after the other, as one statement each."""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast
from warplens.analysis.frontend.scope import Symbol
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
