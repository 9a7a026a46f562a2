"""Wanted OpenACC directives as edits of a source: new lines, and changes of the directives that stand there."""

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
from warplens.analysis.ports.directives.surroundings import (
    directive_inside,
    directives_of,
    manages_device_data,
    pragma_that_wants_its_loop,
)
from warplens.analysis.ports.directives.wanted_directive import PlacedDirectives, WantedDirective
from warplens.analysis.ports.fix import FixContext, TextEdit
from warplens.analysis.ports.openacc.parallel_loop import (
    ATOMIC,
    ATOMIC_STORE,
    DATA,
    KERNEL,
    LOOP,
    is_of_team,
)
from warplens.analysis.ports.openacc.routines import TEXT as ROUTINE
from warplens.analysis.ports.openacc.routines import definitions_to_mark
from warplens.analysis.ports.openacc.update import WORDS, updated
from warplens.analysis.ports.source_lines import indentation_at, lines_above
from warplens.analysis.text.directive_text import ExistingDirective

_UPDATABLE = frozenset(("parallel loop", "kernels loop"))
_INNER = (["loop"], ["cache"])


def placed_directives(context: FixContext, plan: OffloadPlan, wanted: tuple[WantedDirective, ...]) -> PlacedDirectives:
    """Where the lines go; a refusal where a directive around or above a loop contradicts them."""
    try:
        _require_free(context, plan, {each.node for each in wanted if each.construct == LOOP})
        edits = _routines(context)
        lines: dict[int, list[str]] = {}
        is_update = False
        joined: frozenset[NodeId] = frozenset()
        for each in wanted:
            existing = None
            if each.construct in {ATOMIC, ATOMIC_STORE}:
                at = place_of_atomic(context, each)
            elif each.at is not None:
                at = each.at
            else:
                at = dict(context.spans.header)[each.node].start + context.spans.base
                existing = _existing(context, each)
            if each.construct == KERNEL:
                joined |= joined_loops(existing, _loop(context, each))
            if each.construct == LOOP and each.node in joined:
                _require_sequential(context, each)
                continue
            with_data = existing is None or each.construct == DATA or not manages_device_data(context.source)
            if with_data and each.has_condition:
                require_host_data(context, plan, "acc data")
            if existing is None and each.construct == KERNEL:
                require_fresh_device_data(context, plan)
            if existing is None and at is not None:
                guard = (f"if ({each.guard})",) if each.guard else ()
                lines.setdefault(at, []).extend((*guard, *each.lines(indentation_at(context.source, at))))
            elif existing is not None and (each.construct != LOOP or is_of_team(each)):
                is_update = True
                edits += updated(context.source, existing, each, with_data=with_data)
    except (OffloadRefusedError, UpdateRefusedError) as error:
        return PlacedDirectives(refusal=str(error))
    edits += (lines_above(context.source, at, tuple(texts)) for at, texts in lines.items())
    edits.sort(key=lambda edit: edit.span)
    return PlacedDirectives(tuple(edits), wanted, is_update, plan.taken_for_granted)


def _routines(context: FixContext) -> list[TextEdit]:
    """Lines above the definitions of called functions."""
    called = context.evaluation.facts.nest.inlined
    places = definitions_to_mark(called, context.source, context.function_span.start)
    return [lines_above(context.source, at, (ROUTINE,)) for at in places]


def _require_free(context: FixContext, plan: OffloadPlan, sequential: set[int]) -> None:
    """Refuse where directives stand around the nest, between joined loops, or at loops that get none."""
    nest = context.evaluation.facts.nest
    regions_around(context, "acc data")
    roots = {kernel.root for kernel in plan.kernels} | ({plan.root} if plan.is_repeated else set())
    spread = {loop for kernel in plan.kernels for loop in kernel.loops} - sequential
    for loop in loops_of(nest):
        iterator = c_name(loop.iterator)
        if loop.id in roots | spread | sequential and (pragma := pragma_that_wants_its_loop(loop)):
            raise OffloadRefusedError(f"`{pragma}` wants the loop over `{iterator}` right below it")
        for directive in directives_of(loop):
            language, *words = directive.replace("(", " ").split()[1:]
            if language == "omp":
                raise OffloadRefusedError(f"the loop over `{iterator}` already has a directive of OpenMP")
            if loop.id not in roots and not (words[:1] in _INNER and loop.id not in spread):
                raise OffloadRefusedError(
                    f"the loop over `{iterator}` has a directive of its own: `{in_short(directive)}`"
                )
    inside = directive_inside(context.source, whole_nest(context), "acc")
    if inside:
        raise OffloadRefusedError(f"`#pragma {inside}` stands inside of the loop: it would mean something else there")


def _existing(context: FixContext, wanted: WantedDirective) -> ExistingDirective | None:
    """The directive above the loop that the wanted one would be an update of."""
    loop = _loop(context, wanted)
    there = directives_of(loop)
    if wanted.construct == LOOP:
        there = tuple(directive for directive in there if "cache" not in directive.replace("(", " ").split())
    found = directive_there(context, loop, there, WORDS)
    if found is not None:
        _require_same_kind(found, wanted, loop)
    return found


def _require_sequential(context: FixContext, wanted: WantedDirective) -> None:
    """Refuse a line above a loop that the user's own directive joins with others, where one is needed."""
    if is_of_team(wanted):
        iterator = c_name(_loop(context, wanted).iterator)
        raise OffloadRefusedError(f"the loop over `{iterator}` is joined with the one around it by its directive")


def _loop(context: FixContext, wanted: WantedDirective) -> Loop:
    return next(loop for loop in loops_of(context.evaluation.facts.nest) if loop.id == wanted.node)


def _require_same_kind(existing: ExistingDirective, wanted: WantedDirective, loop: Loop) -> None:
    construct = existing.construct
    if wanted.construct == LOOP or (wanted.construct == DATA and construct == DATA):
        return
    if wanted.construct == KERNEL and construct in _UPDATABLE:
        if existing.named("seq") or (existing.named("worker") and not any(c.name == "worker" for c in wanted.clauses)):
            raise OffloadRefusedError(
                f"`acc {construct}` of the loop over `{c_name(loop.iterator)}` says how it is spread"
            )
        return
    if wanted.construct == KERNEL and construct == "loop":
        raise OffloadRefusedError("`acc loop` shares out the iterations in a region around it, in this function or not")
    what = "runs in order" if wanted.construct == DATA else "would get other threads"
    raise OffloadRefusedError(
        f"the loop over `{c_name(loop.iterator)}` has the directive `acc {construct}`, but {what}"
    )
