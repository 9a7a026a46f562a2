"""The OpenMP text of a plan: which pragma goes above which loop.

Source: OpenMP 5.0, 2.13.11 (combined target constructs), 2.7 (teams), 2.9.4.1 (distribute), 2.19.7.1 (map), 2.19.5.4
(reduction), 2.19.4.5 (lastprivate).
"""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.offload_plan import Direction, OffloadPlan, PlannedKernel
from warplens.analysis.ports.directives.team_loop import TeamLoop, reduction_clauses
from warplens.analysis.ports.directives.wanted_directive import WantedDirective
from warplens.analysis.text.directive_text import Clause

KERNEL = "target teams distribute parallel for"
ROWS = "target teams distribute"
TEAM_LOOP = "parallel for"
TEAM_LANES = "parallel for simd"
DATA = "target data"
SIMD = "simd"
ATOMIC = "atomic"
ATOMIC_STORE = "atomic write"

_KINDS: dict[Direction, str] = {"in": "to", "out": "from", "inout": "tofrom", "work": "alloc"}


def openmp_directives(plan: OffloadPlan, threads: int | None = None) -> tuple[WantedDirective, ...]:
    """`#pragma omp target teams distribute parallel for` with its clauses, for every kernel of the nest, outer first.

    A kernel with a team per row has `target teams distribute` above the rows, `parallel for` above the team's loops.
    Kernels inside a sequential loop get a `target data` region around the nest, so that the arrays are copied once.
    `threads` per block are what the user wants instead of the prediction.
    """
    found: list[WantedDirective] = []
    maps = _maps(plan)
    condition = " && ".join(plan.conditions)
    if plan.is_repeated and maps:
        only = (Clause("if", "target data", (condition,)),) if condition else ()
        found.append(WantedDirective(plan.root, DATA, (*maps, *only)))
    for kernel in plan.kernels:
        only = (Clause("if", "target", (condition,)),) if condition else ()
        clauses = (*_kernel_clauses(kernel, threads), *(_there_already(plan) if plan.is_repeated else maps), *only)
        found.append(WantedDirective(kernel.root, ROWS if kernel.team_loops else KERNEL, clauses))
        found += [_team_loop(loop) for loop in kernel.team_loops]
        if kernel.vector is not None:
            found.append(WantedDirective(kernel.vector, SIMD))
        found += [WantedDirective(statement, ATOMIC) for statement in kernel.updates.atomic]
        found += [WantedDirective(statement, ATOMIC_STORE) for statement in kernel.updates.stores]
    return tuple(found)


def _team_loop(loop: TeamLoop) -> WantedDirective:
    """The threads of a team fork at the loop; compilers that have warps for `simd` alone find their lanes there.

    Not where values are combined: LLVM 14 at -O1 leaves iterations of `parallel for simd reduction(+: s)` out.
    """
    clauses = (Clause("private", items=loop.private),) if loop.private else ()
    return WantedDirective(
        loop.loop,
        TEAM_LANES if loop.has_lanes and not loop.reductions else TEAM_LOOP,
        (*clauses, *reduction_clauses(loop.reductions)),
    )


def _kernel_clauses(kernel: PlannedKernel, threads: int | None) -> Iterable[Clause]:
    if len(kernel.loops) > 1:
        yield Clause("collapse", items=(str(len(kernel.loops)),))
    yield Clause("thread_limit", items=(str(threads or kernel.threads),))
    private = (*kernel.copies.scalars, *(c_name(name) for name in kernel.copies.arrays))
    if private:
        yield Clause("private", items=tuple(sorted(private)))
    if kernel.copies.last:
        yield Clause("lastprivate", items=kernel.copies.last)
        yield Clause("map", "tofrom", kernel.copies.last)
    reductions = kernel.updates.reductions
    for operator in dict.fromkeys(each.operator for each in reductions):
        texts = tuple(each.text for each in reductions if each.operator == operator)
        scalars = tuple(each.text for each in reductions if each.operator == operator and not each.is_array)
        yield Clause("reduction", operator, texts)
        if scalars:
            yield Clause("map", "tofrom", scalars)


def _there_already(plan: OffloadPlan) -> Iterable[Clause]:
    """The sections of a region around that a kernel has to name: no copy is made of what is there.

    A pointer that no clause names leads on the device to where its first element is mapped, and to nothing if that is
    not (2.19.7.2).
    """
    texts = tuple(section.text for section in plan.sections if not section.has_start)
    return (Clause("map", "alloc", texts),) if texts else ()


def _maps(plan: OffloadPlan) -> tuple[Clause, ...]:
    return tuple(
        Clause("map", kind, texts)
        for direction, kind in _KINDS.items()
        if (texts := tuple(section.text for section in plan.sections if section.direction == direction))
    )
