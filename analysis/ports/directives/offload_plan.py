"""What directives for the GPU have to say of a nest, in no dialect: loops, private variables, sections, reductions.

OpenMP and OpenACC render the same plan. Only what is certain is planned: else the reason, in the source's terms.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from warplens.analysis.dependence.subscripts.iteration_domain import constant_symbols
from warplens.analysis.facts.nest_facts import ArrayTransfer, NestFacts
from warplens.analysis.ir.formula import ZERO, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, LoopNest, loops_of
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.ports.assumed_pairs import assumed_pairs
from warplens.analysis.ports.directives.c_sizes import NotInScopeError, SizeText
from warplens.analysis.ports.directives.inner_vector import inner_vector
from warplens.analysis.ports.directives.loop_bounds import bound_symbols, certainly_runs
from warplens.analysis.ports.directives.map_section import MapSection, SectionRefusedError, map_section
from warplens.analysis.ports.directives.private_copies import PrivateCopies, private_copies
from warplens.analysis.ports.directives.refusal import distributed_loops, refusal
from warplens.analysis.ports.directives.shared_updates import SharedUpdates, shared_updates
from warplens.analysis.ports.directives.team_loop import TeamLoop
from warplens.analysis.ports.guessed_grid import directive_threads
from warplens.analysis.ports.sections.hull import is_implied
from warplens.analysis.ports.sections.iterations import iteration_conditions, loops_around
from warplens.analysis.ports.sections.size_order import SizeOrder, strongest
from warplens.analysis.ports.sections.touched_elements import TouchedElement, touched_elements
from warplens.analysis.ports.sections.touched_range import HostValues
from warplens.analysis.workload.accesses.sites import access_sites
from warplens.analysis.workload.loops.derived_symbols import derived_formulas, formula_of

Direction = Literal["in", "out", "inout", "work"]
"""What a section's elements are copied for: work: for nothing, they are only used while the nest runs."""

_SAMPLES = (2, 1009, 10007)


class OffloadRefusedError(Exception):
    """There is no plan; the message says why in the source's terms."""


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A part of an array that the nest touches: its name in the nest, C text for a clause, and what is copied.

    `has_start` as of a MapSection.
    """

    array: str
    text: str
    direction: Direction
    elements: Polynomial
    has_start: bool


@dataclass(frozen=True, slots=True)
class PlannedKernel:
    """A loop that gets a directive.

    `loops` are those whose iterations it spreads over the threads, `root` first: more than one are collapsed.
    `threads` is the block size predicted best for it. `vector` is a loop inside that its thread's lanes may share
    (None: there is none). With `team_loops` each iteration of `loops` has a team of `threads`, which share those; a
    block has `workers` such teams where they are warps, as far as a language can say that.
    """

    root: NodeId
    loops: tuple[NodeId, ...]
    threads: int
    copies: PrivateCopies
    updates: SharedUpdates
    vector: NodeId | None = None
    team_loops: tuple[TeamLoop, ...] = ()
    workers: int = 1


@dataclass(frozen=True, slots=True)
class OffloadPlan:
    """All of a nest. `is_repeated`: a sequential loop runs the kernels again, the data stays on the GPU around it.

    `conditions` are C conditions, all of which must hold for the sections to be right: where one doesn't, the nest has
    next to nothing to do and belongs on the host. `host_conditions` are those without which it has anything to do there
    at all, with the host's data. `taken_for_granted` are sections that data may leave unused in part.
    `accesses` are those of the sections' arrays, each with its array.
    """

    root: NodeId
    kernels: tuple[PlannedKernel, ...]
    sections: tuple[PlannedSection, ...]
    is_repeated: bool
    conditions: tuple[str, ...]
    host_conditions: tuple[str, ...]
    taken_for_granted: tuple[str, ...]
    accesses: tuple[tuple[NodeId, str], ...]


def offload_plan(evaluation: NestEvaluation, own: Collection[str] = ()) -> OffloadPlan:
    """Plan of a nest; `own` are the arrays that nothing else in the function uses (own_arrays.py).

    Assumes: what the verdicts assume (pointers that do not overlap); sizes are not negative.
    Raises OffloadRefusedError.
    """
    facts = evaluation.facts
    nest = facts.nest
    reason = refusal(evaluation)
    if reason:
        raise OffloadRefusedError(reason)
    order = SizeOrder(nest)
    touched: dict[str, list[TouchedElement]] = {}
    for element in touched_elements(nest):
        touched.setdefault(element.access.array, []).append(element)
    try:
        kernels = tuple(_kernel(evaluation, each, touched, order, own) for each in evaluation.kernels)
        private = {name for kernel in kernels for name in kernel.copies.arrays}
        sections, granted = _sections(facts, touched, order, own, private)
        sizes = SizeText(nest)
        needed = sorted(strongest(order.conditions), key=lambda condition: _first_use(nest, condition))
        conditions = {sizes.condition(each): each for each in needed}
    except SectionRefusedError as error:
        raise OffloadRefusedError(str(error)) from error
    except NotInScopeError as error:
        raise OffloadRefusedError(f"the sections depend on `{error}`: copy it to a variable above the loop") from error
    named = {section.array for section in sections}
    return OffloadPlan(
        root=nest.root.id,
        kernels=kernels,
        sections=sections,
        is_repeated=any(kernel.root != nest.root.id for kernel in kernels),
        conditions=tuple(conditions),
        host_conditions=tuple(text for text, each in conditions.items() if not _is_idle_without(nest, kernels, each)),
        taken_for_granted=granted,
        accesses=tuple((e.access.id, array) for array in touched for e in touched[array] if array in named),
    )


def _kernel(
    evaluation: NestEvaluation,
    evaluated: KernelEvaluation,
    touched: dict[str, list[TouchedElement]],
    order: SizeOrder,
    own: Collection[str],
) -> PlannedKernel:
    facts, kernel = evaluation.facts, evaluated.kernel
    loops = distributed_loops(facts, kernel)
    copies = private_copies(facts, kernel, loops, own)
    updates = shared_updates(facts, kernel, touched, order)
    reason = copies.refusal or updates.refusal
    if reason:
        raise OffloadRefusedError(reason)
    return PlannedKernel(
        kernel.root,
        tuple(loop.id for loop in loops),
        directive_threads(evaluation, evaluated),
        copies,
        updates,
        inner_vector(facts, kernel, loops),
    )


def _first_use(nest: LoopNest, condition: Polynomial) -> int:
    """Which loop of the nest, in the order of the source, has one of the condition's names in its bounds."""
    bounds = [bound_symbols(loop) for loop in loops_of(nest)]
    return next((at for at, names in enumerate(bounds) if names & condition.symbols), len(bounds))


