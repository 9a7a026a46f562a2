"""Variables of a function that hold one address, or one copy of a structure, from where they are set."""

from __future__ import annotations

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds

_STEPS = frozenset(("++", "--", "p++", "p--", "&"))


def set_once(function: c_ast.FuncDef) -> dict[str, c_ast.Node]:
    """What local variables are set to that are set once: pointers to another address, structures to another one.

    No member of such a structure is set, and nobody else gets the address of either.
    """
    declared: dict[str, list[c_ast.Node]] = {}
    for node in nodes_of_kinds(function.body, (c_ast.Decl,)):
        declared.setdefault(node.name, []).append(node.type)
    found: dict[str, c_ast.Node] = {}
    for name, values in values_of(function).items():
        node = values[0] if len(values) == len(declared.get(name, ())) == 1 else None
        if node is not None:
            is_pointer = isinstance(declared[name][0], c_ast.PtrDecl)
            found |= {name: node} if (_is_address if is_pointer else _is_copy)(node) else {}
    return found


def values_of(function: c_ast.FuncDef) -> dict[str, list[c_ast.Node | None]]:
    """What variables are set to by their names, None where it is another value than an expression's as it stands."""
    values: dict[str, list[c_ast.Node | None]] = {}
    for node in nodes_of_kinds(function.body, (c_ast.Decl, c_ast.Assignment, c_ast.UnaryOp)):
        match node:
            case c_ast.Decl(name=str(name)) if node.init is not None:
                values.setdefault(name, []).append(node.init)
            case c_ast.Assignment() if (holder := _holder(node.lvalue)) is not None:
                is_plain = node.op == "=" and isinstance(node.lvalue, c_ast.ID)
                values.setdefault(holder, []).append(node.rvalue if is_plain else None)
            case c_ast.UnaryOp() if node.op in _STEPS and (holder := _holder(node.expr)) is not None:
                values.setdefault(holder, []).append(None)
            case _:
                pass
    return values


def _holder(lvalue: c_ast.Node) -> str | None:
    """The variable that is set, in whole or in part; not what a pointer leads to."""
    while isinstance(lvalue, c_ast.StructRef) and lvalue.type == ".":
        lvalue = lvalue.name
    return lvalue.name if isinstance(lvalue, c_ast.ID) else None


def _is_address(node: c_ast.Node) -> bool:
    """Whether it is made from another address, not given by a call."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    if isinstance(node, c_ast.UnaryOp):
        return node.op == "&" and isinstance(node.expr, c_ast.ArrayRef | c_ast.ID | c_ast.StructRef)
    return isinstance(node, c_ast.ID | c_ast.BinaryOp | c_ast.TernaryOp)


def _is_copy(node: c_ast.Node) -> bool:
    is_behind = isinstance(node, c_ast.UnaryOp) and node.op == "*" and isinstance(node.expr, c_ast.ID)
    return is_behind or isinstance(node, c_ast.ID)
