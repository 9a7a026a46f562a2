"""What one thread runs: the body inside the grid's loops, without values that nothing in the kernel reads."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.expression import ScalarRef, walk
from warplens.analysis.ir.nest import Assign, If, Loop, LoopNest, Statement, loops_of, walk_statements
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


def scalars_in(statement: Statement) -> frozenset[str]:
    """Variables that a statement names, in what is inside of it too."""
    return frozenset(name for one in walk_statements((statement,)) for name in own_scalars(one))


def written_in(body: tuple[Statement, ...]) -> frozenset[str]:
    """Variables that statements assign; iterators of loops are not among them."""
    return frozenset(
        one.target.name
        for one in walk_statements(body)
        if isinstance(one, Assign) and isinstance(one.target, ScalarRef)
    )


def without_unread(body: tuple[Statement, ...], kept: frozenset[str]) -> tuple[Statement, ...]:
    """The body without assignments to variables that nothing reads, but for those `kept`.

    Pointers that walk are among them: accesses know where they lead.
    """
    while True:
        read = frozenset(name for one in walk_statements(body) for name in _read_scalars(one)) | kept
        shorter = _pruned(body, read)
        if shorter == body:
            return body
        body = shorter


def _pruned(body: tuple[Statement, ...], read: frozenset[str]) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for statement in body:
        match statement:
            case Assign(target=ScalarRef(name)) if name not in read:
                continue
            case Loop():
                inner = _pruned(statement.body, read)
                if inner:
                    found.append(replace(statement, body=inner))
                elif statement.iterator in read and not statement.declares_iterator:
                    found.append(replace(statement, body=()))
            case If():
                then, otherwise = _pruned(statement.then, read), _pruned(statement.otherwise, read)
                if then or otherwise:
                    found.append(replace(statement, then=then, otherwise=otherwise))
            case _:
                found.append(statement)
    return tuple(found)


def own_scalars(statement: Statement) -> frozenset[str]:
    """Variables that a statement itself reads or sets."""
    own = _read_scalars(statement)
    if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
        return own | {statement.target.name}
    return own | {statement.iterator} if isinstance(statement, Loop) else own


def _read_scalars(statement: Statement) -> frozenset[str]:
    """Variables whose value the statement itself uses; `x += 1` alone does not count as a use of `x`."""
    names = {
        node.name
        for expression in expressions_of(statement)
        for node in walk(expression)
        if isinstance(node, ScalarRef)
    }
    if isinstance(statement, Loop):
        bounds = (statement.start, *statement.limits, *(added for _, added in statement.limit_reads))
        names |= {symbol for bound in bounds if bound is not None for symbol in bound.symbols}
    for access in accesses_of(statement):
        names |= {symbol for index in access.indices if index is not None for symbol in index.symbols}
    return frozenset(names)
