"""A `switch` whose cases all end in `break` as a chain of `if`s."""

from __future__ import annotations

from pycparser import c_ast
from warplens.analysis.frontend.places import UnsupportedError
from warplens.analysis.frontend.writes import contains, writes_of


def switch_as_ifs(node: c_ast.Switch) -> c_ast.Node | None:
    """Equivalent chain, None for a switch that does nothing; raises UnsupportedError for fall-through."""
    written = writes_of(node.cond)
    if written.scalars or written.memory or _calls(node.cond):
        raise UnsupportedError("a `switch` on an expression with a side effect")
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
        statements = list(item.stmts or [])
        if not statements and position + 1 < len(items):
            continue
        arms.append((labels, is_default, _arm(statements, is_last=position + 1 == len(items))))
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


def _arm(statements: list[c_ast.Node], is_last: bool) -> list[c_ast.Node]:
    if len(statements) == 1 and isinstance(statements[0], c_ast.Compound):
        statements = list(statements[0].block_items or [])
    ended = bool(statements) and isinstance(statements[-1], (c_ast.Break, c_ast.Return, c_ast.Goto))
    if not ended and not is_last:
        raise UnsupportedError("a `switch` whose cases fall through")
    if ended and isinstance(statements[-1], c_ast.Break):
        statements = statements[:-1]
    if any(contains(statement, c_ast.Break) for statement in statements):
        raise UnsupportedError("a `switch` with a `break` inside of a case")
    return statements


def _any_of(value: c_ast.Node, labels: list[c_ast.Node], coordinate: object) -> c_ast.Node:
    condition: c_ast.Node = c_ast.BinaryOp("==", value, labels[0], coordinate)
    for label in labels[1:]:
        condition = c_ast.BinaryOp("||", condition, c_ast.BinaryOp("==", value, label, coordinate), coordinate)
    return condition


def _calls(node: c_ast.Node) -> bool:
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, c_ast.FuncCall):
            return True
        stack.extend(item)
    return False
