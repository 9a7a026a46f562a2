"""Questions about the statements of a syntax tree: what stands in them, how many there are, where each path ends."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_index import Kinds, is_indexed, nodes_of, nodes_of_kinds


def holds(node: c_ast.Node | None, kinds: type[c_ast.Node] | Kinds) -> bool:
    """Whether a node of these kinds stands anywhere in the tree."""
    if is_indexed(node):
        return bool(nodes_of_kinds(node, kinds if isinstance(kinds, tuple) else (kinds,)))
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, kinds):
            return True
        if item is not None:
            stack.extend(item)
    return False


def size_of(nodes: Sequence[c_ast.Node]) -> int:
    """Number of syntax nodes."""
    return sum(len(nodes_of(node)) for node in nodes)


def names_in(nodes: Sequence[c_ast.Node]) -> frozenset[str]:
    """Variables and functions that stand in the trees."""
    return frozenset(name.name for node in nodes for name in nodes_of_kinds(node, (c_ast.ID,)))


def items_of(node: c_ast.Node | None) -> list[c_ast.Node]:
    """The statements of a branch or body, with or without braces."""
    if node is None or isinstance(node, c_ast.EmptyStatement):
        return []
    return list(node.block_items or []) if isinstance(node, c_ast.Compound) else [node]


def always_leaves(items: Sequence[c_ast.Node], jumps: Kinds) -> bool:
    """Whether each path through the statements ends in one of these jumps; loops are not looked into."""
    for item in items:
        match item:
            case c_ast.Compound():
                if always_leaves(item.block_items or [], jumps):
                    return True
            case c_ast.If():
                if always_leaves(items_of(item.iftrue), jumps) and always_leaves(items_of(item.iffalse), jumps):
                    return True
            case _ if isinstance(item, jumps):
                return True
            case _:
                pass
    return False
