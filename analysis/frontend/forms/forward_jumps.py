"""Jumps forwards out of blocks, as branches: `if (c) goto done; A; done: B` is `if (!c) A; B`.

So are `do { if (c) break; A; } while (0);` and a `continue` there. A `goto` out of loops leaves these loops; where
the label does not stand right behind the outermost of them, a flag says that it was reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from pycparser import c_ast
from warplens.analysis.frontend.forms.loop_form import LOOPS, runs_once
from warplens.analysis.frontend.syntax.jumps import FLAG, Jump, jumps_in, without_jumps
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.frontend.syntax.syntax_trees import holds, items_of, names_in

_LEAVES = "'leaves "
"""What a jump is renamed to that leaves some loops around it, before their number."""

_COMPUTED = "_"
"""The label that a jump to a computed address is assumed to lead to: any other may be meant."""

_CHANGED = (c_ast.Label, c_ast.DoWhile)


def without_forward_jumps(function: c_ast.FuncDef, *, in_loops_only: bool) -> c_ast.FuncDef:
    """The function with the labels left out to which all jumps come from before, out of no loop and no `switch`.

    What runs once is no loop either. Outside of loops all stays `in_loops_only`. What does not change is the tree's
    own.
    """
    if not holds(function.body, _CHANGED):
        return function
    jumps = _gotos([function.body])
    found = copy(function)
    found.body = _Rewriting(jumps).tree(function.body, is_inside=not in_loops_only)
    return found


def loops_left(jump: c_ast.Goto) -> int:
    """How many loops around it a jump leaves, to go on behind the outermost of them; 0 where it leads elsewhere."""
    return int(jump.name.removeprefix(_LEAVES)) if jump.name.startswith(_LEAVES) else 0


class _Rewriting:
    def __init__(self, jumps: Sequence[c_ast.Goto]) -> None:
        self._jumps = jumps
        self._is_computed = any(jump.name == _COMPUTED for jump in jumps)

    def tree(self, node: c_ast.Node, *, is_inside: bool) -> c_ast.Node:
        """The statement without the labels that can be left out, where they are looked for."""
        if not holds(node, _CHANGED):
            return node
        found = copy(node)
        inside = is_inside or (isinstance(node, LOOPS) and not runs_once(node))
        match found:
            case c_ast.Compound():
                items = [self.tree(item, is_inside=inside) for item in node.block_items or []]
                found.block_items = self._without_labels(items) if inside else items
            case c_ast.If():
                for name in ("iftrue", "iffalse"):
                    branch = getattr(node, name)
                    setattr(found, name, None if branch is None else self.tree(branch, is_inside=inside))
            case c_ast.Case() | c_ast.Default():
                found.stmts = [self.tree(item, is_inside=inside) for item in node.stmts or []]
            case c_ast.Label() | c_ast.Switch() | c_ast.For() | c_ast.While() | c_ast.DoWhile():
                found.stmt = self.tree(node.stmt, is_inside=inside)
                if inside and runs_once(found):
                    return _block_of(found)
            case _:
                return node
        return found

    def _without_labels(self, items: list[c_ast.Node]) -> list[c_ast.Node]:
        for position, item in enumerate(items):
            if not isinstance(item, c_ast.Label) or self._is_computed:
                continue
            before = items[:position]
            own = {id(jump) for jump in _gotos(before)}
            if any(jump.name == item.name and id(jump) not in own for jump in self._jumps):
                continue  # from behind, or from outside of the block
            if not _declared_between(before, item.name).isdisjoint(_all_names([item.stmt, *items[position + 1 :]])):
                continue  # what follows the label would lose sight of them
            last = before[-1:] if before and isinstance(before[-1], c_ast.For | c_ast.While) else []
            plain = [*_with_flag(before[: len(before) - len(last)], item), *(_leaving(b, item.name, 0) for b in last)]
            plain = without_jumps(plain, item.name) if any(jumps_in(b, item.name) for b in plain) else plain
            if not any(jump.name == item.name for jump in _gotos(plain)):
                return self._without_labels([*plain, item.stmt, *items[position + 1 :]])
        return items


def _with_flag(items: list[c_ast.Node], label: c_ast.Label) -> list[c_ast.Node]:
    """Statements in which loops are just left: `int f = 0; for (..) if (c) { f = 1; leave; } if (f) goto label;`."""
    flag = c_ast.ID(f"{FLAG}{label.name}", label.coord)
    changed = [_asking(item, label.name, flag) for item in items]
    if all(item is before for item, before in zip(changed, items, strict=True)):
        return items
    integer = c_ast.TypeDecl(flag.name, [], None, c_ast.IdentifierType(["int"], label.coord), label.coord)
    none_yet = c_ast.Constant("int", "0", label.coord)
    return [c_ast.Decl(flag.name, [], [], [], [], integer, none_yet, None, label.coord), *changed]


def _asking(node: c_ast.Node, label: str, flag: c_ast.ID) -> c_ast.Node:
    """The statement with a jump to the label behind each loop that is left for it."""
    if isinstance(node, c_ast.DoWhile) or not any(jump.name == label for jump in _gotos([node])):
        return node
    found = copy(node)
    match node:
        case c_ast.For() | c_ast.While():
            jump = c_ast.If(flag, c_ast.Goto(label, node.coord), None, node.coord)
            return c_ast.Compound([_leaving(node, label, 0, flag), jump], node.coord)
        case c_ast.Compound():
            found.block_items = [_asking(item, label, flag) for item in node.block_items]
        case c_ast.If():
            found.iftrue, found.iffalse = (
                branch if branch is None else _asking(branch, label, flag) for branch in (node.iftrue, node.iffalse)
            )
        case _:
            return node
    return found


def _leaving(node: c_ast.Node, label: str, loops: int, flag: c_ast.ID | None = None) -> c_ast.Node:
    """The statement with its jumps to the label as ones that leave all loops around them, `loops` of which are outside.

    The flag is set before. A `do` may be taken for the block that it repeats: no jump out of one changes.
    """
    if isinstance(node, c_ast.Goto) and node.name == label:
        jump = c_ast.Goto(f"{_LEAVES}{loops}", node.coord)
        if flag is None:
            return jump
        reached = c_ast.Assignment("=", flag, c_ast.Constant("int", "1", node.coord), node.coord)
        return c_ast.Compound([reached, jump], node.coord)
    if isinstance(node, c_ast.DoWhile) or not any(jump.name == label for jump in _gotos([node])):
        return node
    found = copy(node)
    match node:
        case c_ast.Compound():
            found.block_items = [_leaving(item, label, loops, flag) for item in node.block_items]
        case c_ast.If():
            found.iftrue, found.iffalse = (
                branch if branch is None else _leaving(branch, label, loops, flag)
                for branch in (node.iftrue, node.iffalse)
            )
        case c_ast.For() | c_ast.While():
            found.stmt = _leaving(node.stmt, label, loops + 1, flag)
    return found


def _block_of(loop: c_ast.DoWhile) -> c_ast.Node:
    """What runs once as a block, if it has jumps to its end that can be left out."""
    items = plain = items_of(loop.stmt)
    kinds: tuple[Jump, ...] = (c_ast.Break, c_ast.Continue)
    for kind in kinds:
        plain = without_jumps(plain, kind) if any(jumps_in(item, kind) for item in plain) else plain
    is_changed = plain is not items and not any(jumps_in(item, kind) for item in plain for kind in kinds)
    return c_ast.Compound(plain, loop.coord) if is_changed else loop


def _declared_between(items: Sequence[c_ast.Node], label: str) -> set[str]:
    """What a block declares behind its first jump to a label."""
    first = next((at for at, item in enumerate(items) if jumps_in(item, label)), len(items))
    return {item.name for item in items[first:] if isinstance(item, c_ast.Decl | c_ast.Typedef) and item.name}


def _all_names(nodes: Sequence[c_ast.Node]) -> set[str]:
    """Names of variables and types."""
    types = [one for node in nodes for one in nodes_of_kinds(node, (c_ast.IdentifierType,))]
    return {*names_in(nodes), *(name for one in types for name in one.names)}


def _gotos(nodes: Sequence[c_ast.Node]) -> list[c_ast.Goto]:
    return [jump for node in nodes for jump in nodes_of_kinds(node, (c_ast.Goto,))]
