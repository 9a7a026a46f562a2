"""All facts of a nest, in order: the one entry of this layer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.pointers.circulating_pointers import circulating_objects
from warplens.analysis.dependence.subscripts.wrapping import wrapping_assumptions
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.nest_facts import AccessFacts, ArrayTransfer, GridLoop, Kernel, NestFacts
from warplens.analysis.facts.program import Branch, Region, ThreadLoop
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, DerivedSymbol, Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.symbol import told_in_quotes
from warplens.analysis.workload.accesses.access_facts import access_facts
from warplens.analysis.workload.accesses.array_transfers import footprints
from warplens.analysis.workload.accesses.data_steps import BoundedStep, data_steps
from warplens.analysis.workload.accesses.known_part import lasting_scalars
from warplens.analysis.workload.accesses.rows_in_memory import row_assumptions, with_rows_in_memory
from warplens.analysis.workload.accesses.sites import AccessSite, access_sites
from warplens.analysis.workload.accesses.size_hints import size_hints, zero_hints
from warplens.analysis.workload.instructions.arithmetic_intensity import arithmetic_intensity, innermost_blocks
from warplens.analysis.workload.kernels.kernels import KernelPlan, plan_kernels, thread_order
from warplens.analysis.workload.loops.derived_symbols import derived_formulas
from warplens.analysis.workload.loops.trip_count import trip_count_formulas, trip_counts
from warplens.analysis.workload.registers.own_arrays import own_memory, unrolled_loops
from warplens.analysis.workload.registers.register_pressure import liveness, loop_depth
from warplens.analysis.workload.thread_program.frozen_program import finish
from warplens.analysis.workload.thread_program.thread_program import ThreadContext, draft_thread
from warplens.analysis.workload.thread_program.variation import mark_variation
from warplens.analysis.workload.thread_program.whole_unrolling import unroll_whole


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
    names = frozenset(nest.parameters) | frozenset(symbol.name for symbol in nest.derived)
    in_body = tuple(array for array in nest.arrays if array.scope == "body")
    draft = draft_thread((nest.root,), ThreadContext((), "", trips, derived))
    sequential = finish(draft.regions)
    groups = circulating_objects(nest)
    circulating = frozenset[str]().union(*groups)
    moved = footprints(nest, trips, groups)
    plans = plan_kernels(nest.root, {verdict.loop: verdict for verdict in verdicts}, trips)
    chosen_in = {a.name: a.chosen_in for a in nest.arrays if a.chosen_in is not None and a.name not in circulating}
    touched = {t.array: t.in_bytes.at_least(t.out_bytes) for t in moved.transfers if t.array not in chosen_in}
    laid_out = with_rows_in_memory(sites)
    kernels = tuple(_kernel(plan, laid_out, trips, derived, in_body, names, touched, chosen_in) for plan in plans)
    accesses = access_facts(laid_out, sequential, _of_thread(in_body, ()), names, chosen_in=chosen_in)
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
        *row_assumptions(sites, laid_out),
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
        assumptions=tuple(sorted(assumptions, key=_order)),
        zero_hints=zero_hints(nest, sites),
    )


def _subject(text: str) -> str:
    """The first name that a sentence quotes."""
    return text.split("`")[1] if text.count("`") > 1 else ""


def _of_thread(in_body: tuple[ArrayObject, ...], around: tuple[Loop, ...]) -> frozenset[str]:
    """Arrays declared in the body that a thread holds itself.

    Not those that a loop around the kernel declares, and not what is behind a pointer that a call gave.
    """
    outside = {loop.id for loop in around}
    return frozenset(a.name for a in in_body if not a.is_pointer and a.declared_in not in outside)


def _kernel(
    plan: KernelPlan,
    sites: tuple[AccessSite, ...],
    trips: Mapping[NodeId, Formula],
    derived: Mapping[str, Formula],
    in_body: tuple[ArrayObject, ...],
    names: frozenset[str],
    touched: Mapping[str, Formula],
    chosen_in: Mapping[str, NodeId],
) -> Kernel:
    inside = tuple(s for s in sites if any(loop.id == plan.root.id for loop in s.loops))
    order = thread_order(plan.grid, inside)
    x = next(loop.iterator for loop in plan.grid if loop.id == order[0])
    atomics = frozenset(r.statement for r in plan.reductions if r.is_array_element and r.operator != "store")
    context = ThreadContext((*plan.around, *plan.grid), x, trips, derived, atomics)
    pointers = {array.name for array in in_body if array.is_pointer}
    private = {*plan.private, *_of_thread(in_body, plan.around)} - pointers
    draft = draft_thread(plan.thread_body, context)
    accesses = {site.access.id: site.access for site in inside}
    loops = {loop.id: loop for site in inside for loop in site.loops}
    unrolled = unroll_whole(draft, loops)
    copies = mark_variation(draft, plan.grid, order[0], accesses, private, loops)
    program = finish(draft.regions, draft.same)
    live = liveness(draft.regions, draft.same, len(plan.grid) + loop_depth(draft.regions), order, copies)
    accesses_of = access_facts(inside, program, private, names, order, touched, chosen_in)
    own, in_local = own_memory(accesses_of, {array.name: array for array in in_body}, unrolled_loops(draft.regions))
    return Kernel(
        root=plan.root.id,
        launches=plan.launches,
        grid=tuple(
            GridLoop(loop.id, loop.iterator, trips[loop.id], loop.start or Polynomial(()), loop.step)
            for loop in plan.grid
        ),
        thread_order=order,
        program=program,
        accesses=accesses_of,
        private=plan.private,
        reductions=plan.reductions,
        register_pressure=live.pressure,
        live_values=live.live_values,
        arithmetic_intensity=arithmetic_intensity(innermost_blocks(program)),
        assumptions=tuple(sorted({*plan.assumptions, *draft.assumptions, *unrolled, *in_local}, key=_order)),
        live_by_axes=live.by_axes,
        live_together_by_axes=live.together_by_axes,
        live_hoisted_by_axes=live.hoisted_by_axes,
        own=own,
        carried_updates=live.updates,
    )


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


def _order(assumption: Assumption) -> tuple[str, str, str]:
    return assumption.kind, assumption.subject, assumption.text
