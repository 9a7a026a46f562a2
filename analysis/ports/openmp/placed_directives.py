"""Wanted directives as edits of a source: new lines, and changes of the directives that stand there."""

from __future__ import annotations

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.atomic_statement import place_of_atomic
from warplens.analysis.ports.directives.directive_changes import UpdateRefusedError
from warplens.analysis.ports.directives.directive_there import directive_there, in_short
from warplens.analysis.ports.directives.host_data import (
    regions_around,
    require_fresh_device_data,
    require_host_data,
    whole_nest,
)
from warplens.analysis.ports.directives.joined_loops import joined_loops
from warplens.analysis.ports.directives.offload_plan import OffloadPlan, OffloadRefusedError
from warplens.analysis.ports.directives.placement import is_canonical_here
from warplens.analysis.ports.directives.surroundings import (
    directive_inside,
    directives_of,
    manages_device_data,
    pragma_that_wants_its_loop,
)
from warplens.analysis.ports.directives.wanted_directive import PlacedDirectives, WantedDirective
from warplens.analysis.ports.fix import FixContext, TextEdit
from warplens.analysis.ports.openmp.target import (
    ATOMIC,
    ATOMIC_STORE,
    DATA,
    KERNEL,
    ROWS,
    SIMD,
    TEAM_LANES,
    TEAM_LOOP,
)
from warplens.analysis.ports.openmp.update import updated
from warplens.analysis.ports.openmp.words import (
    WORDS,
    may_be_of_rows,
    spreads_over_device,
    spreads_over_host,
)
from warplens.analysis.ports.source_lines import indentation_at, lines_above
from warplens.analysis.text.directive_text import ExistingDirective


def placed_directives(context: FixContext, plan: OffloadPlan, wanted: tuple[WantedDirective, ...]) -> PlacedDirectives:
    """Where the lines go; a refusal where a directive around or above a loop contradicts them."""
    try:
        _require_free(context, plan)
        edits: list[TextEdit] = []
        lines: dict[int, list[str]] = {}
        kept: list[WantedDirective] = []
        is_update = False
        joined: frozenset[NodeId] = frozenset()
        for each in wanted:
            existing = _existing(context, each)
            if each.construct in {KERNEL, ROWS}:
                joined |= joined_loops(existing, _loop(context, each))
            if each.construct == SIMD and each.node in joined:
                continue
            if each.construct == SIMD and (existing or not is_canonical_here(each.node, context.spans, context.source)):
                continue
            kept.append(each)
            if each.construct in {ATOMIC, ATOMIC_STORE}:
                at = place_of_atomic(context, each)
            else:
                at = dict(context.spans.header)[each.node].start + context.spans.base
            with_maps = (
                existing is None
                or each.construct == DATA
                or spreads_over_host(existing.construct)
                or not manages_device_data(context.source)
            )
            if with_maps and each.has_condition:
                require_host_data(context, plan, "omp target data")
            if existing is None and each.construct in {KERNEL, ROWS}:
                require_fresh_device_data(context, plan)
            if existing is not None:
                is_update = True
                edits += updated(context.source, existing, each, with_maps=with_maps)
            elif at is not None:
                lines.setdefault(at, []).extend(each.lines(indentation_at(context.source, at)))
    except (OffloadRefusedError, UpdateRefusedError) as error:
        return PlacedDirectives(refusal=str(error))
    edits += (lines_above(context.source, at, tuple(texts)) for at, texts in lines.items())
    edits.sort(key=lambda edit: edit.span)
    return PlacedDirectives(tuple(edits), tuple(kept), is_update, plan.taken_for_granted)


def _require_free(context: FixContext, plan: OffloadPlan) -> None:
    """Refuse where directives stand around the nest, between collapsed loops, or at loops that get none."""
    nest = context.evaluation.facts.nest
    regions_around(context, "omp target data")
    roots = {kernel.root for kernel in plan.kernels}
    vectors = {kernel.vector for kernel in plan.kernels}
    spread = {loop for kernel in plan.kernels for loop in kernel.loops}
    of_teams = {loop.loop for kernel in plan.kernels for loop in kernel.team_loops}
    for loop in loops_of(nest):
        iterator = c_name(loop.iterator)
        if loop.id in roots | spread | vectors | {plan.root} and (pragma := pragma_that_wants_its_loop(loop)):
            raise OffloadRefusedError(f"`{pragma}` wants the loop over `{iterator}` right below it")
        for directive in directives_of(loop):
            words = directive.split()[2:]
            is_inner = loop.id not in roots | spread | {plan.root}
            if "acc" in directive.split()[1:2] and (not is_inner or words[:1] != ["loop"]):
                raise OffloadRefusedError(f"the loop over `{iterator}` already has a directive of OpenACC")
            if is_inner and (words[:1] == ["simd"] or (loop.id in of_teams and words[:2] == ["parallel", "for"])):
                continue
            if loop.id not in roots and not (plan.is_repeated and loop.id == plan.root):
                raise OffloadRefusedError(
                    f"the loop over `{iterator}` has a directive of its own: `{in_short(directive)}`"
                )
    inside = directive_inside(context.source, whole_nest(context), "omp")
    if inside:
        raise OffloadRefusedError(f"`#pragma {inside}` stands inside of the loop: it would mean something else there")


def _existing(context: FixContext, wanted: WantedDirective) -> ExistingDirective | None:
    """The directive above the loop that the wanted one would be an update of."""
    if wanted.construct in {ATOMIC, ATOMIC_STORE}:
        return None
    loop = _loop(context, wanted)
    there = directives_of(loop)
    found = directive_there(context, loop, there, WORDS)
    if found is not None:
        _require_same_kind(found, wanted, loop)
    return found


def _loop(context: FixContext, wanted: WantedDirective) -> Loop:
    return next(loop for loop in loops_of(context.evaluation.facts.nest) if loop.id == wanted.node)


def _require_same_kind(existing: ExistingDirective, wanted: WantedDirective, loop: Loop) -> None:
    construct, iterator = existing.construct, c_name(loop.iterator)
    if wanted.construct == SIMD or (wanted.construct == DATA and construct == DATA):
        return
    if wanted.construct in {TEAM_LOOP, TEAM_LANES} and (construct == SIMD or spreads_over_host(construct)):
        return
    if wanted.construct == ROWS and (may_be_of_rows(construct) or spreads_over_host(construct)):
        return
    if wanted.construct == KERNEL and (spreads_over_device(construct) or spreads_over_host(construct)):
        if "loop" in existing.words and any(clause.name == "lastprivate" for clause in wanted.clauses):
            raise OffloadRefusedError(f"`omp {construct}` has no `lastprivate`, which this loop needs")
        return
    if wanted.construct == KERNEL and construct in {"for", "for simd", "distribute", "loop"}:
        raise OffloadRefusedError(f"`omp {construct}` shares out the iterations of a region around it")
    what = "runs in order" if wanted.construct == DATA else "would get other threads"
    raise OffloadRefusedError(f"the loop over `{iterator}` has the directive `omp {construct}`, but {what}")
