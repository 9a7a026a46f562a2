"""Why a nest gets no directives for the GPU, whatever variables and arrays it uses: calls, shapes, the host."""

from __future__ import annotations

from warplens.analysis.advice.naming import access_text, node_text
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Access, Call, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import Assign, Exit, If, Loop, LoopNest, Statement, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import PointerTo
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.directives.loop_bounds import bound_symbols, has_one_bound
from warplens.analysis.workload.accesses.sites import access_sites, has_unknown_effects
from warplens.analysis.workload.kernels.kernels import MAX_GRID_LOOPS


def refusal(evaluation: NestEvaluation) -> str:
    """First reason in the source's terms, empty if there is none."""
    facts = evaluation.facts
    nest = facts.nest
    if not facts.kernels:
        return "no loop of this nest is known to be parallel"
    if turns := left_shared_by_directive(facts):
        return turns
    for loop in loops_of(nest):
        moved = next((c_name(i.name) for i in loop.inductions if c_name(i.name) != c_name(loop.iterator)), "")
        if moved:
            return f"`{moved}` moves along with the loop over `{c_name(loop.iterator)}`: compute it from the iterator"
    behind_pointers = sorted(name for name in nest.parameters if MemoryPath.of(name).has_arrow)
    if behind_pointers:
        return f"`{behind_pointers[0]}` is reached through a pointer: copy it to a variable above the loop"
    chosen = next((c_name(array.name) for array in nest.arrays if array.chosen_in is not None), "")
    if chosen:
        return f"`{chosen}` points to other memory from time to time: the device would have to be told each time"
    table = next((c_name(array.name) for array in nest.arrays if isinstance(array.element, PointerTo)), "")
    if table:
        return f"`{table}` is an array of pointers, which lead to the host's memory: copy its rows into one array"
    stored = next((s for s in walk_statements((nest.root,)) if isinstance(s, Assign) and _stores_an_address(s)), None)
    if stored is not None:
        return f"{node_text(nest, stored.id)} stores an address: on the device it would be one of the device's memory"
    sites = access_sites(nest)
    written = {site.access.array for site in sites if site.is_write}
    for site in sites:
        if site.access.conditions and site.access.array in written:
            text = access_text(nest, site.access)
            return f"it is not proved that `{text}` stays in its row: {site.access.conditions[0]}"
    called = _calls(nest) or _left_early(facts)
    if called:
        return called
    for kernel in facts.kernels:
        found = _shape(facts, kernel)
        if found:
            return found
    return _host_between(facts)


def left_shared_by_directive(facts: NestFacts) -> str:
    """What iterations share on the word of the source's directive, which a port can't keep as it is; empty if none."""
    node = next((node for verdict in facts.verdicts for node in verdict.left_shared), None)
    return "" if node is None else f"{node_text(facts.nest, node)} is shared by the iterations, as the directive has it"


def _calls(nest: LoopNest) -> str:
    """Functions of the file run on the device too if they use nothing but their arguments, those of others do not.

    Source: OpenMP 5.2, 7.8 (what a `target` calls is compiled for the device in its own translation unit only).
    """
    if nest.elsewhere:
        function, file = nest.elsewhere[0]
        return f"`{function}` is defined in `{file}`: it would have to be compiled for the device there too"
    if nest.inlined_globals:
        functions = ", ".join(f"`{c_name(name)}`" for name in nest.inlined)
        use = "use" if len(nest.inlined) > 1 else "uses"
        return f"{functions} {use} `{nest.inlined_globals[0]}`, which outlives the call and would need `declare target`"
    if nest.other_pointers:
        return f"`{nest.other_pointers[0]}` points into another array, which the device would not know: use its name"
    for statement in walk_statements((nest.root,)):
        for expression in expressions_of(statement):
            for part in walk(expression):
                if isinstance(part, Call) and not part.is_math:
                    return _why_no_call(part)
    return ""


def _stores_an_address(statement: Assign) -> bool:
    """Whether a value in memory is an address, or made from one: `p[i].next = &p[i + 1]`, `(uintptr_t)&p[i]`."""
    if not isinstance(statement.target, Access):
        return False
    return any(
        isinstance(ctype, PointerTo) for ctype in (statement.target.type, *(p.type for p in walk(statement.value)))
    )


def _left_early(facts: NestFacts) -> str:
    """A region of data around a loop is left at its end, nowhere else."""
    nest = facts.nest
    if all(kernel.root == nest.root.id for kernel in facts.kernels):
        return ""
    exits = (s for s in walk_statements((nest.root,)) if isinstance(s, Exit) and s.kind != "break")
    kind = next((one.kind for one in exits), "")
    iterator = c_name(nest.root.iterator)
    return f"`{kind}` leaves the loop over `{iterator}`, around which the data would stay on the device" if kind else ""


def _why_no_call(call: Call) -> str:
    if call.effects == "prints":
        return f"`{call.function}` prints: the device has no files, take it out of these loops"
    if call.effects == "unseen" and ("pointer" in call.note or ", which" in call.note):
        return f"{call.note}: all that it runs must be compiled for the device"
    if call.effects == "ends":
        return f"`{call.function}` ends the program, which the device can't do: take it out of these loops"
    if call.effects in {"unseen", "assumed"}:
        return f"calls `{call.function}`, whose code is not in this file: it must be compiled for the device"
    if call.function.startswith("&"):
        return f"`{call.function}` is an address that is used behind the loop: on the device it would be another"
    return f"`{call.function}` is called: the device may not have it"


def distributed_loops(facts: NestFacts, kernel: Kernel) -> tuple[Loop, ...]:
    """Loops that one directive can spread over the threads: `collapse` wants a rectangle without anything between.

    Parallel loops beyond the three axes of a grid are among them. Empty when the kernel's outermost loop is none.
    """
    nest, grid = facts.nest, {loop.loop for loop in kernel.grid}
    if len(grid) == MAX_GRID_LOOPS and all(facts.verdict(loop).kind == "parallel" for loop in grid):
        grid |= {verdict.loop for verdict in facts.verdicts if verdict.kind == "parallel"}
    loop = next(loop for loop in loops_of(nest) if loop.id == kernel.root)
    taken: list[Loop] = []
    while loop.id in grid and not bound_symbols(loop).intersection(outer.iterator for outer in taken):
        taken.append(loop)
        inner = loop.body[0] if len(loop.body) == 1 else None
        if not isinstance(inner, Loop) or _declares_beside(nest, loop, inner) or not has_one_bound(inner):
            break
        loop = inner
    return tuple(taken)


def _shape(facts: NestFacts, kernel: Kernel) -> str:
    nest = facts.nest
    loops = {loop.id: loop for loop in loops_of(nest)}
    root = loops[kernel.root]
    iterator = c_name(root.iterator)
    if not distributed_loops(facts, kernel):
        first = c_name(kernel.grid[0].iterator)
        return f"the threads lie along `{first}`, inside the loop over `{iterator}`: interchange the two loops first"
    if not has_one_bound(root):
        return f"the bounds of the loop over `{iterator}` are not one comparison, which a directive wants"
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


def _declares_beside(nest: LoopNest, loop: Loop, inner: Loop) -> bool:
    """Whether a declaration stands between two loops, which leaves no trace in the body when it initialises nothing."""
    declared = {scalar.name for scalar in nest.scalars if scalar.declared_in == loop.id}
    declared |= {array.name for array in nest.arrays if array.declared_in == loop.id}
    return not declared <= {loop.iterator, inner.iterator}
