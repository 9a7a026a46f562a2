"""A team per row in a plan: rows' loops over teams, loops inside of them over a team's threads, where that is faster.

OpenMP's initial thread of a team, OpenACC's gang, runs what stands between the loops. Whether the mapping is legal and
what it takes is known (models/nest/directive_teams.py); whether directives can say it in this text is decided here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Access, Call, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, LoopNest, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.mapping.directive_rows import row_loops
from warplens.analysis.models.nest.mapping_choice import LEAST_GAIN
from warplens.analysis.models.results.evaluation import KernelEvaluation
from warplens.analysis.ports.directives.counter_type import why_not_counted
from warplens.analysis.ports.directives.loop_bounds import is_counted_before
from warplens.analysis.ports.directives.offload_plan import OffloadPlan, PlannedKernel
from warplens.analysis.ports.directives.own_arrays import own_arrays
from warplens.analysis.ports.directives.placement import is_canonical_here, why_not_above
from warplens.analysis.ports.directives.pointer_names import shared_pointers
from warplens.analysis.ports.directives.private_copies import private_copies
from warplens.analysis.ports.directives.shared_updates import PlannedReduction
from warplens.analysis.ports.directives.surroundings import pragma_that_wants_its_loop
from warplens.analysis.ports.directives.team_loop import TeamLoop
from warplens.analysis.ports.directives.truth_values import why_no_truth_value
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.workload.accesses.sites import access_sites

IsWritable = Callable[[NodeId], bool]
"""Whether the header of a loop is of the form that the language wants."""

_ELEMENT = re.compile(r"([A-Za-z_]\w*)((?:\[[^\[\]()]*\])+)\Z")
_SUBSCRIPT = re.compile(r"\[([^\[\]]*)\]")
_WORD = re.compile(r"[A-Za-z_]\w*")


class _NoTeamError(Exception):
    """Directives can't say it; the message is the reason in the source's terms."""


@dataclass(frozen=True, slots=True)
class PlannedTeams:
    """The plan with a team per row in the kernels where that can be said; `reason` why not in the first other one."""

    plan: OffloadPlan
    reason: str = ""

    @property
    def has_teams(self) -> bool:
        """Whether any kernel has them."""
        return any(kernel.team_loops for kernel in self.plan.kernels)


def with_row_teams(
    context: FixContext, plan: OffloadPlan, is_writable: IsWritable, *, sums_elements: bool, has_tiles: bool
) -> PlannedTeams:
    """The plan of a nest in the source's order with the teams that are predicted to gain.

    `sums_elements`: the language can combine what the threads add up in an element of an array. `has_tiles`: it can
    shape the blocks of a band of loops, over which teams have to gain too.
    """
    teams = context.evaluation.in_row_teams
    if teams is None:
        return PlannedTeams(plan)
    of_teams = {each.kernel.root: each for each in teams.kernels if each.kernel.team is not None}
    kernels: list[PlannedKernel] = []
    reason = ""
    own = {each.kernel.root: each for each in context.evaluation.kernels}
    is_said = is_shared_out(context, plan)
    for flat in plan.kernels:
        planned, found = flat, of_teams.get(flat.root)
        if found is not None and (is_said or not has_tiles or _gains_over_tiles(own[flat.root], found)):
            threads, workers, _ = found.prediction.launch.block
            try:
                rows = _Rows(context, plan, flat, found.kernel, is_writable, sums_elements)
                planned = rows.planned(threads, workers)
            except _NoTeamError as refused:
                reason = reason or str(refused)
        kernels.append(planned)
    return PlannedTeams(replace(plan, kernels=tuple(kernels)), reason)


def _gains_over_tiles(own: KernelEvaluation, team: KernelEvaluation) -> bool:
    plain = None if own.ranking is None else own.ranking.unstaged
    return plain is None or team.prediction.time_s * LEAST_GAIN <= plain.time_s


@dataclass(frozen=True, slots=True)
class _Rows:
    """One kernel of a plan, `planned` in the source's order, `kernel` with its team."""

    context: FixContext
    plan: OffloadPlan
    flat: PlannedKernel
    kernel: Kernel
    is_writable: IsWritable
    sums_elements: bool

    def planned(self, threads: int, workers: int) -> PlannedKernel:
        """The kernel with a team of so many threads per row, so many rows together; raises _NoTeamError."""
        facts = self.context.evaluation.facts
        nest, team = facts.nest, self.kernel.team
        rows = row_loops(self.kernel)
        if self.flat.loops[: len(rows)] != rows:
            raise _NoTeamError("something stands between the loops of the rows, or one hangs on the other")
        updates = self.flat.updates
        if updates.reductions or updates.atomic or updates.stores:
            raise _NoTeamError("the rows combine values of their own")
        loops = {loop.id: loop for loop in loops_of(nest)}
        own = next(each for each in facts.kernels if each.root == self.kernel.root)
        private = tuple(dict.fromkeys(name for row in rows for name in facts.verdict(row).private))
        copies = private_copies(facts, replace(own, private=private), [loops[row] for row in rows], own_arrays(nest))
        if copies.refusal or copies.last:
            raise _NoTeamError(copies.refusal or f"the value of `{copies.last[0]}` after the rows may be used")
        scalars = {c_name(scalar.name) for scalar in nest.scalars}
        pointers = [name for name in self.flat.copies.scalars if name not in scalars]
        copies = replace(copies, scalars=tuple(sorted({*copies.scalars, *pointers})))
        spread = () if team is None else tuple(loops[loop] for loop in loops if loop in team.spread)
        return replace(
            self.flat,
            loops=rows,
            threads=threads,
            copies=copies,
            vector=None,
            team_loops=tuple(self._team_loop(loop) for loop in spread),
            workers=workers,
        )

    def _team_loop(self, loop: Loop) -> TeamLoop:
        context = self.context
        nest, spans, source = context.evaluation.facts.nest, context.spans, context.source
        iterator, function = c_name(loop.iterator), context.function_span
        written = {site.access.array for site in access_sites(nest) if site.is_write}
        reason = why_not_above(loop.id, spans, source)
        if reason:
            raise _NoTeamError(reason)
        if not is_canonical_here(loop.id, spans, source) or not self.is_writable(loop.id):
            raise _NoTeamError(f"the header of the loop over `{iterator}` is not of the form that directives want")
        if not is_counted_before(loop, written):
            raise _NoTeamError(f"how often the loop over `{iterator}` runs is not known where it begins")
        pragma = pragma_that_wants_its_loop(loop)
        if pragma:
            raise _NoTeamError(f"`{pragma}` wants the loop over `{iterator}` right below it")
        pointer = next(iter(shared_pointers(self.plan.accesses, loop.id, spans, source)), "")
        if pointer:
            raise _NoTeamError(f"`{pointer}` is one pointer for all iterations over `{iterator}`")
        reason = why_not_counted(nest, (loop.id,), source[function.start : function.end], source)
        if reason:
            raise _NoTeamError(reason)
        reductions = tuple(dict.fromkeys(self._reductions(loop)))
        whole = dict(spans.whole)[loop.id].shifted(spans.base)
        reason = why_no_truth_value(nest, reductions, whole, function, source)
        if reason:
            raise _NoTeamError(reason)
        return TeamLoop(loop.id, self._private(loop), reductions, has_lanes=_has_lanes(loop))

    def _private(self, loop: Loop) -> tuple[str, ...]:
        facts = self.context.evaluation.facts
        inside = [one for one in walk_statements((loop,)) if isinstance(one, Loop)]
        within = {one.id for one in inside}
        declared = {one.iterator for one in inside if one.declares_iterator}
        names = {*facts.verdict(loop.id).private, *(one.iterator for one in inside)} - declared - {loop.iterator}
        scalars = [s for s in facts.nest.scalars if s.name in names and s.declared_in not in within]
        for scalar in scalars:
            if not c_name(scalar.name).isidentifier():
                raise _NoTeamError(f"each iteration sets `{c_name(scalar.name)}`: copy it to a variable of the loop")
        return tuple(sorted({c_name(scalar.name) for scalar in scalars}))

    def _reductions(self, loop: Loop) -> Iterator[PlannedReduction]:
        facts = self.context.evaluation.facts
        for reduction in facts.verdict(loop.id).reductions:
            name = c_name(reduction.variable)
            if not reduction.is_array_element:
                if not name.isidentifier():
                    raise _NoTeamError(f"`{name}` is no plain number, for which there is a reduction")
                yield PlannedReduction(reduction.operator, name, reduction.variable)
                continue
            if not self.sums_elements:
                raise _NoTeamError(
                    f"the loop over `{c_name(loop.iterator)}` adds up an element of `{name}`, for which OpenACC's "
                    "compilers have no reduction: add up in a variable"
                )
            yield PlannedReduction(
                reduction.operator, _section_of_one(facts.nest, loop, reduction), reduction.variable, is_array=True
            )


