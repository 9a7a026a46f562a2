"""Which parts of a nest would run on the GPU, and which loops become threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.facts.verdict import LoopVerdict, Reduction
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.formula import ONE, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, OpaqueStatement, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.workload.accesses.counted_access import counted_access
from warplens.analysis.workload.accesses.known_part import ChangedValues, changed_values
from warplens.analysis.workload.accesses.sites import AccessSite, sites_of

MAX_GRID_LOOPS = 3


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """Loops of a kernel before its program is built. `around` are the sequential loops outside, outer first.

    `thread_body` is what a thread runs: the innermost band loop's body inside those band loops that stay in the thread.
    """

    root: Loop
    around: tuple[Loop, ...]
    grid: tuple[Loop, ...]
    thread_loops: tuple[Loop, ...]
    thread_body: tuple[Statement, ...]
    launches: Formula
    private: tuple[str, ...]
    reductions: tuple[Reduction, ...]
    assumptions: tuple[Assumption, ...]


def plan_kernels(
    root: Loop,
    verdicts: Mapping[NodeId, LoopVerdict],
    trip_counts: Mapping[NodeId, Formula],
    in_thread: frozenset[NodeId] = frozenset(),
) -> tuple[KernelPlan, ...]:
    """Kernels in source order: each a maximal band of perfectly nested loops that can run in parallel.

    A reduction loop becomes a grid loop only where its band has no parallel loop; otherwise each thread runs it. The
    loops around that must run in order launch the kernel once per iteration; statements beside the kernels run on the
    host (shown as an assumption). With more than three parallel loops, the one with the most contiguous accesses and
    the longest two others are the grid, of equal ones the outermost. Loops `in_thread` are none of a grid's, whatever
    their verdicts are.
    """
    plans: list[KernelPlan] = []
    in_grid = {loop: verdict for loop, verdict in verdicts.items() if loop not in in_thread}
    _walk(root, (), in_grid, trip_counts, plans)
    return tuple(plans)


def thread_order(grid: Sequence[Loop], sites: Sequence[AccessSite]) -> tuple[NodeId, ...]:
    """Grid loops as x, y, z: most accesses of stride one element first, then most broadcasts, then the innermost.

    Accesses inside more loops weigh more (they are compared first).
    """
    changed = changed_values(sites)
    return tuple(
        loop.id for loop in sorted(grid, key=lambda loop: _contiguity(loop, grid, sites, changed), reverse=True)
    )


def _contiguity(
    loop: Loop, grid: Sequence[Loop], sites: Sequence[AccessSite], changed: ChangedValues
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    deepest = max((len(site.loops) for site in sites), default=0)
    contiguous, broadcast = [0] * (deepest + 1), [0] * (deepest + 1)
    for site in sites:
        counted = counted_access(site.access, site.loops, {other.id for other in grid}, (), changed)
        stride = dict(counted.stride_bytes).get(loop.id)
        if stride is None or not stride.is_constant:
            continue
        level = deepest - len(site.loops)
        if abs(stride.constant_term) == site.access.element_bytes:
            contiguous[level] += 1
        elif not stride.terms:
            broadcast[level] += 1
    return tuple(contiguous), tuple(broadcast), list(grid).index(loop)


def _walk(
    loop: Loop,
    around: tuple[Loop, ...],
    verdicts: Mapping[NodeId, LoopVerdict],
    trip_counts: Mapping[NodeId, Formula],
    plans: list[KernelPlan],
) -> None:
    if _can_run_in_parallel(loop, verdicts):
        plan = _plan_band(loop, around, verdicts, trip_counts)
        if plan is not None:
            plans.append(plan)
            return
    before = len(plans)
    for inner in _loops_directly_in(loop.body):
        _walk(inner, (*around, loop), verdicts, trip_counts, plans)
    left = _left_on_host(loop.body, frozenset(plan.root.id for plan in plans[before:]))
    if len(plans) > before and left:
        iterator = c_name(loop.iterator)
        text = (
            f"Statements in the sequential loop over `{iterator}` beside the kernels run on the host; "
            "the data they share with the kernels is assumed to stay on the GPU."
        )
        host = Assumption("context", iterator, text)
        plans[before:] = [replace(plan, assumptions=(*plan.assumptions, host)) for plan in plans[before:]]


def _plan_band(
    loop: Loop,
    around: tuple[Loop, ...],
    verdicts: Mapping[NodeId, LoopVerdict],
    trip_counts: Mapping[NodeId, Formula],
) -> KernelPlan | None:
    band = [loop]
    while len(band[-1].body) == 1 and isinstance(inner := band[-1].body[0], Loop):
        if not _can_run_in_parallel(inner, verdicts):
            break
        band.append(inner)
    parallel = [b for b in band if verdicts[b.id].kind == "parallel"]
    sites = sites_of((loop,))
    grid = _choose(parallel or band, sites, trip_counts)
    if any(_bounds_depend(g, [b for b in band if b not in grid]) for g in grid):
        grid = _choose(parallel or band, sites, {})
    inside = tuple(b for b in band if b not in grid)
    if any(_bounds_depend(g, inside) for g in grid):
        return None if loop in inside else _plan_prefix(loop, around, verdicts, trip_counts)
    return _plan(loop, band, grid, inside, around, verdicts, trip_counts)


def _plan_prefix(
    loop: Loop,
    around: tuple[Loop, ...],
    verdicts: Mapping[NodeId, LoopVerdict],
    trip_counts: Mapping[NodeId, Formula],
) -> KernelPlan:
    """Only the outermost loop as the grid: an inner grid loop's bounds depend on a loop that stays in the thread."""
    return _plan(loop, [loop], (loop,), (), around, verdicts, trip_counts)


