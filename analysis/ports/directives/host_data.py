"""Whether the host has up-to-date data where a directive's condition leaves a loop to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from warplens.analysis.c.math_calls import math_function
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.offload_plan import OffloadPlan, OffloadRefusedError
from warplens.analysis.ports.directives.surroundings import (
    directive_statements,
    enclosing_directives,
    is_kernel,
    keeps_data_on_device,
)
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.span import Span

_KEYWORDS = frozenset(("for", "while", "if", "switch", "return", "sizeof"))


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
    keeping = keeps_data_on_device(context.source, whole_nest(context), context.function)
    if keeping:
        raise OffloadRefusedError(f"`{keeping}` in this file may keep the data on the device, and the loop {unless}")


def require_fresh_device_data(context: FixContext, plan: OffloadPlan) -> None:
    """Refuse, by OffloadRefusedError, where the host may use arrays that are kept on the device around the nest.

    There a clause of the nest copies nothing: the device would miss what the host wrote before, the host what the
    device writes.
    """
    keeping = keeps_data_on_device(context.source, whole_nest(context), context.function)
    if keeping and not enclosing_directives(context.source, context.function_span, whole_nest(context)):
        raise OffloadRefusedError(
            f"`{keeping}` in this file may keep its data on the device, where a directive copies nothing: the host's "
            "may be newer"
        )
    source, nest = context.source, whole_nest(context)
    every = directive_statements(source, context.function_span)
    elsewhere = [nest, *(span for directive, span in every if is_kernel(directive))]
    for region, below in every:
        if not (below.start < nest.start and nest.end <= below.end):
            continue
        kept = [name for section in plan.sections if re.search(rf"\b{(name := c_name(section.array))}\b", region)]
        found = next((use for name in kept for use in _uses(name, source, below, elsewhere)), "")
        if found:
            said = " ".join(region.split()[:3])
            raise OffloadRefusedError(
                f"{found} on the host, inside of `#pragma {said}`, where a directive copies nothing"
            )


def _uses(name: str, source: str, inside: Span, elsewhere: Sequence[Span]) -> Iterator[str]:
    """Where a span uses a name outside of other spans, or calls what may use it, in words."""
    for found in re.finditer(
        rf"(?<![\w.>])(?:({name})\b|([A-Za-z_]\w*)\s*\()", code_of(source)[inside.start : inside.end]
    ):
        at = inside.start + found.start()
        if any(span.start <= at < span.end for span in elsewhere):
            continue
        line = source.count("\n", 0, at) + 1
        if found[1]:
            yield f"line {line} uses `{name}`"
        elif found[2] not in _KEYWORDS and math_function(found[2]) is None:
            yield f"line {line} calls `{found[2]}`, which may use `{name}`"


def whole_nest(context: FixContext) -> Span:
    """All of the nest in the source."""
    return dict(context.spans.whole)[context.evaluation.facts.nest.root.id].shifted(context.spans.base)
