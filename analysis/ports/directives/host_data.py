"""Whether the host has up-to-date data where a directive's condition leaves a loop to it."""

from __future__ import annotations

from warplens.analysis.ports.directives.offload_plan import OffloadPlan, OffloadRefusedError
from warplens.analysis.ports.directives.surroundings import enclosing_directives, keeps_data_on_device
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.text.span import Span


def regions_around(context: FixContext, region: str) -> tuple[str, ...]:
    """The regions of data around the nest, all of them of the construct `region`.

    Raises OffloadRefusedError where the nest stands inside of another construct.
    """
    around = enclosing_directives(context.source, context.function_span, whole_nest(context))
    other = next((directive for directive in around if not directive.startswith(region)), "")
    if other:
        raise OffloadRefusedError(f"the loop stands inside of `#pragma {' '.join(other.split()[:4])}`")
    return around


def require_host_data(context: FixContext, plan: OffloadPlan, region: str) -> None:
    """Refuse, by OffloadRefusedError, a condition that leaves work to the host while its data may be on the device."""
    if not plan.host_conditions:
        return
    unless = f"must run on the host unless `{plan.host_conditions[0]}`"
    if regions_around(context, region):
        raise OffloadRefusedError(f"the loop stands inside of `{region}`, and {unless}")
    keeping = keeps_data_on_device(context.source, whole_nest(context))
    if keeping:
        raise OffloadRefusedError(f"`{keeping}` in this file may keep the data on the device, and the loop {unless}")


def whole_nest(context: FixContext) -> Span:
    """All of the nest in the source."""
    return dict(context.spans.whole)[context.evaluation.facts.nest.root.id].shifted(context.spans.base)