def _plan(
    loop: Loop,
    band: Sequence[Loop],
    grid: tuple[Loop, ...],
    inside: tuple[Loop, ...],
    around: tuple[Loop, ...],
    verdicts: Mapping[NodeId, LoopVerdict],
    trip_counts: Mapping[NodeId, Formula],
) -> KernelPlan:
    body = band[-1].body
    for kept in reversed(inside):
        body = (replace(kept, body=body),)
    launches = ONE
    for outer in around:
        launches = launches * trip_counts[outer.id]
    private = tuple(dict.fromkeys(name for g in grid for name in verdicts[g.id].private))
    reductions = tuple(dict.fromkeys(r for g in grid for r in verdicts[g.id].reductions))
    assumptions = [a for g in grid for a in verdicts[g.id].assumptions]
    assumptions += [_combined(r) for r in reductions]
    assumptions += [_averaged(g) for g in grid if _bounds_depend(g, grid)]
    assumptions += [_interchanged(kept, band) for kept in inside if kept != band[-1] and _is_outside(kept, grid, band)]
    return KernelPlan(
        loop, around, grid, inside, body, launches, private, reductions, tuple(dict.fromkeys(assumptions))
    )


def _is_outside(kept: Loop, grid: Sequence[Loop], band: Sequence[Loop]) -> bool:
    return any(band.index(kept) < band.index(g) for g in grid)


def _interchanged(kept: Loop, band: Sequence[Loop]) -> Assumption:
    iterator = c_name(kept.iterator)
    inner = c_name(band[band.index(kept) + 1].iterator)
    text = (
        f"Each thread runs the whole loop over `{iterator}`: the kernel is predicted with that loop moved inside the "
        f"loop over `{inner}`, which changes no result."
    )
    return Assumption("context", iterator, text, origin="inferred")


def _choose(
    candidates: Sequence[Loop], sites: Sequence[AccessSite], trip_counts: Mapping[NodeId, Formula]
) -> tuple[Loop, ...]:
    """At most three grid loops, in source order: of the others than the contiguous one those that are known longest."""
    if len(candidates) <= MAX_GRID_LOOPS:
        return tuple(candidates)
    first = thread_order(candidates, sites)[0]
    rest = [loop for loop in candidates if loop.id != first]
    others = sorted(rest, key=lambda loop: -_length(trip_counts.get(loop.id)))[: MAX_GRID_LOOPS - 1]
    return tuple(loop for loop in candidates if loop.id == first or loop in others)


def _length(trips: Formula | None) -> float:
    """Iterations where they are a number; what sizes decide is taken to be long."""
    return float("inf") if trips is None or trips.parameters else float(trips.evaluate({}))


def _can_run_in_parallel(loop: Loop, verdicts: Mapping[NodeId, LoopVerdict]) -> bool:
    verdict = verdicts.get(loop.id)
    return verdict is not None and verdict.can_run_in_parallel and loop.start is not None


def _bounds_depend(loop: Loop, on: Sequence[Loop]) -> bool:
    bounds: tuple[Polynomial, ...] = (loop.start or Polynomial(()), *loop.limits)
    return any(other.iterator in bound.symbols for other in on for bound in bounds)


def _loops_directly_in(body: tuple[Statement, ...]) -> list[Loop]:
    found: list[Loop] = []
    for statement in body:
        if isinstance(statement, Loop):
            found.append(statement)
        elif isinstance(statement, If):
            found += _loops_directly_in(statement.then) + _loops_directly_in(statement.otherwise)
    return found


def _left_on_host(body: tuple[Statement, ...], kernels: frozenset[NodeId]) -> bool:
    """Whether anything but loops that became kernels (or hold some) is in the body."""
    for statement in body:
        match statement:
            case Loop():
                if statement.id not in kernels and not any(s.id in kernels for s in walk_statements(statement.body)):
                    return True
            case If():
                if _left_on_host(statement.then, kernels) or _left_on_host(statement.otherwise, kernels):
                    return True
            case Assign() | Evaluate() | OpaqueStatement():
                return True
            case _:
                pass
    return False


def _combined(reduction: Reduction) -> Assumption:
    name = c_name(reduction.variable)
    if reduction.operator == "store":
        text = f"Threads that set `{name}` all store the same value: which one is last doesn't matter."
        return Assumption("machine", name, text)
    tree = "a tree in each warp and over the warps of a block, then one atomic operation per block"
    how = "one atomic operation per thread" if reduction.is_array_element else tree
    text = f"Threads combine their parts of `{name}` ({reduction.operator}); that is counted as {how}."
    return Assumption("machine", name, text)


def _averaged(loop: Loop) -> Assumption:
    iterator = c_name(loop.iterator)
    text = f"The loop over `{iterator}` has another length for each outer iteration: the grid has its average."
    return Assumption("average", iterator, text)
