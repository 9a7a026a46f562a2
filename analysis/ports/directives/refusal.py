"""Why a nest gets no OpenMP port: everything that would make the inserted lines wrong or not compile."""

from __future__ import annotations

from warplens.analysis.advice.naming import node_text
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.facts.privatization import is_live_after
from warplens.analysis.facts.sites import access_sites, has_unknown_effects
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Call, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, LoopNest, Statement, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.evaluation import NestEvaluation


def refusal(evaluation: NestEvaluation) -> str:
    """First reason in the source's terms, empty if there is none."""
    facts = evaluation.facts
    nest = facts.nest
    if not facts.kernels:
        return "no loop of this nest is known to be parallel"
    for loop in loops_of(nest):
        if any("omp" in pragma.split() or "acc" in pragma.split() for pragma in loop.pragmas):
            return f"the loop over `{c_name(loop.iterator)}` already has a directive"
        moved = next((c_name(i.name) for i in loop.inductions if c_name(i.name) != c_name(loop.iterator)), "")
        if moved:
            return f"`{moved}` moves along with the loop over `{c_name(loop.iterator)}`: compute it from the iterator"
    behind_pointers = sorted(name for name in nest.parameters if "->" in name)
    if behind_pointers:
        return f"`{behind_pointers[0]}` is reached through a pointer: copy it to a variable above the loop"
    chosen = next((c_name(array.name) for array in nest.arrays if array.chosen_in is not None), "")
    if chosen:
        return f"`{chosen}` points to other memory from time to time: the device would have to be told each time"
    called = _calls(nest)
    if called:
        return called
    for kernel in facts.kernels:
        found = _shape(nest, kernel) or _values(facts, kernel)
        if found:
            return found
    return _host_between(facts)


def _calls(nest: LoopNest) -> str:
    """Functions of the file run on the device too if they use nothing but their arguments."""
    if nest.inlined_globals:
        functions = ", ".join(f"`{name}`" for name in nest.inlined)
        return f"{functions} uses `{nest.inlined_globals[0]}` of the file, which would need `declare target`"
    if nest.other_pointers:
        return f"`{nest.other_pointers[0]}` points into another array, which the device would not know: use its name"
    for statement in walk_statements((nest.root,)):
        for expression in expressions_of(statement):
            for part in walk(expression):
                if isinstance(part, Call) and not part.is_math:
                    return _why_no_call(part)
    return ""


def _why_no_call(call: Call) -> str:
    if call.effects == "prints":
        return f"`{call.function}` prints: the device has no files, take it out of these loops"
    if call.effects == "unseen" and ("pointer" in call.note or ", which" in call.note):
        return f"{call.note}: all that it runs must be compiled for the device"
    if call.effects in {"unseen", "assumed"}:
        return f"calls `{call.function}`, whose code is not in this file: it must be compiled for the device"
    return f"`{call.function}` is called: the device may not have it"


def distributed_loops(nest: LoopNest, kernel: Kernel) -> tuple[Loop, ...]:
    """Loops that one directive can spread over the threads: `collapse` wants a rectangle without anything between.

    Empty when the kernel's outermost loop is not the first of the grid.
    """
    grid = {loop.loop for loop in kernel.grid}
    loop = next(loop for loop in loops_of(nest) if loop.id == kernel.root)
    taken: list[Loop] = []
    while loop.id in grid and not _bounds(loop).intersection(outer.iterator for outer in taken):
        taken.append(loop)
        inner = loop.body[0] if len(loop.body) == 1 else None
        if not isinstance(inner, Loop) or _declares_beside(nest, loop, inner) or not _has_one_bound(inner):
            break
        loop = inner
    return tuple(taken)


def _shape(nest: LoopNest, kernel: Kernel) -> str:
    loops = {loop.id: loop for loop in loops_of(nest)}
    root = loops[kernel.root]
    iterator = c_name(root.iterator)
    if not distributed_loops(nest, kernel):
        first = c_name(kernel.grid[0].iterator)
        return f"the threads lie along `{first}`, inside the loop over `{iterator}`: interchange the two loops first"
    if not _has_one_bound(root):
        return f"the bounds of the loop over `{iterator}` are not one comparison, which OpenMP wants"
    return ""


