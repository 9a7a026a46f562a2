"""A `switch` as a chain of `if`s; a case that falls through repeats the next one's statements."""

from __future__ import annotations

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.writes import contains, writes_of
from warplens.analysis.frontend.syntax.jumps import jumps_in, without_jumps
from warplens.analysis.frontend.syntax.syntax_trees import size_of

_VALUE = "switch'"

_MOST_REPEATED = 200
"""Syntax nodes of cases that fall through: they are repeated in each case before."""


def switch_as_ifs(node: c_ast.Switch) -> c_ast.Node | None:
    """Equivalent chain, None for a switch that does nothing; raises UnsupportedError.

    What has an effect is evaluated once: `long value = f(a); if (value == 1) ..`.
    """
    written = writes_of(node.cond)
    if written.scalars or written.memory or contains(node.cond, c_ast.FuncCall):
        integer = c_ast.TypeDecl(_VALUE, [], None, c_ast.IdentifierType(["long"], node.coord), node.coord)
        value = c_ast.Decl(_VALUE, [], [], [], [], integer, node.cond, None, node.coord)
        cases = switch_as_ifs(c_ast.Switch(c_ast.ID(_VALUE, node.coord), node.stmt, node.coord))
        return c_ast.Compound([value, *([] if cases is None else [cases])], node.coord)
    items = (node.stmt.block_items or []) if isinstance(node.stmt, c_ast.Compound) else []
    arms: list[tuple[list[c_ast.Node], bool, list[c_ast.Node]]] = []
    labels: list[c_ast.Node] = []
    is_default = False
    for position, item in enumerate(items):
        if not isinstance(item, (c_ast.Case, c_ast.Default)):
            raise UnsupportedError("a `switch` with statements outside of its cases")
        if isinstance(item, c_ast.Case):
            labels.append(item.expr)
        is_default |= isinstance(item, c_ast.Default)
        if not item.stmts and position + 1 < len(items):
            continue
        arms.append((labels, is_default, _arm(items[position:])))
        labels, is_default = [], False
    chain: c_ast.Node | None = None
    for _, default, statements in arms:
        if default:
            chain = c_ast.Compound(statements, node.coord)
    for arm_labels, default, statements in reversed(arms):
        if not default and arm_labels:
            chain = c_ast.If(
                _any_of(node.cond, arm_labels, node.coord), c_ast.Compound(statements, node.coord), chain, node.coord
            )
    return chain


def without_switches(node: c_ast.Node, kind: type[c_ast.Continue]) -> c_ast.Node:
    """A statement with the switches in its blocks and branches that such a jump leaves as chains."""
    if not jumps_in(node, kind):
        return node
    match node:
        case c_ast.Switch():
            chain = switch_as_ifs(node)
            return c_ast.EmptyStatement(node.coord) if chain is None else without_switches(chain, kind)
        case c_ast.Compound():
            return c_ast.Compound([without_switches(item, kind) for item in node.block_items or []], node.coord)
        case c_ast.If():
            then, otherwise = (part and without_switches(part, kind) for part in (node.iftrue, node.iffalse))
            return c_ast.If(node.cond, then, otherwise, node.coord)
        case _:
            return node


def _arm(cases: list[c_ast.Node]) -> list[c_ast.Node]:
    """What runs from a case on: its statements, and those of the next ones where it falls through."""
    statements: list[c_ast.Node] = []
    for number, case in enumerate(cases):
        own = list(case.stmts or []) if isinstance(case, (c_ast.Case, c_ast.Default)) else [case]
        if len(own) == 1 and isinstance(own[0], c_ast.Compound):
            own = list(own[0].block_items or [])
        statements += own
        if own and isinstance(own[-1], (c_ast.Break, c_ast.Return, c_ast.Goto, c_ast.Continue)):
            break
        if number and size_of(statements) > _MOST_REPEATED:
            raise UnsupportedError("a `switch` whose long cases fall through")
    statements = without_jumps(statements, c_ast.Break)
    if any(jumps_in(statement, c_ast.Break) for statement in statements):
        raise UnsupportedError("a `switch` with a `break` inside of a case")
    return statements


def _any_of(value: c_ast.Node, labels: list[c_ast.Node], coordinate: object) -> c_ast.Node:
    condition: c_ast.Node = c_ast.BinaryOp("==", value, labels[0], coordinate)
    for label in labels[1:]:
        condition = c_ast.BinaryOp("||", condition, c_ast.BinaryOp("==", value, label, coordinate), coordinate)
    return condition
