"""Every access of a piece of program with its strides and how often a thread makes it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from warplens.analysis.facts.computed_index import ComputedIndex
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop
from warplens.analysis.ir.formula import ONE, ZERO, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.accesses.counted_access import CountedAccess, counted_access
from warplens.analysis.workload.accesses.known_part import changed_values
from warplens.analysis.workload.accesses.sites import AccessSite
from warplens.analysis.workload.accesses.stride import is_gathered

EMPTY: Mapping[str, Formula] = MappingProxyType({})


def access_facts(
    sites: Sequence[AccessSite],
    program: tuple[Region, ...],
    private: Collection[str],
    parameters: Collection[str],
    grid: Collection[NodeId] = (),
    array_bytes: Mapping[str, Formula] = EMPTY,
    chosen_in: Mapping[str, NodeId] = MappingProxyType({}),
    computed: Mapping[NodeId, ComputedIndex] = MappingProxyType({}),
) -> tuple[AccessFacts, ...]:
    """Facts of each site, in execution order; an access that the program serves from a register has no executions.

    With `grid` loops they are those of threads in step: strides are between the same iterations of the loops inside.
    `chosen_in` are objects that are other memory in other iterations of a loop: there is no distance between those.
    `computed` are subscripts that are no polynomials and are made of iterators, sizes and data.
    """
    executions = executions_by_access(program)
    changed = changed_values(sites)
    facts: list[AccessFacts] = []
    for site in sites:
        access = site.access
        counted = counted_access(access, site.loops, grid, parameters, changed)
        is_scattered = _is_scattered(counted, grid) if grid else is_gathered(access)
        elsewhere = _loops_that_choose(site, chosen_in.get(access.array))
        facts.append(
            AccessFacts(
                access=access,
                is_read=site.is_read,
                is_write=site.is_write,
                loops=tuple(loop.id for loop in site.loops),
                stride_bytes=tuple(
                    (loop, None if loop in elsewhere else stride) for loop, stride in counted.stride_bytes
                ),
                executions_per_thread=executions.get(access.id, ZERO),
                is_gathered=is_scattered or not elsewhere.isdisjoint(grid),
                is_private=access.array in private,
                counted=counted.access if grid or counted.unknown else None,
                array_bytes=array_bytes.get(access.array),
                unknown=counted.unknown,
                steps=counted.steps,
                computed=computed.get(access.id),
            )
        )
    return tuple(facts)


def _is_scattered(counted: CountedAccess, grid: Collection[NodeId]) -> bool:
    """Whether data leads threads to addresses of which no grid loop's distance is known."""
    if any(stride is not None and stride.terms for loop, stride in counted.stride_bytes if loop in grid):
        return False
    return counted.access.linear_index is None or any(not loops.isdisjoint(grid) for _, loops in counted.unknown)


def _loops_that_choose(site: AccessSite, chosen_in: NodeId | None) -> frozenset[NodeId]:
    """Loops around an access whose iterations may lead it to other memory: the one named and those around that."""
    loops = [loop.id for loop in site.loops]
    return frozenset(loops[: loops.index(chosen_in) + 1]) if chosen_in in loops else frozenset()


def executions_by_access(
    program: tuple[Region, ...], sizes: Mapping[str, int] = MappingProxyType({}), *, per_warp: bool = False
) -> dict[NodeId, Formula]:
    """How often a thread, or a warp, makes each access; one that is read and written counts once per pair of requests.

    Branches are taken as often as at these sizes, where they have values, or else as in a large problem. A warp makes
    those of both sides where its threads disagree.
    """
    loads: dict[NodeId, Formula] = {}
    stores: dict[NodeId, Formula] = {}
    _count(program, ONE, loads, stores, sizes, per_warp=per_warp)
    return {
        access: loads[access].at_least(stores[access]) if access in loads and access in stores else formula
        for access, formula in {**loads, **stores}.items()
    }


def _count(
    regions: tuple[Region, ...],
    times: Formula,
    loads: dict[NodeId, Formula],
    stores: dict[NodeId, Formula],
    sizes: Mapping[str, int],
    *,
    per_warp: bool,
) -> None:
    for region in regions:
        match region:
            case BasicBlock():
                for instruction in region.instructions:
                    if instruction.access is not None:
                        counts = loads if instruction.op == "load" else stores
                        counts[instruction.access] = counts.get(instruction.access, ZERO) + times
            case ThreadLoop():
                _count(region.body, times * region.trip_count, loads, stores, sizes, per_warp=per_warp)
            case Branch():
                share: Fraction = region.share_at(sizes)
                shares = (share, 1 - share)
                if per_warp and region.divergent:
                    shares = (Fraction(region.warp_shares[0]), Fraction(region.warp_shares[1]))
                for side, of_side in zip((region.then, region.otherwise), shares, strict=True):
                    _count(side, times * of_side, loads, stores, sizes, per_warp=per_warp)


def accesses_at(
    accesses: tuple[AccessFacts, ...], program: tuple[Region, ...], sizes: Mapping[str, int]
) -> tuple[AccessFacts, ...]:
    """Facts of accesses of a program whose branches are taken as often as at these sizes."""
    if not _has_counted(program):
        return accesses
    executions = executions_by_access(program, sizes)
    return tuple(replace(each, executions_per_thread=executions.get(each.access.id, ZERO)) for each in accesses)


def _has_counted(program: tuple[Region, ...]) -> bool:
    todo = [*program]
    while todo:
        match todo.pop():
            case ThreadLoop(body=body):
                todo += body
            case Branch(counted=None, then=then, otherwise=otherwise):
                todo += (*then, *otherwise)
            case Branch():
                return True
            case _:
                pass
    return False
