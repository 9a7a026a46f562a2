"""Sequential loops that all threads of a block run in step, so that a barrier may stand in them.

Source: CUDA C++ Programming Guide, Synchronization Functions: `__syncthreads()` in conditional code only where the
condition is the same in all threads of the block.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.counted_loops import is_counted
from warplens.analysis.ir.exits import exits_of
from warplens.analysis.ir.expression import condition_text
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, LoopNest, Statement, loops_of
from warplens.analysis.ir.source_names import c_name


def why_not_in_step(nest: LoopNest, kernel: Kernel) -> dict[NodeId, str]:
    """For each sequential loop of the kernel why threads of a block may run it apart, in the source's terms; or ""."""
    root = next(loop for loop in loops_of(nest) if loop.id == kernel.root)
    return _reasons(root, {loop.loop: loop.iterator for loop in kernel.grid})


def apart_loops(root: Loop, grid: Iterable[Loop]) -> frozenset[NodeId]:
    """Sequential loops inside of a kernel's outermost one that threads of a block may run apart."""
    reasons = _reasons(root, {loop.id: loop.iterator for loop in grid})
    return frozenset(loop for loop, reason in reasons.items() if reason)


def _reasons(root: Loop, grid: Mapping[NodeId, str]) -> dict[NodeId, str]:
    reasons: dict[NodeId, str] = {}
    _visit((root,), set(grid), frozenset(grid.values()), "", reasons)
    return reasons


def _visit(
    body: tuple[Statement, ...], grid: set[NodeId], differing: frozenset[str], reason: str, reasons: dict[NodeId, str]
) -> None:
    """`differing` are iterators whose values differ between threads, `reason` why the body itself runs apart."""
    for statement in body:
        match statement:
            case Loop() if statement.id in grid:
                _visit(statement.body, grid, differing, reason, reasons)
            case Loop():
                of_loop = reason or why_apart(statement, differing)
                reasons[statement.id] = of_loop
                inside = differing | {statement.iterator} if of_loop else differing - {statement.iterator}
                _visit(statement.body, grid, inside, of_loop, reasons)
            case If():
                inside_if = reason or f"it runs only where `{condition_text(statement.condition)}`"
                _visit(statement.then, grid, differing, inside_if, reasons)
                _visit(statement.otherwise, grid, differing, inside_if, reasons)
            case _:
                pass


def why_apart(loop: Loop, differing: frozenset[str]) -> str:
    """Why threads may run a loop, which all of them reach together, another number of times; empty if they don't.

    `differing` are names that threads have other values of.
    """
    name = c_name(loop.iterator)
    if not is_counted(loop) or loop.start is None or loop.limit_reads:
        return f"data decides how often the loop over `{name}` runs"
    by = sorted(differing.intersection(symbol for bound in (loop.start, *loop.limits) for symbol in bound.symbols))
    if by:
        return f"the loop over `{name}` runs from or to another value in each thread, as `{c_name(by[0])}` decides"
    for early in exits_of(loop.body):
        return f"a `{early.kind}` may end the loop over `{name}` earlier in some threads"
    return ""