def _section_of_one(nest: LoopNest, loop: Loop, reduction: Reduction) -> str:
    """The element that a loop adds up in, as a section of one element; raises _NoTeamError.

    Its subscripts are read where the loop begins: no name in them may be one that the loop declares.
    """
    element = next(
        one.target
        for one in walk_statements(loop.body)
        if isinstance(one, Assign) and isinstance(one.target, Access) and one.target.array == reduction.variable
    )
    text = "".join(element.text.split())
    found = _ELEMENT.match(text)
    within = {loop.id, *(one.id for one in walk_statements(loop.body))}
    inside = {c_name(s.name) for s in nest.scalars if s.declared_in in within}
    inside |= {c_name(one.iterator) for one in walk_statements((loop,)) if isinstance(one, Loop)}
    known = {c_name(s.name) for s in nest.scalars} | set(nest.parameters)
    names = set(_WORD.findall(found[2])) if found is not None else set()
    if found is None or found[1] != c_name(reduction.variable) or names & inside or not names <= known:
        raise _NoTeamError(
            f"the element of `{c_name(reduction.variable)}` that is added up in can't be said in a clause"
        )
    return found[1] + "".join(f"[{subscript}:1]" for subscript in _SUBSCRIPT.findall(found[2]))


def _has_lanes(loop: Loop) -> bool:
    inside = tuple(walk_statements(loop.body))
    calls = (part for one in inside for expression in expressions_of(one) for part in walk(expression))
    return not any(isinstance(one, Loop) for one in inside) and not any(
        isinstance(part, Call) and not part.is_math for part in calls
    )


def is_shared_out(context: FixContext, flat: OffloadPlan) -> bool:
    """Whether a directive inside of a kernel's rows has its loop shared by threads, and one around it the rows."""
    rows = {loop for kernel in flat.kernels for loop in kernel.loops}
    directives = {loop.id: loop.directive for loop in loops_of(context.evaluation.facts.nest)}
    inside = (each for loop, each in directives.items() if each is not None and loop not in rows)
    has_threads = any(each.unit == "threads" for each in inside)
    return has_threads and any(directives.get(kernel.root) is not None for kernel in flat.kernels)