def _is_idle_without(nest: LoopNest, kernels: Sequence[PlannedKernel], condition: Polynomial) -> bool:
    """Whether no kernel has an iteration unless the condition (>= 0) holds."""
    known = constant_symbols(nest)
    every = [
        iteration_conditions(loops_around(nest, kernel.root, kernel.loops), known, HostValues()) for kernel in kernels
    ]
    return all(is_implied(condition, needed) for needed in every)


def _sections(
    facts: NestFacts,
    touched: dict[str, list[TouchedElement]],
    order: SizeOrder,
    own: Collection[str],
    private: Collection[str],
) -> tuple[tuple[PlannedSection, ...], tuple[str, ...]]:
    in_kernels = {access.access.array for kernel in facts.kernels for access in kernel.accesses}
    found: list[PlannedSection] = []
    granted: list[str] = []
    for transfer in facts.transfers:
        array = facts.nest.array(transfer.array)
        if array.name not in in_kernels or array.name in private:
            continue
        section = map_section(facts.nest, array, touched[array.name], order)
        if section is None:
            continue
        direction: Direction = "work" if array.name in own else _direction(facts, array, transfer, section)
        found.append(PlannedSection(array.name, section.text, direction, section.elements, section.has_start))
        if section.is_taken_for_granted:
            granted.append(section.text)
    return tuple(_both_ways(facts, found)), tuple(granted)


def _both_ways(facts: NestFacts, sections: Sequence[PlannedSection]) -> Iterator[PlannedSection]:
    """Sections that may be one memory are copied in and out where calls that pass it twice leave the loops parallel.

    With `map(to: x) map(from: o)` memory that is both would be allocated once and copied one way or the other. It may
    be both where iterations use the same elements of the two, as in `o[i] = s * x[i]`.
    """
    directions = {c_name(section.array): section.direction for section in sections}
    constant = {c_name(array.name) for array in facts.nest.arrays if array.is_const}
    pairs = [
        pair
        for pair in assumed_pairs(facts)
        if len(pair) == 2 and set(pair) <= directions.keys() and constant.isdisjoint(pair)
    ]
    elements: dict[str, set[tuple[Polynomial | None, ...]]] = {}
    for site in access_sites(facts.nest):
        elements.setdefault(c_name(site.access.array), set()).add(site.access.indices)
    changed: set[str] = set()
    for pair in pairs:
        used = elements[pair[0]] | elements[pair[1]]
        if {directions[name] for name in pair} != {"in"} and len(used) == 1 and None not in next(iter(used)):
            changed.update(pair)
    for section in sections:
        is_changed = c_name(section.array) in changed and section.direction != "work"
        yield replace(section, direction="inout") if is_changed else section


def _direction(facts: NestFacts, array: ArrayObject, transfer: ArrayTransfer, section: MapSection) -> Direction:
    """`out` only where the nest certainly writes the whole section: what it left out would come back undefined."""
    if transfer.out_bytes == ZERO:
        return "in"
    whole = formula_of(section.elements * array.element_bytes, derived_formulas(facts.nest))
    if transfer.in_bytes != ZERO or not _is_same(whole, transfer.out_bytes):
        return "inout"
    for site in access_sites(facts.nest):
        if site.access.array != array.name:
            continue
        if site.access.conditions:
            return "inout"
        if site.is_write:
            moving = {name for index in site.access.indices if index is not None for name in index.symbols}
            if any(loop.iterator not in moving and not certainly_runs(loop) for loop in site.loops):
                return "inout"
    return "out"


def _is_same(left: Formula, right: Formula) -> bool:
    """Whether two formulas agree at points that tell polynomials and their clamps apart."""
    names = sorted(left.parameters | right.parameters)
    return all(
        left.evaluate(values) == right.evaluate(values)
        for sample in _SAMPLES
        for order in (1, -1)
        for values in [{name: sample + 3 * at for at, name in enumerate(names[::order])}]
    )
