"""A nest written as a mapping says, with the facts of its kernels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from warplens.analysis.dependence.pointers.circulating_pointers import circulating_objects
from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.mapping import LEVELS, Level, MappedLoop, Team
from warplens.analysis.facts.mapping import Mapping as LoopMapping
from warplens.analysis.facts.nest_facts import Kernel, NestFacts, TripCount
from warplens.analysis.facts.verdict import LoopVerdict, Reduction
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import (
    ArrayObject,
    DerivedSymbol,
    If,
    Loop,
    LoopNest,
    ScalarObject,
    Statement,
    loops_of,
    walk_statements,
)
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import INT, Scalar
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.single_threads import with_single_threads
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.workload.accesses.data_steps import data_steps
from warplens.analysis.workload.accesses.sites import access_sites
from warplens.analysis.workload.kernel_of_plan import PlannedNest, by_kind
from warplens.analysis.workload.kernels.kernels import plan_kernels
from warplens.analysis.workload.loops.derived_symbols import derived_formulas
from warplens.analysis.workload.loops.trip_count import trip_counts

Statements = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A loop of a nest, `root`, as a mapping writes it: `statements` stand in its place.

    `teams` are the teams of kernels by their outermost loop, `copies` new loops with the loop of the source that each
    is one of, `scalars` and `arrays` what the nest has not. `split` are loops whose iterations are in so many parts,
    `parallel` are new loops besides those over lanes whose iterations are threads, `steps` loops whose iterations
    are launches. `reordered` are reductions of the source whose steps are done in another order. `bounded` are copies
    whose bounds are others than those of the loop in the source. `levels` are those of loops of the source of which
    no loop is left, or none at that level. `atomic` are reductions of the source whose iterations are
    rows all the same: what they add to elements is added atomically.
    """

    root: NodeId
    statements: Statements
    teams: tuple[tuple[NodeId, Team], ...] = ()
    copies: tuple[tuple[NodeId, NodeId], ...] = ()
    scalars: tuple[ScalarObject, ...] = ()
    arrays: tuple[ArrayObject, ...] = ()
    split: tuple[tuple[NodeId, int], ...] = ()
    parallel: tuple[NodeId, ...] = ()
    reordered: tuple[Reduction, ...] = ()
    steps: tuple[NodeId, ...] = ()
    bounded: tuple[NodeId, ...] = ()
    levels: tuple[tuple[NodeId, Level], ...] = ()
    atomic: tuple[NodeId, ...] = ()


ONCE = ""
"""Iterator of a loop that runs once: statements that follow each other where a nest has one loop."""


