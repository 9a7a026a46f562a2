"""The OpenMP port of a nest: which pragma goes above which loop.

Only what is certain is written: a nest whose arrays' sizes can't be named in C, or that needs atomics, is refused with
the reason. The mapped sections are hulls of what is touched, whole in the inner dimensions.

Source: OpenMP 5.0, 2.13.11 (combined target constructs), 2.19.7.1 (map clause).
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.advice.map_section import SectionRefusedError, map_section
from warplens.analysis.advice.naming import accesses_of, c_name
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.models.evaluation import KernelEvaluation, NestEvaluation


@dataclass(frozen=True, slots=True)
class PragmaLine:
    """A line to insert above the header of `loop`, without indentation and line end."""

    loop: NodeId
    text: str


@dataclass(frozen=True, slots=True)
class OpenMpPort:
    """Lines to insert, outermost first; or why there are none, in the source's terms."""

    lines: tuple[PragmaLine, ...]
    refusal: str = ""


def openmp_target(evaluation: NestEvaluation) -> OpenMpPort:
    """`#pragma omp target teams distribute parallel for` with its clauses, for every kernel of the nest.

    Kernels that are launched repeatedly by a loop around them get a `target data` region around that loop, so that the
    arrays are copied once.
    """
    facts = evaluation.facts
    refusal = _refusal(evaluation)
    if refusal:
        return OpenMpPort((), refusal)
    try:
        maps = _map_clauses(evaluation)
    except SectionRefusedError as reason:
        return OpenMpPort((), str(reason))
    lines: list[PragmaLine] = []
    root = facts.nest.root.id
    repeated = any(kernel.kernel.root != root for kernel in evaluation.kernels)
    if repeated:
        lines.append(PragmaLine(root, " ".join(("#pragma omp target data", *maps))))
    for kernel in evaluation.kernels:
        clauses = _kernel_clauses(evaluation, kernel)
        own_maps = () if repeated else maps
        lines.append(
            PragmaLine(
                kernel.kernel.root,
                " ".join(("#pragma omp target teams distribute parallel for", *clauses, *own_maps)),
            )
        )
    return OpenMpPort(tuple(lines))


def _refusal(evaluation: NestEvaluation) -> str:
    facts = evaluation.facts
    if not evaluation.kernels:
        return "no loop of this nest is known to be parallel"
    for loop in loops_of(facts.nest):
        if any("omp" in pragma.split() or "acc" in pragma.split() for pragma in loop.pragmas):
            return f"the loop over `{c_name(loop.iterator)}` already has a directive"
    grid_loops = {grid.loop for kernel in evaluation.kernels for grid in kernel.kernel.grid}
    for loop in loops_of(facts.nest):
        if loop.id in grid_loops and (len(loop.limits) != 1 or loop.start is None):
            return f"the loop over `{c_name(loop.iterator)}` has more than one bound: OpenMP wants one comparison"
    scalars = {scalar.name: scalar for scalar in facts.nest.scalars}
    for kernel in evaluation.kernels:
        for name in kernel.kernel.private:
            scalar = scalars.get(name)
            if scalar is not None and scalar.used_after:
                return f"the value of `{c_name(name)}` after the loop may be used: it would be lost"
        for reduction in kernel.kernel.reductions:
            if reduction.is_array_element:
                return f"`{reduction.variable}` is updated by several iterations at once: that needs atomics"
    return ""


def _kernel_clauses(evaluation: NestEvaluation, kernel: KernelEvaluation) -> list[str]:
    clauses: list[str] = []
    collapsed = _collapsible(evaluation, kernel.kernel)
    if collapsed > 1:
        clauses.append(f"collapse({collapsed})")
    clauses.append(f"thread_limit({kernel.prediction.launch.threads_per_block})")
    scalars = {scalar.name: scalar for scalar in evaluation.facts.nest.scalars}
    private = sorted(
        c_name(name) for name in kernel.kernel.private if name in scalars and scalars[name].scope != "body"
    )
    grid = {c_name(g.iterator) for g in kernel.kernel.grid}
    private = [name for name in private if name not in grid]
    if private:
        clauses.append(f"private({', '.join(private)})")
    for operator in sorted({r.operator for r in kernel.kernel.reductions}):
        names = sorted({c_name(r.variable) for r in kernel.kernel.reductions if r.operator == operator})
        clauses.append(f"reduction({operator}: {', '.join(names)})")
        clauses.append(f"map(tofrom: {', '.join(names)})")
    return clauses


def _collapsible(evaluation: NestEvaluation, kernel: Kernel) -> int:
    """Leading grid loops that form a rectangle: `collapse` over non-rectangular nests is not supported everywhere."""
    loops = {loop.id: loop for loop in loops_of(evaluation.facts.nest)}
    iterators: set[str] = set()
    count = 0
    for grid in kernel.grid:
        loop: Loop = loops[grid.loop]
        bounds = set().union(*(limit.symbols for limit in loop.limits))
        if loop.start is not None:
            bounds |= loop.start.symbols
        if bounds & iterators:
            break
        iterators.add(loop.iterator)
        count += 1
    return count


def _map_clauses(evaluation: NestEvaluation) -> list[str]:
    facts = evaluation.facts
    accesses = accesses_of(facts.nest)
    by_direction: dict[str, list[str]] = {"to": [], "from": [], "tofrom": [], "alloc": []}
    for transfer in facts.transfers:
        array = facts.nest.array(transfer.array)
        if array.scope == "body":
            continue
        section = map_section(facts.nest, array, [a for a in accesses.values() if a.array == array.name])
        moved_in = transfer.in_bytes.evaluate(dict(evaluation.sizes)) > 0
        moved_out = transfer.out_bytes.evaluate(dict(evaluation.sizes)) > 0
        if moved_in and moved_out:
            by_direction["tofrom"].append(section)
        elif moved_in:
            by_direction["to"].append(section)
        else:
            by_direction["from" if moved_out else "alloc"].append(section)
    return [f"map({kind}: {', '.join(sections)})" for kind, sections in by_direction.items() if sections]
