"""Loops that each thread runs by itself: `acc loop seq` keeps a compiler from spreading them over threads of its own.

Source: OpenACC 3.1, 2.9 (loop), 2.9.5 (seq), 2.6.1 (variables with predetermined attributes: a loop's variable is
private, so that its value after the loop is lost).
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.dependence.scalars.privatization import is_live_after
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Exit, Loop, LoopNest, NestSpans, loops_of, walk_statements
from warplens.analysis.ports.directives.loop_bounds import is_counted_before
from warplens.analysis.ports.directives.offload_plan import PlannedKernel
from warplens.analysis.ports.openacc.loop_header import is_countable_here
from warplens.analysis.workload.accesses.sites import access_sites


def sequential_loops(nest: LoopNest, kernel: PlannedKernel, spans: NestSpans, source: str) -> Iterator[NodeId]:
    """Loops inside a kernel that a directive may stand above, in source order.

    Left out, and run by the thread all the same: loops that end early, whose variable is used after them, or whose
    header is not of the form that a directive wants.
    """
    root = next(loop for loop in loops_of(nest) if loop.id == kernel.root)
    written = {site.access.array for site in access_sites(nest) if site.is_write}
    for loop in (s for s in walk_statements((root,)) if isinstance(s, Loop)):
        if loop.id in kernel.loops or loop.inductions or not is_counted_before(loop, written):
            continue
        if any(isinstance(s, Exit) for s in walk_statements(loop.body)):
            continue
        if not loop.declares_iterator and is_live_after(nest, loop.id, loop.iterator):
            continue
        if is_countable_here(loop.id, spans, source):
            yield loop.id
