"""The quick fix that writes OpenMP `target` directives, or brings those that are there up to what is predicted best."""

from __future__ import annotations

from math import prod

from warplens.analysis.ports.directives.directive_fix import DirectiveDialect, plan_here
from warplens.analysis.ports.directives.offload_plan import OffloadPlan, OffloadRefusedError
from warplens.analysis.ports.directives.row_teams import with_row_teams
from warplens.analysis.ports.directives.teams_first import with_teams_first
from warplens.analysis.ports.directives.wanted_directive import PlacedDirectives
from warplens.analysis.ports.fix import FixContext, LaunchWish
from warplens.analysis.ports.openmp.placed_directives import placed_directives
from warplens.analysis.ports.openmp.target import KERNEL, openmp_directives

CODE = "openmp"


def openmp_plan(context: FixContext) -> OffloadPlan:
    """The plan of a nest where it stands; raises OffloadRefusedError."""
    return plan_here(context, "OpenMP")


def _placed(context: FixContext, wish: LaunchWish) -> PlacedDirectives:
    if wish.shared:
        names = ", ".join(f"`{name}`" for name in wish.shared)
        return PlacedDirectives(refusal=f"OpenMP has no shared memory for {names}: use the CUDA port")
    if wish.outputs_per_thread is not None and prod(wish.outputs_per_thread) > 1:
        return PlacedDirectives(refusal="OpenMP itself decides how many iterations a thread runs: use the CUDA port")
    try:
        flat = openmp_plan(context)
    except OffloadRefusedError as error:
        return PlacedDirectives(refusal=str(error))
    teams = with_row_teams(context, flat, lambda _: True, sums_elements=True, has_tiles=False)
    threads = prod(wish.block) if wish.block else None

    def placed(plan: OffloadPlan) -> PlacedDirectives:
        return placed_directives(context, plan, openmp_directives(plan, threads))

    return with_teams_first(context, teams, flat, placed)


FIX = DirectiveDialect(CODE, "OpenMP", "omp", KERNEL, "OpenMP target directives", _placed).rule.of_source_order
