"""The OpenACC text of a plan: which pragma goes above which loop.

Source: OpenACC 3.1, 2.5.1 (parallel), 2.7 (data clauses), 2.9 (loop: gang, vector, collapse, tile, seq), 2.10 (cache),
2.11 (combined constructs), 2.12 (atomic).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod

from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, LoopNest, NestSpans, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.ports.directives.offload_plan import (
    Direction,
    OffloadPlan,
    OffloadRefusedError,
    PlannedKernel,
)
from warplens.analysis.ports.directives.shared_updates import PlannedReduction
from warplens.analysis.ports.directives.surroundings import directives_of
from warplens.analysis.ports.directives.team_loop import TeamLoop, reduction_clauses
from warplens.analysis.ports.directives.wanted_directive import WantedDirective
from warplens.analysis.ports.fix import LaunchWish
from warplens.analysis.ports.guessed_grid import rests_on_a_guess
from warplens.analysis.ports.openacc.cached_sections import cached_sections
from warplens.analysis.ports.openacc.empty_loops import guard_of_empty
from warplens.analysis.ports.openacc.sequential_loops import sequential_loops
from warplens.analysis.text.directive_text import Clause
from warplens.analysis.text.file_text import code_of

KERNEL = "parallel loop"
DATA = "data"
LOOP = "loop"
ATOMIC = "atomic update"
ATOMIC_STORE = "atomic write"
CACHE = "cache"

DATA_CLAUSES: dict[Direction, str] = {"in": "copyin", "out": "copyout", "inout": "copy", "work": "create"}
_ELSE = re.compile(r"\s*else\b")
_ATOMIC_OPERATORS = frozenset(("+", "-", "*", "&", "|", "^"))


def openacc_directives(
    plan: OffloadPlan, evaluation: NestEvaluation, spans: NestSpans, source: str, wish: LaunchWish
) -> tuple[WantedDirective, ...]:
    """`#pragma acc parallel loop gang vector` with its clauses, for every kernel of the nest, outer first.

    Kernels inside a sequential loop get a `data` region around the nest, and find the arrays present. Inside a kernel,
    loops that a thread runs are `loop seq`, and the arrays that the search stages stand in a `cache`. With a team per
    row the rows are a `gang` each, or a `worker`, and the loops that a team shares `loop vector`.
    Raises OffloadRefusedError: what OpenACC has no clause for, or a wish that it can't fulfil.
    """
    _check_wish(evaluation, wish)
    nest = evaluation.facts.nest
    found: list[WantedDirective] = []
    condition = " && ".join(plan.conditions)
    only = (Clause("if", items=(condition,)),) if condition else ()
    if plan.is_repeated and plan.sections:
        found.append(WantedDirective(plan.root, DATA, (*_data(plan), *only), "acc"))
    for kernel in plan.kernels:
        evaluated = next(each for each in evaluation.kernels if each.kernel.root == kernel.root)
        reductions, atomic = _updates(nest, kernel)
        guard = _guard(nest, kernel, spans, source)
        joined = kernel if guard is not None else replace(kernel, loops=kernel.loops[:1])
        is_guessed = rests_on_a_guess(evaluation, evaluated.kernel)
        spread = _rows(joined, wish.block) if kernel.team_loops else ()
        clauses = (
            *(spread or _mapping(joined, evaluated, wish.block, is_guessed=is_guessed)),
            *_private(kernel),
            *_reductions(reductions),
            *(_present(plan) if plan.is_repeated else _data(plan)),
            *only,
        )
        found.append(WantedDirective(kernel.root, KERNEL, clauses, "acc", guard=guard or ""))
        staged = () if kernel.team_loops else _staged(evaluated, wish)
        found += [
            WantedDirective(cached.loop, f"{CACHE}({', '.join(cached.sections)})", (), "acc", cached.at)
            for cached in cached_sections(nest, kernel, staged, spans, source)
        ]
        found += [_team_loop(loop) for loop in kernel.team_loops]
        of_teams = {loop.loop for loop in kernel.team_loops}
        found += [
            WantedDirective(loop, LOOP, (Clause("seq"),), "acc")
            for loop in sequential_loops(nest, joined, spans, source)
            if loop not in of_teams
        ]
        found += [WantedDirective(statement, ATOMIC, (), "acc") for statement in atomic]
        found += [WantedDirective(statement, ATOMIC_STORE, (), "acc") for statement in kernel.updates.stores]
    return tuple(found)


def _rows(kernel: PlannedKernel, wished: Extent | None) -> tuple[Clause, ...]:
    """A gang per row, or a worker where the lanes of one warp share a row and a gang has several."""
    workers = kernel.workers if wished is None else 1
    several = (Clause("worker"),) if workers > 1 else ()
    number = (Clause("num_workers", items=(str(workers),)),) if workers > 1 else ()
    collapse = (Clause("collapse", items=(str(len(kernel.loops)),)),) if len(kernel.loops) > 1 else ()
    lanes = kernel.threads if wished is None else prod(wished)
    return (Clause("gang"), *several, *collapse, *number, Clause("vector_length", items=(str(lanes),)))


def is_of_team(wanted: WantedDirective) -> bool:
    """Whether it spreads a loop inside of the rows over their teams."""
    return wanted.construct == LOOP and any(clause.name == "vector" for clause in wanted.clauses)


def _team_loop(loop: TeamLoop) -> WantedDirective:
    private = (Clause("private", items=loop.private),) if loop.private else ()
    return WantedDirective(loop.loop, LOOP, (Clause("vector"), *private, *reduction_clauses(loop.reductions)), "acc")


def _guard(nest: LoopNest, kernel: PlannedKernel, spans: NestSpans, source: str) -> str | None:
    """What an `if` above the loop has to ask where the loops are joined; None where none can stand there."""
    guard = guard_of_empty(nest, kernel.loops) if len(kernel.loops) > 1 else ""
    if not guard:
        return guard
    loop = next(loop for loop in loops_of(nest) if loop.id == kernel.root)
    whole = dict(spans.whole)[kernel.root].shifted(spans.base)
    would_take_else = _ELSE.match(code_of(source), whole.end) is not None
    return None if would_take_else or directives_of(loop) else guard


def _check_wish(evaluation: NestEvaluation, wish: LaunchWish) -> None:
    if wish.outputs_per_thread is not None and prod(wish.outputs_per_thread) > 1:
        raise OffloadRefusedError("OpenACC itself decides how many iterations a thread runs: use the CUDA port")
    known = {c_name(array.name) for array in evaluation.facts.nest.arrays}
    unknown = next((name for name in wish.shared or () if name not in known), "")
    if unknown:
        raise OffloadRefusedError(f"the loop uses no array `{unknown}`")


def _mapping(
    kernel: PlannedKernel, evaluated: KernelEvaluation, wished: Extent | None, *, is_guessed: bool
) -> Iterator[Clause]:
    """`gang vector` over all loops that are spread: tiles as the block is shaped, else one loop made of all of them.

    A block that can't be said as tiles lies along a line, whose best number of threads is another. So does one with
    other threads than every port of a grid has whose size is guessed.
    """
    yield Clause("gang")
    yield Clause("vector")
    block = wished or _block(evaluated)
    is_for_guess = is_guessed and wished is None and prod(block) != kernel.threads
    tile = () if is_for_guess else _tile(kernel, evaluated, block)
    if tile:
        yield Clause("tile", items=tuple(map(str, tile)))
    elif len(kernel.loops) > 1:
        yield Clause("collapse", items=(str(len(kernel.loops)),))
    yield Clause("vector_length", items=(str(prod(block) if tile or wished else kernel.threads),))


def _block(evaluated: KernelEvaluation) -> Extent:
    """The best block for a directive, which stages nothing for certain."""
    plain = evaluated.ranking.unstaged if evaluated.ranking is not None else None
    return (plain or evaluated.prediction).launch.block


def _tile(kernel: PlannedKernel, evaluated: KernelEvaluation, block: Extent) -> tuple[int, ...]:
    """Sizes for `tile`, the innermost loop first; empty where the block lies along one loop or along another order."""
    order = evaluated.kernel.thread_order
    extents = {loop: size for loop, size in zip(order, block, strict=False) if size > 1}
    if len(extents) < 2 or kernel.loops[-1] != order[0] or not extents.keys() <= set(kernel.loops):
        return ()
    return tuple(extents.get(loop, 1) for loop in reversed(kernel.loops))


def _private(kernel: PlannedKernel) -> Iterator[Clause]:
    if kernel.copies.last:
        raise OffloadRefusedError(
            f"the value of `{kernel.copies.last[0]}` after the loop may be used, and OpenACC has no `lastprivate`"
        )
    private = (*kernel.copies.scalars, *(c_name(name) for name in kernel.copies.arrays))
    if private:
        yield Clause("private", items=tuple(sorted(private)))


def _updates(nest: LoopNest, kernel: PlannedKernel) -> tuple[list[PlannedReduction], list[NodeId]]:
    """Reductions of scalars, and statements that are atomic: what is added to an array's elements can't be reduced."""
    atomic = dict.fromkeys(kernel.updates.atomic)
    for reduction in (each for each in kernel.updates.reductions if each.is_array):
        element = nest.array(reduction.variable).element
        if not isinstance(element, Scalar) or reduction.operator not in _ATOMIC_OPERATORS:
            raise OffloadRefusedError(
                f"several iterations at once take the {reduction.operator} of elements of "
                f"`{c_name(reduction.variable)}`: OpenACC's compilers reduce no arrays, and that can't be atomic"
            )
        root = next(loop for loop in loops_of(nest) if loop.id == kernel.root)
        writes = (s for s in walk_statements((root,)) if isinstance(s, Assign))
        atomic |= dict.fromkeys(s.id for s in writes if getattr(s.target, "array", "") == reduction.variable)
    return [each for each in kernel.updates.reductions if not each.is_array], list(atomic)


def _reductions(reductions: Sequence[PlannedReduction]) -> Iterable[Clause]:
    """With `copy`: not every version of OpenACC takes that as said by the reduction."""
    for operator in dict.fromkeys(each.operator for each in reductions):
        names = tuple(each.text for each in reductions if each.operator == operator)
        yield Clause("reduction", operator, names)
        yield Clause("copy", items=names)


def _data(plan: OffloadPlan) -> tuple[Clause, ...]:
    return tuple(
        Clause(kind, items=texts)
        for direction, kind in DATA_CLAUSES.items()
        if (texts := tuple(section.text for section in plan.sections if section.direction == direction))
    )


def _present(plan: OffloadPlan) -> tuple[Clause, ...]:
    texts = tuple(section.text for section in plan.sections)
    return (Clause("present", items=texts),) if texts else ()


def _staged(evaluated: KernelEvaluation, wish: LaunchWish) -> tuple[str, ...]:
    """Arrays that the search stages, by their names in the nest, or those that the user wants staged."""
    if wish.shared is None:
        return tuple(choice.array for choice in evaluated.prediction.launch.shared)
    arrays = dict.fromkeys(access.access.array for access in evaluated.kernel.accesses)
    return tuple(name for name in arrays if c_name(name) in wish.shared)
