"""Trees of the parser's C23 dialect in the nodes that lowering knows."""

from __future__ import annotations

from pycparser import c_ast

SAME_AS_CONDITION = "$"
"""Stands for the operand that `x ?: y` leaves out."""


_CONSTANTS = {"true": "1", "false": "0", "nullptr": "0"}
_WIDTHS = ((8, ["char"]), (16, ["short"]), (32, ["int"]))
DEDUCED = "auto"
"""The operator of a `TypeOf` that stands for an `auto` without a type: arrays decay."""


def as_known_nodes(root: c_ast.Node) -> None:
    """Replace in place: `true`, `nullptr`, `_BitInt`, `auto` without a type, `alignof`, `x ?: y`, `constexpr`."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, c_ast.Decl):
            _deduce(node)
        elif isinstance(node, c_ast.TernaryOp) and _is_left_out(node.iftrue):
            node.iftrue = node.cond
        elif isinstance(node, c_ast.UnaryOp) and node.op == "alignof":
            node.op = "_Alignof"
        elif isinstance(node, c_ast.Constant) and node.value in _CONSTANTS:
            node.type, node.value = "int", _CONSTANTS[node.value]
        elif isinstance(getattr(node, "type", None), c_ast.BitIntType):
            node.type = _integer(node.type)
        stack += [child for _, child in node.children()]


def _deduce(node: c_ast.Decl) -> None:
    if "constexpr" in (node.storage or []):
        node.storage = [word for word in node.storage if word != "constexpr"]
        node.quals = [*(node.quals or []), "const"]
    if isinstance(node.type, c_ast.TypeDecl) and isinstance(node.type.type, c_ast.InferredType):
        node.type.type = c_ast.TypeOf(DEDUCED, node.init, node.coord)


def _is_left_out(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.ID) and node.name == SAME_AS_CONDITION


def _integer(node: c_ast.BitIntType) -> c_ast.IdentifierType:
    width = int(node.width.value) if isinstance(node.width, c_ast.Constant) and node.width.value.isdigit() else 64
    names = next((words for most, words in _WIDTHS if width <= most), ["long"])
    return c_ast.IdentifierType([node.signedness or "signed", *names], node.coord)
