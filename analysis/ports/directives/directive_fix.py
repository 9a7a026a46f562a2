"""What the quick fixes that write directives have in common: plan, offer, title and edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from warplens.analysis.advice.worth import runs_on
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.ports.directives.asked_launch import asked_times_s, launch_text
from warplens.analysis.ports.directives.counter_type import why_not_counted
from warplens.analysis.ports.directives.declarations import why_not_mapped
from warplens.analysis.ports.directives.device_functions import why_not_one_thread
from warplens.analysis.ports.directives.macro_words import replaced_word
from warplens.analysis.ports.directives.offload_plan import OffloadPlan, OffloadRefusedError, offload_plan
from warplens.analysis.ports.directives.own_arrays import own_arrays
from warplens.analysis.ports.directives.placement import why_not_here
from warplens.analysis.ports.directives.private_pointers import with_private_pointers
from warplens.analysis.ports.directives.register_variables import why_no_address
from warplens.analysis.ports.directives.truth_values import why_no_truth_value
from warplens.analysis.ports.directives.wanted_directive import PlacedDirectives
from warplens.analysis.ports.fix import (
    AS_PREDICTED,
    FixContext,
    FixEdits,
    FixRule,
    LaunchWish,
    OfferedFix,
)
from warplens.analysis.ports.overlapping_calls import overlapping_call, overlapping_sections
from warplens.analysis.ports.port_effect import PortEffect
from warplens.analysis.ports.predicted_effect import port_effect
from warplens.analysis.ports.rests_on import rests_on

_TOO_SLOW = "WL303"


@dataclass(frozen=True, slots=True)
class DirectiveDialect:
    """A language of directives: `code` of the fix, `sentinel` behind `#pragma`, `kernel` the construct of one.

    `placed` says what becomes of a nest in its file; `note` is the fix in a few words.
    """

    code: str
    language: str
    sentinel: str
    kernel: str
    note: str
    placed: Callable[[FixContext, LaunchWish], PlacedDirectives]

    @property
    def rule(self) -> FixRule:
        """The fix for the catalogue."""
        return FixRule(self.code, self._offer, self._edit)

    def _offer(self, context: FixContext) -> tuple[OfferedFix, ...]:
        """One offer per nest that has a kernel."""
        if not context.evaluation.kernels:
            return ()
        placed = self._placed(context, AS_PREDICTED)
        refusal = placed.refusal
        if not refusal and not placed.edits:
            refusal = "the directives are there already as they would be written"
        root = context.evaluation.facts.nest.root.id
        title = self._title(context, placed)
        if refusal:
            return (OfferedFix(self.code, title, root, refusal=refusal),)
        return (
            OfferedFix(
                self.code,
                title,
                root,
                findings=(_TOO_SLOW,) if placed.is_update else (),
                effect=_effect(context.evaluation, placed),
                launch=self._launch(context, placed),
            ),
        )

    def _edit(self, context: FixContext, _: OfferedFix, wish: LaunchWish) -> FixEdits:
        """The directives above their loops."""
        placed = self._placed(context, wish)
        if placed.refusal:
            return FixEdits(refusal=placed.refusal)
        facts = context.evaluation.facts
        reason = why_not_one_thread(context.source, context.function)
        if reason:
            return FixEdits(refusal=reason)
        granted = ", ".join(f"`{text}`" for text in placed.taken_for_granted)
        launch = self._launch(context, placed)
        note = f"{self.note}, {launch}" if launch else self.note
        if placed.no_team:
            note += f"; a thread per row, since for a team {placed.no_team}"
        if runs_on(context.evaluation) == "all cores":
            note += "; the loop leaves the CPU's cores"
        if granted:
            note += f"; all of {granted} is copied, of which data decides what is used"
        return FixEdits(placed.edits, note=note, rests_on=rests_on(facts, context.source, combined=_combined(placed)))

    def _placed(self, context: FixContext, wish: LaunchWish) -> PlacedDirectives:
        """What becomes of the nest, refused where the preprocessor would make another line of one."""
        placed = self.placed(context, wish)
        lines = [f"{each.text}\n" for each in placed.wanted] if placed.edits else []
        word = replaced_word(context.source, context.function_span.start, lines)
        if word:
            return PlacedDirectives(refusal=f"`{word}` is a macro of the file, and a word of the directive")
        return placed

    def _launch(self, context: FixContext, placed: PlacedDirectives) -> str:
        """The blocks that it writes; a directive for the GPU that is there may keep its own."""
        keeps = placed.is_update and runs_on(context.evaluation) != "all cores"
        return "" if keeps else launch_text(placed.wanted, placed.teams)

    def _title(self, context: FixContext, placed: PlacedDirectives) -> str:
        """Where the nest goes, from where; what that gains is said beside."""
        where = runs_on(context.evaluation)
        if where == "all cores":
            return f"Move from all cores to GPU ({self.language})"
        if placed.is_update or where == "GPU":
            return f"Update the {self.language} directives"
        return f"Move to the GPU with {self.language}"


def _effect(evaluation: NestEvaluation, placed: PlacedDirectives) -> PortEffect | None:
    """With the mapping that is written, against the launches that the source asks for now."""
    teams = evaluation.in_row_teams
    if not placed.teams or teams is None:
        return port_effect(evaluation, asked_times_s(evaluation, placed.wanted))
    of_teams = dict(placed.teams)
    own = {each.kernel.root: each for each in evaluation.kernels}
    kernels: list[KernelEvaluation] = []
    for each in teams.kernels:
        before = own.get(each.kernel.root, each)
        kernels.append(_launched_now_as(before, each) if each.kernel.root in of_teams else before)
    teams = replace(teams, kernels=tuple(kernels))
    return port_effect(teams, asked_times_s(teams, placed.wanted))


def _launched_now_as(own: KernelEvaluation, team: KernelEvaluation) -> KernelEvaluation:
    if own.ranking is None or team.ranking is None:
        return team
    ranking = replace(team.ranking, current=own.ranking.current, current_origin=own.ranking.current_origin)
    return replace(team, ranking=ranking)


def _combined(placed: PlacedDirectives) -> tuple[tuple[str, str], ...]:
    return tuple((one.variable, one.operator) for _, reductions in placed.teams for one in reductions)


def copied_back(plan: OffloadPlan) -> Iterator[str]:
    """Variables of the host, in C, that get a value from the device."""
    for kernel in plan.kernels:
        yield from kernel.copies.last
        yield from (reduction.text for reduction in kernel.updates.reductions)


def plan_here(context: FixContext, language: str) -> OffloadPlan:
    """The plan of a nest where it stands; raises OffloadRefusedError."""
    planned = _planned(context)
    if isinstance(planned, str):
        raise OffloadRefusedError(planned)
    reason = planned.objection or why_not_here(planned.plan, context.spans, context.source, language)
    if reason or planned.last_objection:
        raise OffloadRefusedError(reason or planned.last_objection)
    return planned.plan


@dataclass(frozen=True, slots=True)
class _Planned:
    """A plan with what speaks against it in any language, before and behind what speaks against it in one."""

    plan: OffloadPlan
    objection: str
    last_objection: str


@lru_cache(maxsize=1)
def _planned(context: FixContext) -> _Planned | str:
    """The plan of a nest in no language, or why there is none; every language asks, one after the other."""
    nest = context.evaluation.facts.nest
    whole = dict(context.spans.whole).get(nest.root.id)
    if whole is None:
        return "a loop comes from a macro: a line above the use of the macro may not be above it"
    source, span = context.source, context.function_span
    nest_span = whole.shifted(context.spans.base)
    overlapping = overlapping_call(context.evaluation.facts)
    if overlapping:
        return overlapping
    try:
        planned = offload_plan(context.evaluation, own_arrays(nest))
        plan = with_private_pointers(planned, context.spans, source, span)
    except OffloadRefusedError as refused:
        return str(refused)
    sections = {c_name(section.array): section.text for section in plan.sections}
    overlapping = overlapping_sections(context.evaluation.facts, sections)
    if overlapping:
        return overlapping
    function = source[span.start : span.end]
    spread = [loop for kernel in plan.kernels for loop in kernel.loops]
    reductions = [reduction for kernel in plan.kernels for reduction in kernel.updates.reductions]
    return _Planned(
        plan,
        why_not_mapped(nest, nest_span, span, source),
        why_not_counted(nest, spread, function, source)
        or why_no_truth_value(nest, reductions, nest_span, span, source)
        or why_no_address(function, copied_back(plan)),
    )
