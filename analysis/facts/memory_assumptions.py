"""What an answer about a loop takes for granted of the memory that the loop touches."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.facts.aliasing import alias_assumptions, row_assumptions
from warplens.analysis.facts.call_assumptions import call_assumptions
from warplens.analysis.facts.iteration_domain import Reference
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.nest import Loop, LoopNest


def memory_assumptions(nest: LoopNest, loop: Loop, inside: Iterable[Reference]) -> tuple[Assumption, ...]:
    """Of aliases, of calls and of subscripts that stay in their rows; `inside` are the references in the loop."""
    accesses = [(r, r.access) for r in inside if r.access is not None]
    written = {reference.variable for reference, _ in accesses if reference.is_write}
    accessed = {reference.variable for reference, _ in accesses}
    found = [*alias_assumptions(nest, accessed, written), *row_assumptions(nest, written), *call_assumptions(loop)]
    for name, conditions in ((r.variable, access.conditions) for r, access in accesses if r.variable in written):
        for condition in conditions:
            text = f"The subscripts of `{name}` are assumed to stay in their rows: {condition}."
            found.append(Assumption("bounds", name, text))
    return tuple(found)


def copy_assumptions(nest: LoopNest, private: Iterable[str]) -> tuple[Assumption, ...]:
    """That nobody wants an array of the function after a loop whose iterations had one copy each."""
    local = {array.name for array in nest.arrays if array.scope == "local"}
    text = "`{}` gets one copy per iteration: what it holds after the loop is assumed not to be used."
    return tuple(Assumption("context", name, text.format(name)) for name in sorted(local.intersection(private)))
