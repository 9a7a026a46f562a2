"""A nest with some of its accesses replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Load,
    Unary,
    Unknown,
    children,
    walk,
)
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, LoopNest, Statement

Change = Callable[[Access], Access]
"""New form of an access whose subscripts' own accesses are in their new form already."""


def rewrite_accesses(nest: LoopNest, change: Change) -> LoopNest:
    """The nest with `change` applied to every access, those in subscripts first; ids must stay."""
    root = _statement(nest.root, change)
    return replace(nest, root=root) if isinstance(root, Loop) else nest


def rewrite_expression(expression: Expression, change: Change) -> Expression:
    """The expression with `change` applied to every access, those in subscripts first."""
    return _expression(expression, change)


def rewrite_body(body: tuple[Statement, ...], change: Change) -> tuple[Statement, ...]:
    """The body with `change` applied to every access, those in subscripts first."""
    return tuple(_statement(statement, change) for statement in body)


def _statement(statement: Statement, change: Change) -> Statement:
    match statement:
        case Assign(_, target, _, value):
            new_target = _access(target, change) if isinstance(target, Access) else target
            return replace(statement, target=new_target, value=_expression(value, change))
        case If(_, condition, then, otherwise):
            return replace(
                statement,
                condition=_expression(condition, change),
                then=rewrite_body(then, change),
                otherwise=rewrite_body(otherwise, change),
            )
        case Evaluate(_, expression):
            return replace(statement, expression=_expression(expression, change))
        case Loop():
            reads = tuple(_expression(read, change) for read in statement.bound_reads)
            return replace(statement, bound_reads=reads, body=rewrite_body(statement.body, change))
        case _:
            return statement


def _access(access: Access, change: Change) -> Access:
    return change(replace(access, subscripts=tuple(_expression(s, change) for s in access.subscripts)))


def _expression(expression: Expression, change: Change) -> Expression:
    def of_loads(node: Expression) -> Expression:
        if not isinstance(node, Load):
            return node
        changed = change(node.access)
        return node if changed is node.access else Load(changed)

    return with_operands(expression, of_loads)


def with_operands(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with `change` applied to every node, operands first; what doesn't change is shared.

    Iterative, so that depth is no limit.
    """
    built: list[Expression] = []
    for node in walk(expression):
        old = children(node)
        new = tuple(built[len(built) - len(old) :])
        del built[len(built) - len(old) :]
        same = all(a is b for a, b in zip(old, new, strict=True))
        built.append(change(node if same else _with_children(node, new)))
    return built[-1]


def _with_children(node: Expression, new: tuple[Expression, ...]) -> Expression:
    match node:
        case Load(access):
            return Load(replace(access, subscripts=new))
        case Unary() | Cast():
            return replace(node, operand=new[0])
        case Binary():
            return replace(node, left=new[0], right=new[1])
        case Conditional():
            return replace(node, condition=new[0], then=new[1], otherwise=new[2])
        case Call():
            return replace(node, arguments=new)
        case Unknown():
            return replace(node, reads=new)
        case _:
            return node
