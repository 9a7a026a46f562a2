"""The quick fix that writes OpenMP `target` directives, or brings those that are there up to what is predicted best."""

from __future__ import annotations

from math import prod
from textwrap import shorten

from warplens.analysis.ports.directives.offload_plan import OffloadPlan, OffloadRefusedError, offload_plan
from warplens.analysis.ports.directives.own_arrays import own_arrays
from warplens.analysis.ports.directives.placement import why_not_here
from warplens.analysis.ports.directives.wanted_directive import PlacedDirectives, WantedDirective
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext, FixEdits, FixRule, LaunchWish, OfferedFix
from warplens.analysis.ports.openmp.placed_directives import placed_directives
from warplens.analysis.ports.openmp.target import KERNEL, openmp_directives

CODE = "openmp"
_CLAUSES_LENGTH = 44
_NOTE = "OpenMP target directives"


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per nest that has a kernel."""
    if not context.evaluation.kernels:
        return ()
    placed = _placed(context, AS_PREDICTED)
    refusal = placed.refusal
    if not refusal and not placed.edits:
        refusal = "the directives are there already as they would be written"
    root = context.evaluation.facts.nest.root.id
    return (OfferedFix(CODE, _title(placed), root, refusal=refusal, findings=("WL303",) if placed.is_update else ()),)


def edit(context: FixContext, _offer: OfferedFix, wish: LaunchWish) -> FixEdits:
    """The directives above their loops."""
    placed = _placed(context, wish)
    if placed.refusal:
        return FixEdits(refusal=placed.refusal)
    granted = ", ".join(f"`{text}`" for text in placed.taken_for_granted)
    note = f"{_NOTE}; all of {granted} is copied, of which data decides what is used" if granted else _NOTE
    return FixEdits(placed.edits, note=note)


FIX = FixRule(CODE, offer, edit)


def openmp_plan(context: FixContext) -> OffloadPlan:
    """The plan of a nest where it stands; raises OffloadRefusedError."""
    nest = context.evaluation.facts.nest
    whole = dict(context.spans.whole).get(nest.root.id)
    if whole is None:
        raise OffloadRefusedError("a loop comes from a macro: a line above the use of the macro may not be above it")
    own = own_arrays(nest, whole.shifted(context.spans.base), context.function_span, context.source)
    plan = offload_plan(context.evaluation, own)
    reason = why_not_here(plan, context.spans, context.source, "OpenMP")
    if reason:
        raise OffloadRefusedError(reason)
    return plan


def _placed(context: FixContext, wish: LaunchWish) -> PlacedDirectives:
    if wish.shared:
        names = ", ".join(f"`{name}`" for name in wish.shared)
        return PlacedDirectives(refusal=f"OpenMP has no shared memory for {names}: use the CUDA port")
    if wish.outputs_per_thread is not None and prod(wish.outputs_per_thread) > 1:
        return PlacedDirectives(refusal="OpenMP itself decides how many iterations a thread runs: use the CUDA port")
    try:
        plan = openmp_plan(context)
    except OffloadRefusedError as error:
        return PlacedDirectives(refusal=str(error))
    return placed_directives(context, plan, openmp_directives(plan, prod(wish.block) if wish.block else None))


def _title(placed: PlacedDirectives) -> str:
    """What will be written, as far as a menu shows it: the clauses, and `…` for the rest of them."""
    if placed.is_update:
        return "Update the OpenMP directives"
    if placed.refusal or not placed.wanted:
        return f"Insert `omp {KERNEL}`"
    first, *others = placed.wanted
    shown = shorten(_clauses(first), _CLAUSES_LENGTH, placeholder=" …")
    more = f" and {len(others)} more line{'s' if len(others) > 1 else ''}" if others else ""
    return f"Insert `omp {KERNEL}`: {shown}{more}"


def _clauses(wanted: WantedDirective) -> str:
    if wanted.construct == KERNEL:
        return " ".join(clause.text for clause in wanted.clauses)
    return wanted.text.removeprefix("#pragma omp ")
