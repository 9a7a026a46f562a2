"""A nest with one of its loops replaced, for a prediction of what an edit would make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, LoopNest, Statement


def with_loop(nest: LoopNest, loop: NodeId, becomes: tuple[Statement, ...]) -> tuple[LoopNest, ...]:
    """The nest with statements in place of a loop: one nest per loop where that is the nest's outermost one."""
    if nest.root.id == loop:
        return tuple(replace(nest, root=statement) for statement in becomes if isinstance(statement, Loop))
    return (replace(nest, root=replace(nest.root, body=_replaced(nest.root.body, loop, becomes))),)


def reordered(band: Sequence[Loop], order: Sequence[NodeId]) -> Loop:
    """The loops of a perfect nest in another order, outermost first."""
    by_id = {loop.id: loop for loop in band}
    body = band[-1].body
    for loop in reversed(order):
        body = (replace(by_id[loop], body=body),)
    outermost = body[0]
    assert isinstance(outermost, Loop)
    return outermost


def _replaced(body: tuple[Statement, ...], loop: NodeId, becomes: tuple[Statement, ...]) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for statement in body:
        match statement:
            case Loop(id=number) if number == loop:
                found += becomes
            case Loop():
                found.append(replace(statement, body=_replaced(statement.body, loop, becomes)))
            case If():
                found.append(
                    replace(
                        statement,
                        then=_replaced(statement.then, loop, becomes),
                        otherwise=_replaced(statement.otherwise, loop, becomes),
                    )
                )
            case _:
                found.append(statement)
    return tuple(found)
