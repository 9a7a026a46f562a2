"""What one thread runs: the body inside the grid's loops."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.expression import ScalarRef
from warplens.analysis.ir.nest import Assign, Loop, LoopNest, Statement, loops_of, walk_statements
from warplens.analysis.ports.cuda.plan import PortRefusedError


def grid_and_body(nest: LoopNest, kernel: Kernel) -> tuple[tuple[Loop, ...], tuple[Statement, ...]]:
    """Loops of the grid, outer to inner, and what a thread runs inside of them.

    Loops of the band that stay in the thread are moved inside the grid's, which the kernel's verdicts allow.
    """
    wanted = {loop.loop for loop in kernel.grid}
    loop = next(loop for loop in loops_of(nest) if loop.id == kernel.root)
    grid: list[Loop] = []
    kept: list[Loop] = []
    while True:
        (grid if loop.id in wanted else kept).append(loop)
        if len(grid) == len(wanted):
            break
        inner = loop.body[0] if len(loop.body) == 1 else None
        if not isinstance(inner, Loop):
            raise PortRefusedError("the loops that become the grid do not stand directly in each other")
        loop = inner
    body = loop.body
    for outer in reversed(kept):
        body = (replace(outer, body=body),)
    return tuple(grid), body


def written_in(body: tuple[Statement, ...]) -> frozenset[str]:
    """Variables that statements assign; iterators of loops are not among them."""
    return frozenset(
        one.target.name
        for one in walk_statements(body)
        if isinstance(one, Assign) and isinstance(one.target, ScalarRef)
    )


def sets(statement: Statement, name: str) -> bool:
    """Whether a statement itself assigns a variable."""
    return isinstance(statement, Assign) and isinstance(statement.target, ScalarRef) and statement.target.name == name
