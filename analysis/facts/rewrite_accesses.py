"""A nest with some of its accesses replaced, by node id."""

from __future__ import annotations

from collections.abc import Mapping
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
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, LoopNest, Statement


def rewrite_accesses(nest: LoopNest, accesses: Mapping[NodeId, Access]) -> LoopNest:
    """The nest with each access whose id is in `accesses` replaced; the nest itself when there is none."""
    if not accesses:
        return nest
    root = _statement(nest.root, accesses)
    return replace(nest, root=root) if isinstance(root, Loop) else nest


def _body(body: tuple[Statement, ...], accesses: Mapping[NodeId, Access]) -> tuple[Statement, ...]:
    return tuple(_statement(statement, accesses) for statement in body)


def _statement(statement: Statement, accesses: Mapping[NodeId, Access]) -> Statement:
    match statement:
        case Assign(_, target, _, value):
            new_target = _access(target, accesses) if isinstance(target, Access) else target
            return replace(statement, target=new_target, value=_expression(value, accesses))
        case If(_, condition, then, otherwise):
            return replace(
                statement,
                condition=_expression(condition, accesses),
                then=_body(then, accesses),
                otherwise=_body(otherwise, accesses),
            )
        case Evaluate(_, expression):
            return replace(statement, expression=_expression(expression, accesses))
        case Loop():
            reads = tuple(_expression(read, accesses) for read in statement.bound_reads)
            return replace(statement, bound_reads=reads, body=_body(statement.body, accesses))
        case _:
            return statement


def _access(access: Access, accesses: Mapping[NodeId, Access]) -> Access:
    if access.id in accesses:
        return accesses[access.id]
    return replace(access, subscripts=tuple(_expression(s, accesses) for s in access.subscripts))


def _expression(expression: Expression, accesses: Mapping[NodeId, Access]) -> Expression:
    """Iterative, so that depth is no limit; what doesn't change is shared."""
    built: list[Expression] = []
    for node in walk(expression):
        old = children(node)
        new = tuple(built[len(built) - len(old) :])
        del built[len(built) - len(old) :]
        if isinstance(node, Load) and node.access.id in accesses:
            built.append(Load(accesses[node.access.id]))
        elif all(a is b for a, b in zip(old, new, strict=True)):
            built.append(node)
        else:
            built.append(_with_children(node, new))
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
