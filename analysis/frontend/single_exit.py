"""A function's body with every `return` at its end: `if (c) return a; return b;` becomes `if (c) a else b`."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.frontend.lower_switch import switch_as_ifs
from warplens.analysis.frontend.places import UnsupportedError

_MOST_REPEATED = 60
"""Syntax nodes after an `if` that may be repeated in both of its branches."""


def with_returns_at_end(items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
    """The statements with each path's `return` as its last one; raises UnsupportedError where that takes a jump."""
    for position, item in enumerate(items):
        if not holds(item, c_ast.Return):
            continue
        before, rest = list(items[:position]), list(items[position + 1 :])
        match item:
            case c_ast.Return():
                return [*before, item]
            case c_ast.Compound():
                inside = item.block_items or []
                if _always_returns(inside):
                    return [*before, c_ast.Compound(with_returns_at_end(inside), item.coord)]
                return [*before, *with_returns_at_end(_joined(inside, rest))]
            case c_ast.If():
                branches = [_items(item.iftrue), _items(item.iffalse)]
                go_on = [branch for branch in branches if not _always_returns(branch)]
                if len(go_on) > 1 and size_of(rest) > _MOST_REPEATED:
                    raise UnsupportedError("a `return` in a branch with much after it")
                then, otherwise = (
                    with_returns_at_end(branch if _always_returns(branch) else _joined(branch, rest))
                    for branch in branches
                )
                both = c_ast.Compound(then, item.coord), c_ast.Compound(otherwise, item.coord)
                return [*before, c_ast.If(item.cond, *both, item.coord)]
            case c_ast.Switch():
                chain = switch_as_ifs(item)
                return with_returns_at_end([*before, *([chain] if chain is not None else []), *rest])
            case _:
                raise UnsupportedError("a `return` inside of a loop")
    return list(items)


def as_expression(items: Sequence[c_ast.Node]) -> c_ast.Node | None:
    """The value of statements that only choose what to return, None for any that do more."""
    if len(items) != 1:
        return None
    match items[0]:
        case c_ast.Return(expr=value):
            return value
        case c_ast.Compound(block_items=inside):
            return as_expression(inside or [])
        case c_ast.If() as branch:
            then, otherwise = as_expression(_items(branch.iftrue)), as_expression(_items(branch.iffalse))
            if then is None or otherwise is None:
                return None
            return c_ast.TernaryOp(branch.cond, then, otherwise, branch.coord)
        case _:
            return None


def with_results_stored(items: Sequence[c_ast.Node], name: str) -> list[c_ast.Node]:
    """The statements with each final `return e` as `name = e`."""
    if not items:
        return []
    *before, last = items
    match last:
        case c_ast.Return(expr=None):
            return before
        case c_ast.Return():
            return [*before, c_ast.Assignment("=", c_ast.ID(name, last.coord), last.expr, last.coord)]
        case c_ast.Compound():
            return [*before, c_ast.Compound(with_results_stored(last.block_items or [], name), last.coord)]
        case c_ast.If() if holds(last, c_ast.Return):
            branches = (
                c_ast.Compound(with_results_stored(_items(b), name), last.coord) for b in (last.iftrue, last.iffalse)
            )
            return [*before, c_ast.If(last.cond, *branches, last.coord)]
        case _:
            return list(items)


def holds(node: c_ast.Node | None, kinds: type[c_ast.Node] | tuple[type[c_ast.Node], ...]) -> bool:
    """Whether a node of these kinds stands anywhere in the tree."""
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
    count = 0
    stack = list(nodes)
    while stack:
        count += 1
        stack.extend(stack.pop())
    return count


def _items(node: c_ast.Node | None) -> list[c_ast.Node]:
    if node is None or isinstance(node, c_ast.EmptyStatement):
        return []
    return list(node.block_items or []) if isinstance(node, c_ast.Compound) else [node]


def _always_returns(items: Sequence[c_ast.Node]) -> bool:
    for item in items:
        match item:
            case c_ast.Return():
                return True
            case c_ast.Compound():
                if _always_returns(item.block_items or []):
                    return True
            case c_ast.If():
                if _always_returns(_items(item.iftrue)) and _always_returns(_items(item.iffalse)):
                    return True
            case _:
                pass
    return False


def _joined(first: Sequence[c_ast.Node], rest: Sequence[c_ast.Node]) -> list[c_ast.Node]:
    if rest and any(isinstance(item, (c_ast.Decl, c_ast.DeclList, c_ast.Typedef)) for item in first):
        raise UnsupportedError("a `return` in a block that declares names and goes on")
    return [*first, *rest]
