"""All facts of a nest, in order: the one entry of this layer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.pointers.circulating_pointers import circulating_objects
from warplens.analysis.dependence.subscripts.wrapping import wrapping_assumptions
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.nest_facts import AccessFacts, ArrayTransfer, Kernel, NestFacts
from warplens.analysis.facts.program import Branch, Region, ThreadLoop
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import ScalarRef, walk
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import DerivedSymbol, LoopNest
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.symbol import told_in_quotes
from warplens.analysis.workload.accesses.access_facts import access_facts
from warplens.analysis.workload.accesses.array_transfers import footprints
from warplens.analysis.workload.accesses.data_steps import BoundedStep, data_steps
from warplens.analysis.workload.accesses.known_part import lasting_scalars
from warplens.analysis.workload.accesses.rows_in_memory import row_assumptions
from warplens.analysis.workload.accesses.sites import access_sites
from warplens.analysis.workload.accesses.size_hints import size_hints, zero_hints
from warplens.analysis.workload.kernel_of_plan import PlannedNest, by_kind, of_thread
from warplens.analysis.workload.kernels.kernels import plan_kernels
from warplens.analysis.workload.loops.derived_symbols import derived_formulas
from warplens.analysis.workload.loops.trip_count import trip_count_formulas, trip_counts
from warplens.analysis.workload.thread_program.frozen_program import finish
from warplens.analysis.workload.thread_program.thread_program import ThreadContext, draft_thread


def analyse_nest(nest: LoopNest, promises: tuple[Promise, ...] = ()) -> NestFacts:
    """Everything that holds for the nest on any machine; the same nest gives the same facts. Never raises.

    `promises` are what the user says of functions that are not in sight and of the values in arrays of subscripts.
    """
    budget = NestBudget()
    nest = delinearise(nest, budget)
    return nest_facts(nest, loop_verdicts(nest, promises, budget))


def nest_facts(nest: LoopNest, verdicts: tuple[LoopVerdict, ...]) -> NestFacts:
    """Facts of a delinearised nest whose verdicts are known."""
    counts = trip_counts(nest)
    trips = trip_count_formulas(counts)
    derived = derived_formulas(nest)
    sites = access_sites(nest)
    nest = replace(nest, parameters=tuple(sorted({*nest.parameters, *lasting_scalars(sites)})))
    draft = draft_thread((nest.root,), ThreadContext((), "", trips, derived))
    sequential = finish(draft.regions)
    groups = circulating_objects(nest)
    circulating = frozenset[str]().union(*groups)
    moved = footprints(nest, trips, groups)
    plans = plan_kernels(nest.root, {verdict.loop: verdict for verdict in verdicts}, trips)
    planned = PlannedNest.of(nest, sites, trips, derived, moved.transfers, circulating)
    kernels = tuple(planned.kernel(plan) for plan in plans)
    own = of_thread(planned.in_body, ())
    accesses = access_facts(planned.sites, sequential, own, planned.names, chosen_in=planned.chosen_in)
    steps = data_steps((facts for kernel in kernels for facts in kernel.accesses), sites, trips, derived)
    nest = replace(
        nest, derived=(*nest.derived, *(DerivedSymbol(step.symbol, step.most, step.symbol) for step in steps))
    )
    assumptions = {
        *(a for count in counts for a in count.assumptions),
        *(a for verdict in verdicts for a in verdict.assumptions),
        *(a for kernel in kernels for a in kernel.assumptions),
        *moved.assumptions,
        *draft.assumptions,
        *wrapping_assumptions(nest.root),
        *row_assumptions(sites, planned.sites),
        *(step.assumption for step in steps),
        *(
            Assumption("context", _subject(text), f"{text.rstrip('.')}.", origin="inferred")
            for text in map(told_in_quotes, (*nest.inexact, *nest.too_large))
        ),
    }
    return NestFacts(
        nest=nest,
        verdicts=verdicts,
        trip_counts=counts,
        sequential=sequential,
        sequential_accesses=accesses,
        kernels=kernels,
        transfers=moved.transfers,
        footprint_bytes=moved.total_bytes,
        parameters=_parameters(nest, trips, kernels, accesses, moved.transfers, moved.total_bytes, steps, derived),
        size_hints=size_hints(sites, frozenset(nest.parameters)),
        assumptions=tuple(sorted(assumptions, key=by_kind)),
        zero_hints=zero_hints(nest, sites),
        restricted=tuple(filter(None, map(planned.restricted, plans, kernels))),
    )


def _subject(text: str) -> str:
    """The first name that a sentence quotes."""
    return text.split("`")[1] if text.count("`") > 1 else ""


def _parameters(
    nest: LoopNest,
    trips: Mapping[NodeId, Formula],
    kernels: tuple[Kernel, ...],
    accesses: tuple[AccessFacts, ...],
    transfers: tuple[ArrayTransfer, ...],
    footprint: Formula,
    steps: tuple[BoundedStep, ...],
    derived: Mapping[str, Formula],
) -> tuple[str, ...]:
    """Every name that evaluating a formula, a stride, a subscript or an extent of these facts needs."""
    names: set[str] = set(footprint.parameters)
    for formula in (*trips.values(), *(step.most for step in steps)):
        names |= formula.parameters
    for transfer in transfers:
        names |= transfer.in_bytes.parameters | transfer.out_bytes.parameters
    for kernel in kernels:
        names |= kernel.launches.parameters | _program_parameters(kernel.program)
    known = {*nest.parameters, *(symbol.name for symbol in nest.derived)}
    for fact in accesses:
        polynomials = (*fact.access.indices, *fact.access.extents, *(stride for _, stride in fact.stride_bytes))
        names.update(name for p in polynomials if p is not None for name in p.symbols if name in known)
    for index in (fact.computed for kernel in kernels for fact in kernel.accesses if fact.computed is not None):
        parts = (part for e in (*index.subscripts, *(value for _, value in index.values)) for part in walk(e))
        names.update(part.name for part in parts if isinstance(part, ScalarRef) and part.name in known)
    for name in sorted(names & derived.keys()):
        names |= derived[name].parameters
    return tuple(sorted(names - derived.keys()))


def _program_parameters(program: Iterable[Region]) -> frozenset[str]:
    names: frozenset[str] = frozenset()
    for region in program:
        if isinstance(region, ThreadLoop):
            names |= region.trip_count.parameters | _program_parameters(region.body)
        elif isinstance(region, Branch):
            names |= _program_parameters(region.then) | _program_parameters(region.otherwise)
    return names