def mapped_nest(
    source: SourceNest, names: NewNames, rewritten: Iterable[Rewritten], *, are_apart: bool = True
) -> MappedNest:
    """The nest with some of its loops rewritten.

    With `are_apart` its pointers are `restrict`, as in a port to CUDA; else they are what the source says.
    """
    parts = {one.root: one for one in rewritten}
    nest, facts = source.nest, source.facts
    copies = {new: old for one in parts.values() for new, old in one.copies}
    teams = {loop: team for one in parts.values() for loop, team in one.teams}
    steps = {loop for one in parts.values() for loop in one.steps}
    new_parallel = {team.lanes for team in teams.values()} | {loop for one in parts.values() for loop in one.parallel}

    def is_kernel(loop: Loop) -> bool:
        verdict = source.verdicts.get(copies.get(loop.id, loop.id))
        is_new = any(one.id in new_parallel for one in walk_statements((loop,)))
        is_known = verdict is not None and verdict.can_run_in_parallel and loop.start is not None
        return loop.id not in steps and (loop.id in new_parallel or is_known or (is_new and verdict is None))

    singles = with_single_threads(with_parts((nest.root,), parts), is_kernel, names)
    body = singles.body
    root = body[0] if len(body) == 1 and isinstance(body[0], Loop) else _once(names, body)
    scalars = (*nest.scalars, *(scalar for one in parts.values() for scalar in one.scalars))
    arrays = (*nest.arrays, *(array for one in parts.values() for array in one.arrays))
    nest = replace(nest, root=root, scalars=scalars, arrays=arrays)
    copies |= dict(singles.copies)
    new_parallel |= {loop for loop, _ in singles.copies}
    verdicts = _verdicts(source, {new: old for new, old in copies.items() if new not in steps}, new_parallel, root)
    for loop in (loop for one in parts.values() for loop in one.atomic):
        verdicts[loop] = replace(verdicts[loop], kind="parallel")
    split = {loop: number for one in parts.values() for loop, number in one.split}
    trips = _trips(source, copies, teams, split, root)
    bounded = {loop for one in parts.values() for loop in one.bounded} | {loop for loop, _ in singles.copies}
    trips |= {count.loop: count.average for count in trip_counts(nest) if count.loop in bounded} if bounded else {}
    lanes = {team.lanes for team in teams.values()}
    of_teams = frozenset(one.id for loop in _loops(root) if loop.id in lanes for one in walk_statements(loop.body))
    derived = derived_formulas(nest)
    sites = access_sites(nest)
    circulating = frozenset[str]().union(*circulating_objects(nest))
    planned = PlannedNest.of(nest, sites, trips, derived, facts.transfers, circulating, are_apart=are_apart)
    on_host = frozenset(one.id for one in loops_of(source.nest) if _holds(one, parts.keys()))
    plans = plan_kernels(root, verdicts, trips, of_teams | split.keys() | steps | on_host)
    kernels = tuple(planned.kernel(plan, teams.get(plan.root.id)) for plan in plans)
    inside = {one.id: part for part in parts.values() for one in walk_statements(part.statements)}
    kernels = tuple(_with_orders(kernel, inside.get(kernel.root), source.nest) for kernel in kernels)
    jumps = data_steps((each for kernel in kernels for each in kernel.accesses), sites, trips, derived)
    known = {symbol.name for symbol in nest.derived}
    new = (DerivedSymbol(one.symbol, one.most, one.symbol) for one in jumps if one.symbol not in known)
    mapped = replace(
        facts,
        nest=replace(nest, derived=(*nest.derived, *new)),
        verdicts=tuple(verdicts.values()),
        trip_counts=tuple(TripCount(loop, trips[loop], exact=True) for loop in trips),
        kernels=kernels,
        restricted=(),
    )
    regions = tuple((kernel.root, inside[kernel.root].root) for kernel in kernels if kernel.root in inside)
    more = (*((loop, "grid") for loop in split), *(level for one in parts.values() for level in one.levels))
    alone = dict(singles.copies)
    levels = _levels(source, mapped, {new: old for new, old in copies.items() if new not in alone}, more)
    mapping = LoopMapping(levels, _widest(teams))
    return MappedNest(mapping, mapped, tuple(copies.items()), regions)


def _holds(loop: Loop, roots: Collection[NodeId]) -> bool:
    """Whether a loop stands around one of these: it launches their kernels, whatever else it might do."""
    return any(one.id in roots for one in walk_statements(loop.body))


def _with_orders(kernel: Kernel, part: Rewritten | None, nest: LoopNest) -> Kernel:
    """The kernel with a sentence on each sum of floating-point numbers that is done in another order."""
    if part is None:
        return kernel
    types = {scalar.name: scalar.type for scalar in nest.scalars} | {one.name: one.element for one in nest.arrays}
    found: list[Assumption] = []
    for reduction in part.reordered:
        ctype = types.get(reduction.variable)
        if isinstance(ctype, Scalar) and ctype.kind == "float" and reduction.operator in {"+", "*"}:
            name = c_name(reduction.variable)
            what = f"Elements of `{name}` are" if reduction.is_array_element else f"`{name}` is"
            text = (
                f"{what} added up in another order than the loop's, the same in every run: the last digits may differ."
            )
            found.append(Assumption("order", name, text, origin="inferred"))
    return replace(kernel, assumptions=tuple(sorted({*kernel.assumptions, *found}, key=by_kind)))


