"""The loop inside a kernel whose iterations the lanes of a thread may share."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.facts.nest_facts import AccessFacts, Kernel, NestFacts
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Call, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of, walk_statements
from warplens.analysis.ports.directives.loop_bounds import has_one_bound


def inner_vector(facts: NestFacts, kernel: Kernel, distributed: Sequence[Loop]) -> NodeId | None:
    """An innermost loop that is parallel, shares nothing and walks along memory; None if there is none.

    A loop that the directive spreads anyway is none; of several it is the first.
    """
    taken = {loop.id for loop in distributed}
    root = next(loop for loop in loops_of(facts.nest) if loop.id == kernel.root)
    for loop in (s for s in walk_statements((root,)) if isinstance(s, Loop)):
        if loop.id not in taken and _is_vector(facts, kernel, loop):
            return loop.id
    return None


def _is_vector(facts: NestFacts, kernel: Kernel, loop: Loop) -> bool:
    inside = tuple(walk_statements(loop.body))
    if any(isinstance(s, Loop) for s in inside) or not has_one_bound(loop) or loop.inductions:
        return False
    verdict = facts.verdict(loop.id)
    objects = {scalar.name: scalar.declared_in for scalar in facts.nest.scalars}
    objects |= {array.name: array.declared_in for array in facts.nest.arrays}
    shared = [name for name in verdict.private if name != loop.iterator and objects.get(name) != loop.id]
    if verdict.kind != "parallel" or shared or not loop.declares_iterator:
        return False
    calls = (part for s in inside for expression in expressions_of(s) for part in walk(expression))
    if any(isinstance(part, Call) and not part.is_math for part in calls):
        return False
    return any(_is_contiguous(access, loop.id) for access in kernel.accesses)


def _is_contiguous(access: AccessFacts, loop: NodeId) -> bool:
    stride = dict(access.stride_bytes).get(loop)
    return stride is not None and stride.is_constant and abs(stride.constant_term) == access.access.element_bytes
