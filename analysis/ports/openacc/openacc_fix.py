"""The quick fix that writes OpenACC directives, or brings those that are there up to what is predicted best."""

from __future__ import annotations

from math import prod

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ports.directives.directive_fix import DirectiveDialect, plan_here
from warplens.analysis.ports.directives.offload_plan import OffloadPlan, OffloadRefusedError
from warplens.analysis.ports.directives.row_teams import with_row_teams
from warplens.analysis.ports.directives.teams_first import with_teams_first
from warplens.analysis.ports.directives.wanted_directive import PlacedDirectives
from warplens.analysis.ports.fix import FixContext, LaunchWish
from warplens.analysis.ports.openacc.loop_header import header_with_inequality, is_countable_here
from warplens.analysis.ports.openacc.parallel_loop import KERNEL, openacc_directives
from warplens.analysis.ports.openacc.placed_directives import placed_directives

CODE = "openacc"


def openacc_plan(context: FixContext) -> OffloadPlan:
    """The plan of a nest where it stands; raises OffloadRefusedError."""
    plan = plan_here(context, "OpenACC")
    for loop in (loop for kernel in plan.kernels for loop in kernel.loops):
        header = header_with_inequality(loop, context.spans, context.source)
        if header:
            raise OffloadRefusedError(f"`{header}` is not of the form that OpenACC wants: write `<` or `>` for `!=`")
    return plan


def _placed(context: FixContext, wish: LaunchWish) -> PlacedDirectives:
    try:
        flat = openacc_plan(context)
    except OffloadRefusedError as error:
        return PlacedDirectives(refusal=str(error))

    def placed(plan: OffloadPlan) -> PlacedDirectives:
        try:
            wanted = openacc_directives(plan, context.evaluation, context.spans, context.source, wish)
        except OffloadRefusedError as error:
            return PlacedDirectives(refusal=str(error))
        return placed_directives(context, plan, wanted)

    if wish.shared is not None or (wish.block is not None and wish.block[0] != prod(wish.block)):
        return placed(flat)

    def is_writable(loop: NodeId) -> bool:
        return is_countable_here(loop, context.spans, context.source)

    teams = with_row_teams(context, flat, is_writable, sums_elements=False, has_tiles=True)
    return with_teams_first(context, teams, flat, placed)


FIX = DirectiveDialect(CODE, "OpenACC", "acc", KERNEL, "OpenACC directives", _placed).rule.of_source_order