def with_parts(body: Statements, parts: Mapping[NodeId, Rewritten]) -> Statements:
    """The body with what is written in place of some of its loops."""
    found: list[Statement] = []
    for one in body:
        if one.id in parts:
            found += parts[one.id].statements
        elif isinstance(one, Loop):
            found.append(replace(one, body=with_parts(one.body, parts)))
        elif isinstance(one, If):
            then, otherwise = with_parts(one.then, parts), with_parts(one.otherwise, parts)
            found.append(replace(one, then=then, otherwise=otherwise))
        else:
            found.append(one)
    return tuple(found)


def _once(names: NewNames, body: Statements) -> Loop:
    return Loop(names.id(), ONCE, INT, Polynomial(()), (Polynomial.constant(1),), 1, body, declares_iterator=True)


def _verdicts(
    source: SourceNest, copies: Mapping[NodeId, NodeId], parallel: Collection[NodeId], root: Loop
) -> dict[NodeId, LoopVerdict]:
    found: dict[NodeId, LoopVerdict] = {}
    for loop in _loops(root):
        known = source.verdicts.get(copies.get(loop.id, loop.id))
        if loop.id in parallel:
            found[loop.id] = LoopVerdict(loop.id, "parallel")
        elif known is not None:
            inside = {one.id for one in walk_statements(loop.body)}
            own = tuple(one for one in known.reductions if one.statement in inside)  # of a part of a loop
            found[loop.id] = replace(known, loop=loop.id, reductions=own or known.reductions)
        else:
            found[loop.id] = LoopVerdict(loop.id, "carried")
    return found


def _trips(
    source: SourceNest,
    copies: Mapping[NodeId, NodeId],
    teams: Mapping[NodeId, Team],
    split: Mapping[NodeId, int],
    root: Loop,
) -> dict[NodeId, Formula]:
    """Iterations by loop: of a spread one those of the thread that has most."""
    lanes = {team.lanes: team.threads for team in teams.values()}
    spread = {loop: team.threads for team in teams.values() for loop in team.spread}
    found: dict[NodeId, Formula] = {}
    for loop in _loops(root):
        known = source.trips.get(copies.get(loop.id, loop.id))
        if known is None:
            known = _own_trips(loop)
        if loop.id in lanes:
            known = Formula.constant(lanes[loop.id])
        elif loop.id in spread or loop.id in split:
            known = (known / (spread.get(loop.id, 1) * split.get(loop.id, 1))).ceil()
        found[loop.id] = known
    return found


def _own_trips(loop: Loop) -> Formula:
    """Of a loop that the mapping made: from 0 to a number."""
    return Formula.constant(loop.limits[0].constant_term)


def _loops(root: Loop) -> tuple[Loop, ...]:
    return tuple(one for one in walk_statements((root,)) if isinstance(one, Loop))


def _levels(
    source: SourceNest, mapped: NestFacts, copies: Mapping[NodeId, NodeId], more: Iterable[tuple[NodeId, Level]]
) -> tuple[MappedLoop, ...]:
    """Levels of the source's loops: those that any kernel has them at, outermost first."""
    found: dict[NodeId, set[Level]] = {loop.id: set() for loop in loops_of(source.nest)}
    roots = {kernel.root: kernel for kernel in mapped.kernels}

    def add(loop: NodeId, level: Level) -> None:
        found.get(copies.get(loop, loop), set()).add(level)

    def visit(body: Statements, kernel: Kernel | None) -> None:
        for one in body:
            if isinstance(one, If):
                visit((*one.then, *one.otherwise), kernel)
            if isinstance(one, Loop):
                inside = kernel or roots.get(one.id)
                add(one.id, _level(one.id, inside))
                visit(one.body, inside)

    visit((mapped.nest.root,), None)
    for loop, level in more:
        add(loop, level)
    return tuple(MappedLoop(loop, tuple(each for each in LEVELS if each in levels)) for loop, levels in found.items())


def _level(loop: NodeId, kernel: Kernel | None) -> Level:
    if kernel is None:
        return "host"
    if any(each.loop == loop for each in kernel.grid):
        return "grid"
    if kernel.team is not None and loop in kernel.team.spread:
        return "warp" if kernel.team.is_warp else "block"
    return "thread"


def _widest(teams: Mapping[NodeId, Team]) -> int:
    return max((team.threads for team in teams.values()), default=1)
