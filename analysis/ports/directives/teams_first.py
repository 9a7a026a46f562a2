"""The directives of a plan with teams per row where these can stand in the text, else those of the source's order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ports.directives.offload_plan import OffloadPlan
from warplens.analysis.ports.directives.row_teams import PlannedTeams, is_shared_out
from warplens.analysis.ports.directives.shared_updates import PlannedReduction
from warplens.analysis.ports.directives.wanted_directive import PlacedDirectives
from warplens.analysis.ports.fix import FixContext


def with_teams_first(
    context: FixContext, teams: PlannedTeams, flat: OffloadPlan, placed: Callable[[OffloadPlan], PlacedDirectives]
) -> PlacedDirectives:
    """The directives with teams where they can stand there, else those of the source's order, and why not the first.

    Where directives of the source share a row out already there is no else.
    """
    is_said = is_shared_out(context, flat)
    if not teams.has_teams:
        without = placed(flat)
        is_lost = is_said and bool(teams.reason) and not without.refusal
        return PlacedDirectives(refusal=teams.reason) if is_lost else replace(without, no_team=teams.reason)
    found = placed(teams.plan)
    if not found.refusal:
        return replace(found, teams=_teams_of(teams.plan), no_team=teams.reason)
    without = found if is_said else placed(flat)
    return found if without.refusal else replace(without, no_team=found.refusal)


def _teams_of(plan: OffloadPlan) -> tuple[tuple[NodeId, tuple[PlannedReduction, ...]], ...]:
    return tuple(
        (kernel.root, tuple(dict.fromkeys(one for loop in kernel.team_loops for one in loop.reductions)))
        for kernel in plan.kernels
        if kernel.team_loops
    )
