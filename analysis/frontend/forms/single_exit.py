"""A function's body with every `return` at its end: `if (c) return a; return b;` becomes `if (c) a else b`."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.forms.lower_switch import switch_as_ifs
from warplens.analysis.frontend.syntax.syntax_trees import always_leaves, holds, items_of, size_of

_MOST_REPEATED = 60
"""Syntax nodes after an `if` that may be repeated in both of its branches."""

_RETURN = (c_ast.Return,)


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
                if always_leaves(inside, _RETURN):
                    return [*before, c_ast.Compound(with_returns_at_end(inside), item.coord)]
                return [*before, *with_returns_at_end(_joined(inside, rest))]
            case c_ast.If():
                branches = [items_of(item.iftrue), items_of(item.iffalse)]
                go_on = [branch for branch in branches if not always_leaves(branch, _RETURN)]
                if len(go_on) > 1 and size_of(rest) > _MOST_REPEATED:
                    raise UnsupportedError("a `return` in a branch with much after it")
                then, otherwise = (
                    with_returns_at_end(branch if always_leaves(branch, _RETURN) else _joined(branch, rest))
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
            then, otherwise = as_expression(items_of(branch.iftrue)), as_expression(items_of(branch.iffalse))
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
                c_ast.Compound(with_results_stored(items_of(b), name), last.coord) for b in (last.iftrue, last.iffalse)
            )
            return [*before, c_ast.If(last.cond, *branches, last.coord)]
        case _:
            return list(items)


def _joined(first: Sequence[c_ast.Node], rest: Sequence[c_ast.Node]) -> list[c_ast.Node]:
    if rest and any(isinstance(item, (c_ast.Decl, c_ast.DeclList, c_ast.Typedef)) for item in first):
        raise UnsupportedError("a `return` in a block that declares names and goes on")
    return [*first, *rest]
