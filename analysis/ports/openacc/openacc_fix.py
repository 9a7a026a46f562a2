"""The quick fix that writes OpenACC directives, or brings those that are there up to what is predicted best."""

from __future__ import annotations

from warplens.analysis.ports.directives.directive_fix import DirectiveDialect, plan_here
from warplens.analysis.ports.directives.offload_plan import OffloadPlan, OffloadRefusedError
from warplens.analysis.ports.directives.wanted_directive import PlacedDirectives
from warplens.analysis.ports.fix import FixContext, LaunchWish
from warplens.analysis.ports.openacc.loop_header import header_with_inequality
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
        plan = openacc_plan(context)
        wanted = openacc_directives(plan, context.evaluation, context.spans, context.source, wish)
    except OffloadRefusedError as error:
        return PlacedDirectives(refusal=str(error))
    return placed_directives(context, plan, wanted)


FIX = DirectiveDialect(CODE, "OpenACC", "acc", KERNEL, "OpenACC directives", _placed).rule.of_source_order
