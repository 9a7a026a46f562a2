"""A nest as if nobody had marked its loops."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.ir.nest import If, Loop, Statement


def without_pragmas(loop: Loop) -> Loop:
    """The loop as if nobody had marked it or a loop in it."""
    return replace(loop, pragmas=(), directive=None, body=tuple(_bare(statement) for statement in loop.body))


def _bare(statement: Statement) -> Statement:
    if isinstance(statement, Loop):
        return without_pragmas(statement)
    if isinstance(statement, If):
        then = tuple(_bare(each) for each in statement.then)
        return replace(statement, then=then, otherwise=tuple(_bare(each) for each in statement.otherwise))
    return statement
