"""Why a nest gets no CUDA port: what no kernel or host function could do as the C does it, in the source's terms.

What only the text of one kernel can tell (calls, types, reductions) is refused where that is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from warplens.analysis.dependence.scalars.privatization import is_live_after
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import (
    ArrayObject,
    Exit,
    Loop,
    LoopNest,
    OpaqueStatement,
    ScalarObject,
    loops_of,
    walk_statements,
)
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import PointerTo, is_volatile
from warplens.analysis.ports.directives.refusal import left_shared_by_directive
from warplens.analysis.workload.accesses.sites import has_unknown_effects


def cuda_refusal(facts: NestFacts, own: Collection[str]) -> str:
    """First reason in the source's terms, empty if there is none.

    `own` are arrays of the function that nothing but this nest uses.
    """
    nest = facts.nest
    if not facts.kernels:
        return "no loop of this nest is known to be parallel"
    if turns := left_shared_by_directive(facts):
        return turns
    found = next((reason for array in nest.arrays if (reason := _array(facts, array))), "")
    if not found and nest.inexact:
        found = f"the loop was understood with a change that may have lost meaning: {nest.inexact[0]}"
    return found or _names_apart(nest) or _statements(nest) or _values(facts, own)


def _array(facts: NestFacts, array: ArrayObject) -> str:
    nest, name = facts.nest, c_name(array.name)
    if is_volatile(array.element):
        return f"`{name}` is `volatile`: each access must happen where the source says, on the host"
    if array.chosen_in is not None:
        return f"`{name}` points to other memory from time to time: the device would have to be told each time"
    if isinstance(array.element, PointerTo) or array.rows_from:
        return f"`{name}` is an array of pointers, which lead to the host's memory: copy its rows into one array"
    if array.scope == "body":
        return ""
    if array.is_of_called:
        return f"`{name}` is memory of a called function, which the loop itself can't name"
    others = {other.name for other in nest.arrays}
    overlapping = next((other for other in array.may_point_into if other in others and other != array.name), "")
    if overlapping:
        return f"`{name}` may point into `{c_name(overlapping)}`: two copies on the device would not be one"
    return ""


def _names_apart(nest: LoopNest) -> str:
    """Two objects must not be handed over by one name: `p` before and after it was set anew."""
    counts = Counter(c_name(array.name) for array in nest.arrays if array.scope != "body")
    twice = next((name for name, count in counts.items() if count > 1), "")
    return f"`{twice}` stands for two different places in memory in this loop" if twice else ""


def _statements(nest: LoopNest) -> str:
    for statement in walk_statements((nest.root,)):
        if isinstance(statement, OpaqueStatement):
            return f"a statement is not understood: {statement.reason}"
        if isinstance(statement, Exit) and statement.kind != "break":
            return f"`{statement.kind}` leaves the loop from inside, to where one function for the loop can't go"
    if has_unknown_effects((nest.root,)):
        return "a function is called of which the file does not show what it reads and writes"
    scalar = next((scalar for scalar in nest.scalars if is_volatile(scalar.type)), None)
    if scalar is not None:
        return f"`{c_name(scalar.name)}` is `volatile`: each access must happen where the source says, on the host"
    kept = next((c_name(one.name) for one in nest.scalars if one.is_of_called and one.scope == "global"), "")
    return f"`{kept}` is declared in a called function: the loop itself can't name it" if kept else ""


def _values(facts: NestFacts, own: Collection[str]) -> str:
    """What the threads leave in variables of the function must not be needed."""
    nest = facts.nest
    scalars = {scalar.name: scalar for scalar in nest.scalars}
    loops = {loop.id: loop for loop in loops_of(nest)}
    for kernel in facts.kernels:
        inside = walk_statements((loops[kernel.root],))
        reduced = {reduction.variable for reduction in kernel.reductions}
        names = {*kernel.private, *(s.iterator for s in inside if isinstance(s, Loop))} - reduced
        for name in sorted(names & scalars.keys()):
            if not _is_inside(nest, kernel, scalars[name].declared_in) and is_live_after(nest, kernel.root, name):
                return f"the value of `{c_name(name)}` after the loop may be used: it would be lost"
        for array in nest.arrays:
            is_own = array.name in own or _is_inside(nest, kernel, array.declared_in)
            if array.name in kernel.private and not is_own:
                return f"what the loop leaves in `{c_name(array.name)}` may be used after it: each thread has its own"
    for loop in loops_of(nest):
        # Closed forms stand for what these hold inside of the nest: nothing counts them any more.
        counted = {c_name(name) for name in (loop.iterator, *(one.name for one in loop.inductions))}
        kept = next((name for name, one in scalars.items() if c_name(name) in counted and _is_read_later(one)), "")
        if kept:
            return f"the value of `{c_name(kept)}` after the loop may be used: it would be lost"
    copied = next((name for verdict in facts.verdicts for name in verdict.copied_in), "")
    if copied:
        return f"each thread's copy of `{c_name(copied)}` would have to start with what it holds before the loop"
    return ""


def _is_read_later(scalar: ScalarObject) -> bool:
    return scalar.scope != "body" and (scalar.used_after or scalar.scope == "global")


def _is_inside(nest: LoopNest, kernel: Kernel, declared_in: NodeId | None) -> bool:
    """Whether an object is declared inside the kernel, so that every thread has its own anyway."""
    return declared_in is not None and any(
        declared_in in _ids(loop) for loop in loops_of(nest) if loop.id == kernel.root
    )


def _ids(loop: Loop) -> frozenset[NodeId]:
    return frozenset(s.id for s in walk_statements((loop,)) if isinstance(s, Loop))