def _values(facts: NestFacts, kernel: Kernel) -> str:
    """What the threads leave in variables of the function must not be needed."""
    nest = facts.nest
    root = next(loop for loop in loops_of(nest) if loop.id == kernel.root)
    scalars = {scalar.name: scalar for scalar in nest.scalars}
    names = {*kernel.private, *(s.iterator for s in walk_statements((root,)) if isinstance(s, Loop))}
    for name in sorted(names & scalars.keys()):
        if not is_inside(nest, kernel, scalars[name].declared_in) and is_live_after(nest, kernel.root, name):
            return f"the value of `{c_name(name)}` after the loop may be used: it would be lost"
    for array in nest.arrays:
        if array.name in kernel.private and not is_inside(nest, kernel, array.declared_in):
            return f"`{c_name(array.name)}` is one array for all iterations: declare it in the loop's body"
    for reduction in kernel.reductions:
        name = c_name(reduction.variable)
        if reduction.operator in {"argmin", "argmax"}:
            return f"`{name}` goes with the {reduction.operator[3:]}imum of a loop, for which OpenMP has no reduction"
        if reduction.operator == "store":
            return f"several iterations may set `{name}`, to one value: OpenMP wants that to be atomic"
        if reduction.is_array_element or reduction.variable not in scalars:
            return f"`{name}` is updated by several iterations at once: that needs atomics"
    return ""


def is_inside(nest: LoopNest, kernel: Kernel, declared_in: NodeId | None) -> bool:
    """Whether an object is declared inside the kernel, so that every thread has its own anyway."""
    root = next(loop for loop in loops_of(nest) if loop.id == kernel.root)
    return any(s.id == declared_in for s in walk_statements((root,)) if isinstance(s, Loop))


def _host_between(facts: NestFacts) -> str:
    """The host must not touch what kernels write, nor write what they touch, while it lives on the GPU."""
    nest = facts.nest
    roots = {kernel.root for kernel in facts.kernels}
    in_kernels = {s.id for loop in loops_of(nest) if loop.id in roots for s in walk_statements((loop,))}
    sites = access_sites(nest)
    touched = {site.access.array for site in sites if site.statement in in_kernels}
    written = {site.access.array for site in sites if site.statement in in_kernels and site.is_write}
    for site in sites:
        array = site.access.array
        if site.statement not in in_kernels and (array in written or (site.is_write and array in touched)):
            where = node_text(nest, site.statement)
            return f"{where} uses `{c_name(array)}` on the host between kernels that have it on the GPU"
    outside = tuple(_outside((nest.root,), roots))
    if has_unknown_effects(outside):
        return "something between the kernels may use their data on the host"
    return ""


def _outside(body: tuple[Statement, ...], roots: set[NodeId]) -> list[Statement]:
    """Statements that are no loop or branch and belong to no kernel."""
    found: list[Statement] = []
    for statement in body:
        match statement:
            case Loop():
                found += [] if statement.id in roots else _outside(statement.body, roots)
            case If(then=then, otherwise=otherwise):
                found += _outside(then, roots) + _outside(otherwise, roots)
            case _:
                found.append(statement)
    return found


def _has_one_bound(loop: Loop) -> bool:
    return len(loop.limits) == 1 and loop.start is not None and not loop.bound_reads


def _bounds(loop: Loop) -> frozenset[str]:
    bounds = (*loop.limits, *((loop.start,) if loop.start is not None else ()))
    return frozenset(name for bound in bounds for name in bound.symbols)


def _declares_beside(nest: LoopNest, loop: Loop, inner: Loop) -> bool:
    """Whether a declaration stands between two loops, which leaves no trace in the body when it initialises nothing."""
    declared = {scalar.name for scalar in nest.scalars if scalar.declared_in == loop.id}
    declared |= {array.name for array in nest.arrays if array.declared_in == loop.id}
    return not declared <= {loop.iterator, inner.iterator}
