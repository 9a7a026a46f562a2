"""A kernel at one problem size: the same value with numbers for formulas, for what is evaluated again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.accesses.access_facts import accesses_at
from warplens.analysis.workload.accesses.nearly_affine import nearly_affine


def kernel_at(kernel: Kernel, sizes: Mapping[str, int]) -> Kernel:
    """Replace each formula by its value and each parameter in subscripts, extents and strides by its own.

    What needs a symbol that has no value stays. A count that divides by zero, or is negative, is 0: a loop by such a
    size has no iteration.
    """
    grid = tuple(
        replace(loop, trip_count=_count(loop.trip_count, sizes), start=loop.start.partial(sizes))
        for loop in kernel.grid
    )
    program = _program(kernel.program, sizes)
    trips = _trips(program) | {loop.loop: float(loop.trip_count.value or 0) for loop in grid}
    accesses = (
        nearly_affine(_access_facts(facts, sizes), sizes, grid, trips)
        for facts in accesses_at(kernel.accesses, kernel.program, sizes)
    )
    return replace(
        kernel,
        launches=_count(kernel.launches, sizes),
        grid=grid,
        program=program,
        accesses=tuple(accesses),
        own=replace(kernel.own, loads=_count(kernel.own.loads, sizes), stores=_count(kernel.own.stores, sizes)),
    )


def _trips(program: tuple[Region, ...]) -> dict[NodeId, float]:
    """Iterations of the loops whose number is known."""
    trips: dict[NodeId, float] = {}
    todo = [*program]
    while todo:
        match todo.pop():
            case ThreadLoop(loop=loop, trip_count=count, body=body):
                trips[loop] = float(count.value or 0)
                todo += body
            case Branch(then=then, otherwise=otherwise):
                todo += (*then, *otherwise)
            case BasicBlock():
                pass
    return trips


def _count(formula: Formula, sizes: Mapping[str, int]) -> Formula:
    try:
        return Formula(value=max(Fraction(0), formula.evaluate(sizes)))
    except KeyError:
        return formula
    except ZeroDivisionError:
        return Formula(value=Fraction(0))


def _optional(polynomial: Polynomial | None, sizes: Mapping[str, int]) -> Polynomial | None:
    return None if polynomial is None else polynomial.partial(sizes)


def _program(program: tuple[Region, ...], sizes: Mapping[str, int]) -> tuple[Region, ...]:
    regions: list[Region] = []
    for region in program:
        match region:
            case BasicBlock():
                regions.append(region)
            case ThreadLoop():
                trips = _count(region.trip_count, sizes)
                regions.append(replace(region, trip_count=trips, body=_program(region.body, sizes)))
            case Branch():
                then, otherwise = _program(region.then, sizes), _program(region.otherwise, sizes)
                share = region.share_at(sizes)
                warps = region.warp_shares
                if region.in_warps is not None:
                    warps = region.in_warps.in_warps_at(sizes, float(share))
                known = replace(region, then_share=share, counted=None, in_warps=None, warp_shares=warps)
                regions.append(replace(known, then=then, otherwise=otherwise))
    return tuple(regions)


def _access_facts(facts: AccessFacts, sizes: Mapping[str, int]) -> AccessFacts:
    access, counted = _access(facts.access, sizes), facts.counted
    if counted is not None:
        # Mostly it has the subscripts that are written.
        is_alike = (counted.indices, counted.extents) == (facts.access.indices, facts.access.extents)
        known = access if is_alike else _access(counted, sizes)
        counted = replace(counted, indices=known.indices, extents=known.extents)
    return replace(
        facts,
        access=access,
        counted=counted,
        stride_bytes=tuple((loop, _optional(stride, sizes)) for loop, stride in facts.stride_bytes),
        executions_per_thread=_count(facts.executions_per_thread, sizes),
        array_bytes=None if facts.array_bytes is None else _count(facts.array_bytes, sizes),
    )


def _access(access: Access, sizes: Mapping[str, int]) -> Access:
    return replace(
        access,
        indices=tuple(_optional(index, sizes) for index in access.indices),
        extents=tuple(_optional(extent, sizes) for extent in access.extents),
    )
