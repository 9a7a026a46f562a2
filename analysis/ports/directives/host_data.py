"""Whether the host has up-to-date data where a directive's condition leaves a loop to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from warplens.analysis.ir.nest import ArrayObject
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.declarations import arrays_declared
from warplens.analysis.ports.directives.host_uses import HostUse, host_uses
from warplens.analysis.ports.directives.offload_plan import OffloadPlan, OffloadRefusedError
from warplens.analysis.ports.directives.surroundings import (
    directive_statements,
    enclosing_directives,
    is_kernel,
    keeps_data_on_device,
)
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.text.span import Span
from warplens.analysis.workload.accesses.sites import access_sites

_WORD = re.compile(r"[^\W\d]\w*")


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
    arrays = {c_name(array.name): array for array in context.evaluation.facts.nest.arrays}
    written = {site.access.array for site in access_sites(context.evaluation.facts.nest) if site.is_write}
    for region, below in every:
        if not (below.start < nest.start and nest.end <= below.end):
            continue
        mapped = frozenset(_WORD.findall(region))
        own = arrays_declared(source, context.function_span)
        for section in plan.sections:
            kept = arrays.get(c_name(section.array))
            if kept is None or c_name(section.array) not in mapped:
                continue
            apart = mapped | own | (frozenset() if kept.is_pointer else arrays_declared(source, None))
            found = next(_changes(kept, kept.name not in written, host_uses(source, below, elsewhere), apart), None)
            if found is not None:
                line = source.count("\n", 0, found.at) + 1
                said = " ".join(region.split()[:3])
                raise OffloadRefusedError(
                    f"line {line} {_said(found, c_name(kept.name))} on the host, inside of `#pragma {said}`, where a "
                    "directive copies nothing"
                )


def _changes(
    kept: ArrayObject, is_read_only: bool, uses: Iterable[HostUse], apart: Collection[str]
) -> Iterator[HostUse]:
    """Uses that may be of an array that is kept on the device, and matter to a kernel, which may only read it.

    Elements of the arrays in `apart` are none of it.
    """
    name = c_name(kept.name)
    for use in uses:
        may_be_it = use.kind == "call" or use.name == name or (use.kind == "element" and use.name not in apart)
        if may_be_it and not (is_read_only and use.is_read):
            yield use


def _said(use: HostUse, name: str) -> str:
    if use.kind == "call":
        return f"calls `{use.name}`, which may use `{name}`"
    return f"uses `{name}`" if use.name == name else f"uses what `{use.name}` leads to, which may be `{name}`,"


def whole_nest(context: FixContext) -> Span:
    """All of the nest in the source."""
    return dict(context.spans.whole)[context.evaluation.facts.nest.root.id].shifted(context.spans.base)
