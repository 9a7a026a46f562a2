"""`continue`, the `break` of a `switch` and `goto`s forwards as branches: what follows moves under a condition."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_index import Kinds, is_indexed, nodes_of_kinds
from warplens.analysis.frontend.syntax.syntax_trees import always_leaves, items_of, size_of

_MOST_REPEATED = 40
"""Syntax nodes that may be repeated in both branches of an `if`; more of them are put behind a flag."""

FLAG = "skipped'"
"""What a variable is named that says whether statements were jumped over, before a number or a label."""

_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_ENDS: Kinds = (c_ast.Return, c_ast.Goto, c_ast.Continue, c_ast.Break)
"""What a path may end in that does not go on to the next statement."""

Jump = type[c_ast.Continue] | type[c_ast.Break] | str
"""What leads to the end of a list of statements; a name is that of a label there, which `goto`s have."""


def jumps_in(node: c_ast.Node | None, kind: Jump) -> bool:
    """Whether a jump of this kind out of the statement stands in it: not one of a loop or `switch` inside."""
    if is_indexed(node) and not nodes_of_kinds(node, (c_ast.Goto if isinstance(kind, str) else kind,)):
        return False
    stack = [node]
    while stack:
        item = stack.pop()
        if item is not None and _is_jump(item, kind):
            return True
        owns = (*_LOOPS, c_ast.Switch) if kind is c_ast.Break else _LOOPS
        if item is not None and not isinstance(item, owns):
            stack.extend(item)
    return False


def without_jumps(items: Sequence[c_ast.Node], kind: Jump) -> list[c_ast.Node]:
    """Statements that do the same, with each path's jump to their end left out."""
    return _without(items, kind, [])


def _without(items: Sequence[c_ast.Node], kind: Jump, at_jump: list[c_ast.Node]) -> list[c_ast.Node]:
    for position, item in enumerate(items):
        if not jumps_in(item, kind):
            continue
        before, rest = list(items[:position]), list(items[position + 1 :])
        match item:
            case c_ast.Compound():
                inside = list(item.block_items or [])
                if not rest or always_leaves(inside, _ENDS):
                    return [*before, c_ast.Compound(_without(inside, kind, at_jump), item.coord)]
                return [*before, *_flagged(item, rest, kind, at_jump)]
            case c_ast.If():
                branches = [items_of(item.iftrue), items_of(item.iffalse)]
                going_on = [branch for branch in branches if not always_leaves(branch, _ENDS)]
                if len(going_on) > 1 and size_of(rest) > _MOST_REPEATED:
                    return [*before, *_flagged(item, rest, kind, at_jump)]
                bodies = [
                    _without(branch if always_leaves(branch, _ENDS) else _followed(branch, rest), kind, at_jump)
                    for branch in branches
                ]
                then, otherwise = (c_ast.Compound(body, item.coord) for body in bodies)
                return [*before, c_ast.If(item.cond, then, otherwise if bodies[1] else None, item.coord)]
            case _ if _is_jump(item, kind):
                return [*before, *at_jump]
            case _:
                return list(items)  # in a form that the caller refuses
    return list(items)


def _flagged(item: c_ast.Node, rest: list[c_ast.Node], kind: Jump, at_jump: list[c_ast.Node]) -> list[c_ast.Node]:
    """`int skipped = 0; item, which sets it; if (!skipped) { rest }`."""
    name = f"{FLAG}{len(at_jump) + 1}"
    where = item.coord
    integer = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["int"], where), where)
    flag = c_ast.Decl(name, [], [], [], [], integer, c_ast.Constant("int", "0", where), None, where)
    jumped = c_ast.Assignment("=", c_ast.ID(name, where), c_ast.Constant("int", "1", where), where)
    first = _without([item], kind, [jumped, *at_jump])
    condition = c_ast.UnaryOp("!", c_ast.ID(name, where), where)
    last = c_ast.If(condition, c_ast.Compound(_without(rest, kind, at_jump), where), None, where)
    return [flag, *first, last]


def _followed(branch: list[c_ast.Node], rest: list[c_ast.Node]) -> list[c_ast.Node]:
    """A branch and what comes after it, which does not see the branch's names."""
    if rest and any(isinstance(item, (c_ast.Decl, c_ast.DeclList, c_ast.Typedef)) for item in branch):
        return [c_ast.Compound(branch), *rest]
    return [*branch, *rest]


def _is_jump(node: c_ast.Node, kind: Jump) -> bool:
    if isinstance(kind, str):
        return isinstance(node, c_ast.Goto) and node.name == kind
    return isinstance(node, kind)
