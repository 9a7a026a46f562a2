"""The OpenMP port of a nest: which pragma goes above which loop.

Only what is certain is written: a nest whose arrays' sizes can't be named in C, or that needs atomics, is refused with
the reason.

Source: OpenMP 5.0, 2.13.11 (combined target constructs), 2.19.7.1 (map clause).
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.facts.nest_facts import ArrayTransfer, Kernel, NestFacts
from warplens.analysis.facts.sites import access_sites
from warplens.analysis.ir.formula import ZERO, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Loop, NestSpans
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.ports.directives.canonical_header import is_canonical
from warplens.analysis.ports.directives.map_section import MapSection, SectionRefusedError, map_section
from warplens.analysis.ports.directives.pointer_names import other_pointer
from warplens.analysis.ports.directives.refusal import distributed_loops, is_inside, refusal

_SAMPLES = (2, 1009, 10007)


@dataclass(frozen=True, slots=True)
class PragmaLine:
    """A line to insert above the header of `loop`, without indentation and line end.

    `associated` are the loops whose headers the directive reads: one, or as many as are collapsed.
    """

    loop: NodeId
    text: str
    associated: tuple[NodeId, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenMpPort:
    """Lines to insert, outermost first; or why there are none, in the source's terms."""

    lines: tuple[PragmaLine, ...]
    refusal: str = ""
    mapped: tuple[tuple[NodeId, str], ...] = ()
    """Accesses of the mapped arrays, each with its array."""


def openmp_target(evaluation: NestEvaluation) -> OpenMpPort:
    """`#pragma omp target teams distribute parallel for` with its clauses, for every kernel of the nest.

    Kernels inside a sequential loop get a `target data` region around the nest, so that the arrays are copied once.
    Assumes: what the verdicts assume (pointers that do not overlap); every loop runs at least once.
    """
    facts = evaluation.facts
    reason = refusal(evaluation)
    if reason:
        return OpenMpPort((), reason)
    try:
        maps = _map_clauses(facts)
    except SectionRefusedError as error:
        return OpenMpPort((), str(error))
    lines: list[PragmaLine] = []
    root = facts.nest.root.id
    is_inner = any(kernel.kernel.root != root for kernel in evaluation.kernels)
    if is_inner:
        lines.append(PragmaLine(root, " ".join(("#pragma omp target data", *maps))))
    for kernel in evaluation.kernels:
        clauses = (*_kernel_clauses(facts, kernel), *(() if is_inner else maps))
        text = " ".join(("#pragma omp target teams distribute parallel for", *clauses))
        associated = tuple(loop.id for loop in distributed_loops(facts.nest, kernel.kernel))
        lines.append(PragmaLine(kernel.kernel.root, text, associated))
    sites = access_sites(facts.nest)
    mapped = tuple((s.access.id, s.access.array) for s in sites if facts.nest.array(s.access.array).scope != "body")
    return OpenMpPort(tuple(lines), mapped=mapped)


def insertable(port: OpenMpPort, spans: NestSpans, source: str) -> OpenMpPort:
    """The port if its lines can be put into this source, else a refusal.

    Refused: loops from macros, headers that OpenMP rejects, pointers that the map clauses would not make valid.
    """
    headers = dict(spans.header)
    for line in port.lines:
        for loop in (line.loop, *line.associated):
            if loop not in headers or loop in spans.in_macro:
                return OpenMpPort(
                    (), "a loop comes from a macro: a line above the use of the macro may not be above the loop"
                )
            span = headers[loop].shifted(spans.base)
            header = source[span.start : span.end]
            if not header.startswith(("for", "while", "do")):
                return OpenMpPort((), f"the loop stands in the function that `{header}` calls")
            if loop in line.associated and not is_canonical(header):
                return OpenMpPort((), f"`{header}` is not of the form that OpenMP wants: `for (i = a; i < b; i += c)`")
        pointer = other_pointer(port.mapped, line.loop, spans, source)
        if pointer:
            return OpenMpPort(
                (), f"`{pointer}` points into another array, which the device would not know: use its name"
            )
    return port


def _kernel_clauses(facts: NestFacts, evaluated: KernelEvaluation) -> list[str]:
    kernel = evaluated.kernel
    clauses: list[str] = []
    loops = distributed_loops(facts.nest, kernel)
    if len(loops) > 1:
        clauses.append(f"collapse({len(loops)})")
    clauses.append(f"thread_limit({evaluated.prediction.launch.threads_per_block})")
    private = _private(facts, kernel, loops)
    if private:
        clauses.append(f"private({', '.join(private)})")
    for operator in sorted({r.operator for r in kernel.reductions}):
        names = ", ".join(sorted({c_name(r.variable) for r in kernel.reductions if r.operator == operator}))
        clauses += [f"reduction({operator}: {names})", f"map(tofrom: {names})"]
    return clauses


def _private(facts: NestFacts, kernel: Kernel, distributed: tuple[Loop, ...]) -> list[str]:
    """Scalars declared outside of the kernel of which each thread needs its own; the construct's iterators have one."""
    scalars = {scalar.name: scalar for scalar in facts.nest.scalars}
    iterators = {loop.iterator for loop in distributed}
    outside = {
        name
        for name in kernel.private
        if name in scalars and name not in iterators and not is_inside(facts.nest, kernel, scalars[name].declared_in)
    }
    return sorted(c_name(name) for name in outside)


def _map_clauses(facts: NestFacts) -> list[str]:
    sites = access_sites(facts.nest)
    in_kernels = {access.access.array for kernel in facts.kernels for access in kernel.accesses}
    directions: dict[str, list[str]] = {"to": [], "from": [], "tofrom": []}
    for transfer in facts.transfers:
        array = facts.nest.array(transfer.array)
        if array.name not in in_kernels:
            continue
        section = map_section(facts.nest, array, [s.access for s in sites if s.access.array == array.name])
        directions[_direction(facts, array, transfer, section)].append(section.text)
    return [f"map({kind}: {', '.join(sections)})" for kind, sections in directions.items() if sections]


def _direction(facts: NestFacts, array: ArrayObject, transfer: ArrayTransfer, section: MapSection) -> str:
    """`from` only where the nest certainly writes the whole section: what it left out would come back undefined."""
    if transfer.out_bytes == ZERO:
        return "to"
    whole = Formula.from_polynomial(section.elements * array.element_bytes)
    if transfer.in_bytes != ZERO or not _is_same(whole, transfer.out_bytes):
        return "tofrom"
    for site in access_sites(facts.nest):
        if site.is_write and site.access.array == array.name:
            moving = {name for index in site.access.indices if index is not None for name in index.symbols}
            if any(loop.iterator not in moving and not _certainly_runs(loop) for loop in site.loops):
                return "tofrom"
    return "from"


def _is_same(left: Formula, right: Formula) -> bool:
    """Whether two formulas agree at points that tell polynomials and their clamps apart."""
    names = sorted(left.parameters | right.parameters)
    return all(
        left.evaluate(values) == right.evaluate(values)
        for sample in _SAMPLES
        for order in (1, -1)
        for values in [{name: sample + 3 * at for at, name in enumerate(names[::order])}]
    )


def _certainly_runs(loop: Loop) -> bool:
    if len(loop.limits) != 1 or loop.start is None:
        return False
    distance = loop.limits[0] - loop.start
    return distance.is_constant and distance.constant_term * loop.step > 0
