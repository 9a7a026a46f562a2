"""Statements in which a scalar has another name."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.ir.expression import Access, Expression, ScalarRef
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, Statement
from warplens.analysis.ir.rewrite_accesses import with_operands

Statements = tuple[Statement, ...]


def rename_scalar(body: Statements, name: str, new: str) -> Statements:
    """The body with the scalar `new` in each place where it reads or sets `name`; headers of loops have neither."""
    return tuple(_statement(one, name, new) for one in body)


def rename_in(expression: Expression, name: str, new: str) -> Expression:
    """The expression with `new` for `name`."""

    def change(node: Expression) -> Expression:
        return replace(node, name=new) if isinstance(node, ScalarRef) and node.name == name else node

    return with_operands(expression, change)


def _statement(statement: Statement, name: str, new: str) -> Statement:
    match statement:
        case Assign(_, target, _, value):
            if isinstance(target, Access):
                subscripts = tuple(rename_in(each, name, new) for each in target.subscripts)
                target = replace(target, subscripts=subscripts)
            elif target.name == name:
                target = replace(target, name=new)
            return replace(statement, target=target, value=rename_in(value, name, new))
        case If(_, condition, then, otherwise):
            return replace(
                statement,
                condition=rename_in(condition, name, new),
                then=rename_scalar(then, name, new),
                otherwise=rename_scalar(otherwise, name, new),
            )
        case Evaluate(_, expression):
            return replace(statement, expression=rename_in(expression, name, new))
        case Loop():
            return replace(statement, body=rename_scalar(statement.body, name, new))
        case _:
            return statement
