"""What differs from thread to thread: elements picked by a thread's number, or by variables that each thread has."""

from __future__ import annotations

from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.ir.loop_directive import LoopDirective
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.thread_number import THREAD_NUMBER_SYMBOL


def differs_by_thread(reference: Reference, nest: LoopNest, directive: LoopDirective) -> bool:
    """Whether what a reference touches, and when, may follow from something that is another one in another thread."""
    if reference.variable in directive.apart or MemoryPath.of(reference.variable).base in directive.apart:
        return True
    names = {name for position in reference.positions if position is not None for name in position.symbols}
    names |= {name for guard in reference.place.guards for case in guard for p in case for name in p.symbols}
    for loop in reference.place.loops:
        names |= {name for p in (loop.start, *loop.limits) if p is not None for name in p.symbols}
    for definition in (*reference.place.definitions, *reference.definitions):
        names |= definition.symbols
    names -= {loop.iterator for loop in reference.place.loops}
    derived = {symbol.name: symbol for symbol in nest.derived}
    for symbol in (derived[name] for name in names & derived.keys()):
        if symbol.formula is None and directive.has_region:
            return True
        names |= frozenset(() if symbol.formula is None else symbol.formula.parameters)
    return not names.isdisjoint(directive.apart) or THREAD_NUMBER_SYMBOL in names
