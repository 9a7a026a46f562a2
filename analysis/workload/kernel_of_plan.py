"""A kernel out of its plan: the thread's program, its registers, and how its accesses walk through memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from warplens.analysis.facts.mapping import Team
from warplens.analysis.facts.nest_facts import ArrayTransfer, GridLoop, Kernel
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.counted_loops import counts_from_its_start
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.accesses.access_facts import access_facts
from warplens.analysis.workload.accesses.computed_indices import ComputedValues, computed_values
from warplens.analysis.workload.accesses.rows_in_memory import with_rows_in_memory
from warplens.analysis.workload.accesses.sites import AccessSite
from warplens.analysis.workload.instructions.arithmetic_intensity import arithmetic_intensity, innermost_blocks
from warplens.analysis.workload.kernels.kernels import KernelPlan, thread_order
from warplens.analysis.workload.kernels.steps_together import apart_loops
from warplens.analysis.workload.registers.own_arrays import own_memory, unrolled_loops
from warplens.analysis.workload.registers.register_pressure import liveness, loop_depth
from warplens.analysis.workload.thread_program.frozen_program import DeviceCode, finish
from warplens.analysis.workload.thread_program.shared_addresses import shared_addresses
from warplens.analysis.workload.thread_program.store_order import StoreOrder
from warplens.analysis.workload.thread_program.thread_program import ThreadContext, draft_thread
from warplens.analysis.workload.thread_program.told_apart import ToldApart
from warplens.analysis.workload.thread_program.uneven_loops import mark_uneven
from warplens.analysis.workload.thread_program.variation import mark_variation
from warplens.analysis.workload.thread_program.whole_unrolling import unroll_whole


@dataclass(frozen=True, slots=True)
class PlannedNest:
    """What the kernels of a nest have in common.

    `sites` are its accesses as they lie in memory, `touched` the bytes that it touches of an array, `chosen_in` the
    loops in which pointers are chosen, both by array; `names` are symbols that are constant in the nest. `are_apart`:
    its kernels are ours, which declare every pointer `restrict`.
    """

    sites: tuple[AccessSite, ...]
    trips: Mapping[NodeId, Formula]
    derived: Mapping[str, Formula]
    in_body: tuple[ArrayObject, ...]
    names: frozenset[str]
    touched: Mapping[str, Formula]
    chosen_in: Mapping[str, NodeId]
    objects: Mapping[str, ArrayObject]
    are_apart: bool = False

    @classmethod
    def of(
        cls,
        nest: LoopNest,
        sites: tuple[AccessSite, ...],
        trips: Mapping[NodeId, Formula],
        derived: Mapping[str, Formula],
        transfers: tuple[ArrayTransfer, ...],
        circulating: frozenset[str],
        *,
        are_apart: bool = False,
    ) -> PlannedNest:
        """Of a delinearised nest; `circulating` are arrays whose pointers exchange them."""
        names = frozenset(nest.parameters) | frozenset(symbol.name for symbol in nest.derived)
        in_body = tuple(array for array in nest.arrays if array.scope == "body")
        chosen = {a.name: a.chosen_in for a in nest.arrays if a.chosen_in is not None and a.name not in circulating}
        touched = {t.array: t.in_bytes.at_least(t.out_bytes) for t in transfers if t.array not in chosen}
        objects = {array.name: array for array in nest.arrays}
        return cls(with_rows_in_memory(sites), trips, derived, in_body, names, touched, chosen, objects, are_apart)

    def restricted(self, plan: KernelPlan, kernel: Kernel) -> Kernel | None:
        """The kernel of a plan if every pointer was `restrict`; None where that leaves its code as it is."""
        arrays = {facts.access.array for facts in kernel.accesses}
        own = {facts.access.array for facts in kernel.accesses if facts.is_private}
        stored = frozenset(facts.access.array for facts in kernel.accesses if facts.is_write)
        if not ToldApart(self.objects, stored, frozenset(own), self.are_apart).is_open(arrays):
            return None
        found = replace(self, are_apart=True).kernel(plan)
        return None if found.program == kernel.program else found

    def kernel(self, plan: KernelPlan, team: Team | None = None) -> Kernel:
        """The kernel of a plan; with a `team` its lanes are the threads along x."""
        inside = tuple(s for s in self.sites if any(loop.id == plan.root.id for loop in s.loops))
        order = _order_of(plan, inside, team)
        x = next(loop.iterator for loop in plan.grid if loop.id == order[0])
        atomics = frozenset(r.statement for r in plan.reductions if r.is_array_element and r.operator != "store")
        pointers = {array.name for array in self.in_body if array.is_pointer}
        private = {*plan.private, *of_thread(self.in_body, plan.around)} - pointers
        stored = frozenset(site.access.array for site in inside if site.is_write)
        apart = ToldApart(self.objects, stored, frozenset(private), self.are_apart)
        computed = _computed(inside, private)
        context = ThreadContext(
            (*plan.around, *plan.grid), x, self.trips, self.derived, atomics, apart, computed.conditions
        )
        draft = draft_thread(plan.thread_body, context)
        accesses = {site.access.id: site.access for site in inside}
        loops = {loop.id: loop for site in inside for loop in site.loops}
        unrolled = unroll_whole(draft, loops)
        copies = mark_variation(draft, plan.grid, order[0], accesses, private, loops)
        mark_uneven(draft.regions, draft.joined)
        stores = StoreOrder.of(plan.thread_body, accesses, loops, apart)
        shared = shared_addresses(draft.regions, draft.addresses, loops)
        program = finish(draft.regions, DeviceCode(draft.same, stores, shared))
        live = liveness(draft.regions, draft.same, len(plan.grid) + loop_depth(draft.regions), order, copies)
        accesses_of = access_facts(
            inside, program, private, self.names, order, self.touched, self.chosen_in, computed.indices
        )
        arrays = {array.name: array for array in self.in_body}
        own, in_local = own_memory(accesses_of, arrays, unrolled_loops(draft.regions))
        assumptions = {*plan.assumptions, *draft.assumptions, *unrolled, *in_local}
        return Kernel(
            root=plan.root.id,
            launches=plan.launches,
            grid=tuple(
                GridLoop(
                    loop.id,
                    loop.iterator,
                    self.trips[loop.id],
                    loop.start or Polynomial(()),
                    loop.step,
                    _is_uneven(loop, plan),
                    counts_from_its_start(loop, {other.iterator for other in plan.grid}),
                )
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
            assumptions=tuple(sorted(assumptions, key=by_kind)),
            live_by_axes=live.by_axes,
            live_together_by_axes=live.together_by_axes,
            live_hoisted_by_axes=live.hoisted_by_axes,
            own=own,
            carried_updates=live.updates,
            team=team,
            apart=apart_loops(plan.root, plan.grid),
        )


def _computed(sites: tuple[AccessSite, ...], private: Collection[str]) -> ComputedValues:
    wanted = [s.access.id for s in sites if None in s.access.indices and s.access.array not in private]
    roots = tuple({site.loops[0].id: site.loops[0] for site in sites if site.loops}.values())
    return computed_values(roots, wanted, private)


def _is_uneven(loop: Loop, plan: KernelPlan) -> bool:
    """Whether the other loops of the grid, or data, decide where a loop starts and how often it runs."""
    if loop.start is None or loop.limit_reads or not loop.limits:
        return True
    iterators = {other.iterator for other in plan.grid}
    return any(symbol in iterators for bound in (loop.start, *loop.limits) for symbol in bound.symbols)


def by_kind(assumption: Assumption) -> tuple[str, str, str]:
    """The order in which assumptions are listed."""
    return assumption.kind, assumption.subject, assumption.text


def of_thread(in_body: tuple[ArrayObject, ...], around: tuple[Loop, ...]) -> frozenset[str]:
    """Arrays declared in the body that a thread holds itself.

    Not those that a loop around the kernel declares, and not what is behind a pointer that a call gave.
    """
    outside = {loop.id for loop in around}
    return frozenset(a.name for a in in_body if not a.is_pointer and a.declared_in not in outside)


def _order_of(plan: KernelPlan, sites: tuple[AccessSite, ...], team: Team | None) -> tuple[NodeId, ...]:
    """Grid loops as x, y, z: the lanes of a team are threads in a row."""
    if team is None:
        return thread_order(plan.grid, sites)
    rows = tuple(loop for loop in plan.grid if loop.id != team.lanes)
    return (team.lanes, *(loop.id for loop in reversed(rows)))
