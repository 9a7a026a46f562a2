"""The quick fix that writes OpenACC directives, or brings those that are there up to what is predicted best."""

from __future__ import annotations

from textwrap import shorten

from warplens.analysis.ports.directives.offload_plan import OffloadPlan, OffloadRefusedError, offload_plan
from warplens.analysis.ports.directives.own_arrays import own_arrays
from warplens.analysis.ports.directives.placement import why_not_here
from warplens.analysis.ports.directives.wanted_directive import PlacedDirectives, WantedDirective
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext, FixEdits, FixRule, LaunchWish, OfferedFix
from warplens.analysis.ports.openacc.loop_header import header_with_inequality
from warplens.analysis.ports.openacc.parallel_loop import KERNEL, openacc_directives
from warplens.analysis.ports.openacc.placed_directives import placed_directives

CODE = "openacc"
_CLAUSES_LENGTH = 44
_NOTE = "OpenACC directives"


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per nest that has a kernel."""
    if not context.evaluation.kernels:
        return ()
    placed = _placed(context, AS_PREDICTED)
    refusal = placed.refusal
    if not refusal and not placed.edits:
        refusal = "the directives are there already as they would be written"
    return (OfferedFix(CODE, _title(placed), context.evaluation.facts.nest.root.id, refusal=refusal),)


def edit(context: FixContext, _offer: OfferedFix, wish: LaunchWish) -> FixEdits:
    """The directives above their loops."""
    placed = _placed(context, wish)
    if placed.refusal:
        return FixEdits(refusal=placed.refusal)
    granted = ", ".join(f"`{text}`" for text in placed.taken_for_granted)
    note = f"{_NOTE}; all of {granted} is copied, of which data decides what is used" if granted else _NOTE
    return FixEdits(placed.edits, note=note)


FIX = FixRule(CODE, offer, edit)


def openacc_plan(context: FixContext) -> OffloadPlan:
    """The plan of a nest where it stands; raises OffloadRefusedError."""
    nest = context.evaluation.facts.nest
    whole = dict(context.spans.whole).get(nest.root.id)
    if whole is None:
        raise OffloadRefusedError("a loop comes from a macro: a line above the use of the macro may not be above it")
    own = own_arrays(nest, whole.shifted(context.spans.base), context.function_span, context.source)
    plan = offload_plan(context.evaluation, own)
    reason = why_not_here(plan, context.spans, context.source, "OpenACC")
    if reason:
        raise OffloadRefusedError(reason)
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


def _title(placed: PlacedDirectives) -> str:
    """What will be written, as far as a menu shows it: the clauses, and `…` for the rest of them."""
    if placed.is_update:
        return "Update the OpenACC directives"
    if placed.refusal or not placed.wanted:
        return f"Insert `acc {KERNEL}`"
    first, *others = placed.wanted
    shown = shorten(_clauses(first), _CLAUSES_LENGTH, placeholder=" …")
    more = f" and {len(others)} more line{'s' if len(others) > 1 else ''}" if others else ""
    return f"Insert `acc {KERNEL}`: {shown}{more}"


def _clauses(wanted: WantedDirective) -> str:
    if wanted.construct == KERNEL:
        return " ".join(clause.text for clause in wanted.clauses)
    return wanted.text.removeprefix("#pragma acc ")
