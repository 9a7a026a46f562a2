"""The quick fix that reorders perfectly nested loops: parallel ones first, the one that is contiguous last of them.

The ports by directives take the loops as they stand: a parallel loop inside one that must run in order is launched
again and again, one inside a sum is not spread at all, and of collapsed loops neighbouring threads lie along the
innermost. The iterations are the same, so the headers change places and the body stays.

Not done: bounds that depend on another of the loops (a triangle), loops with directives, sums that would be rounded
in another order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.dependence.transforms.legality import perfect_band
from warplens.analysis.dependence.transforms.nest_legality import legality_of
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.fix import FixContext, FixEdits, FixRule, LaunchWish, OfferedFix, TextEdit
from warplens.analysis.ports.restructure.loop_text import (
    EditRefusedError,
    ForText,
    code_between,
    declared_beside,
    for_text,
    header_names,
    require_no_directive,
    require_plain_bounds,
    require_plain_header,
)
from warplens.analysis.ports.restructure.predicted_gain import LEAST_GAIN, gain_of, gain_of_axis, predicted_s
from warplens.analysis.ports.restructure.proof import TOO_LARGE, is_small, unproved
from warplens.analysis.ports.restructure.rebuilt_nest import reordered, with_loop

CODE = "interchange"


@dataclass(frozen=True, slots=True)
class _Plan:
    """A band, outermost first, in the order it should have, and what that is good for."""

    band: tuple[Loop, ...]
    order: tuple[NodeId, ...]
    effect: str
    axis_gain: float
    is_launched_less: bool = False
    gain: float | None = None


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per band of loops that stand in a worse order than they could."""
    found = []
    for plan in _plans(context):
        refusal = _refusal(context, plan)
        gain = plan.gain
        if not refusal:
            outermost = reordered(plan.band, plan.order)
            (nest,) = with_loop(context.evaluation.facts.nest, plan.band[0].id, (outermost,))
            facts = analyse_nest(nest)
            if _is_wanted_again(facts, plan):
                continue
            if plan.is_launched_less:
                after_s = predicted_s(context.evaluation, (facts,))
                if after_s is None or gain_of(context.evaluation, after_s) < LEAST_GAIN:
                    continue
                gain = gain_of(context.evaluation, after_s)
        found.append(OfferedFix(CODE, _title(plan), plan.band[0].id, refusal=refusal, gain=None if refusal else gain))
    return tuple(found)


def edit(context: FixContext, offer: OfferedFix, _wish: LaunchWish) -> FixEdits:
    """What stands in the headers' parentheses, in its new places."""
    plan = next((plan for plan in _plans(context) if plan.band[0].id == offer.loop), None)
    if plan is None:
        return FixEdits()
    refusal = _refusal(context, plan)
    if refusal:
        return FixEdits(refusal=refusal)
    texts = {loop.id: for_text(context, loop).inside for loop in plan.band}
    edits = tuple(
        TextEdit(texts[loop.id], context.source[texts[new].start : texts[new].end])
        for loop, new in zip(plan.band, plan.order, strict=True)
        if loop.id != new
    )
    return FixEdits(edits, note=f"{_title(plan)}; the loops' order changes no result")


FIX = FixRule(CODE, offer, edit).of_source_order


def _plans(context: FixContext) -> Iterator[_Plan]:
    evaluation = context.evaluation
    kernels = {kernel.kernel.root: kernel for kernel in evaluation.kernels}
    for band in _bands(evaluation.facts):
        kernel = next((kernels[loop.id] for loop in band if loop.id in kernels), None)
        if kernel is not None:
            gain = gain_of_axis(evaluation, kernel)
            plan = _plan(evaluation.facts, band, kernel.kernel, gain)
            if plan is not None:
                yield plan


def _bands(facts: NestFacts) -> Iterator[tuple[Loop, ...]]:
    """Every maximal perfect nest of two loops or more."""
    taken: set[NodeId] = set()
    loops = {loop.id: loop for loop in loops_of(facts.nest)}
    for loop in loops.values():
        if loop.id not in taken:
            ids = perfect_band(loop)
            taken.update(ids)
            if len(ids) > 1:
                yield tuple(loops[number] for number in ids)


def _plan(facts: NestFacts, band: tuple[Loop, ...], kernel: Kernel, axis_gain: float) -> _Plan | None:
    source = tuple(loop.id for loop in band)
    threads = {g.loop for g in kernel.grid}  # the others of more than three parallel loops may stay where they are
    grid = [number for number in source if number in threads or facts.verdict(number).kind == "parallel"]
    base = (*grid, *(number for number in source if number not in grid))
    x = kernel.thread_order[0]
    turned = (*(number for number in grid if number != x), x, *base[len(grid) :])
    is_turned = x != kernel.grid[-1].loop and axis_gain >= LEAST_GAIN
    order = turned if is_turned else base
    if order == source:
        return None
    names = {loop.id: c_name(loop.iterator) for loop in band}
    first = band[0]
    if not facts.verdict(first.id).can_run_in_parallel and first.id != kernel.root:
        effect = f"`{names[order[0]]}` outermost, one kernel, not one for each `{names[first.id]}`"
        return _Plan(band, order, effect, axis_gain, is_launched_less=True)
    if is_turned:
        where = "innermost" if order[-1] == x else "last of the parallel ones"
        effect = f"`{names[x]}` {where}, for coalesced accesses"
        return _Plan(band, order, effect, axis_gain, gain=axis_gain)
    effect = f"`{names[grid[0]]}` outermost, as a directive needs it"
    return _Plan(band, order, effect, axis_gain)


def _is_wanted_again(after: NestFacts, plan: _Plan) -> bool:
    """Whether the loops in their new order, with other verdicts, would be put into another one."""
    by_id = {loop.id: loop for loop in loops_of(after.nest)}
    band = tuple(by_id[number] for number in plan.order)
    kernel = next((kernel for kernel in after.kernels if kernel.root in plan.order), None)
    return kernel is None or _plan(after, band, kernel, plan.axis_gain) is not None


def _refusal(context: FixContext, plan: _Plan) -> str:
    nest = context.evaluation.facts.nest
    iterators = {loop.iterator for loop in plan.band}
    for loop in plan.band:
        bounds = (*loop.limits, *(() if loop.start is None else (loop.start,)))
        other = sorted(iterators.intersection(*[frozenset().union(*(bound.symbols for bound in bounds))]))
        if other:
            return f"the bounds of the loop over `{c_name(loop.iterator)}` depend on `{c_name(other[0])}`"
    try:
        _require_exchangeable(context, plan)
    except EditRefusedError as refused:
        return str(refused)
    if not is_small(nest):
        return TOO_LARGE
    legality = legality_of(nest, context.evaluation.facts.verdicts).permutation(plan.order).legality
    return unproved(context.evaluation.facts, legality)


def _require_exchangeable(context: FixContext, plan: _Plan) -> None:
    """Raise EditRefusedError unless headers can change places without anything else."""
    texts: list[ForText] = []
    for loop in plan.band:
        text = for_text(context, loop)
        require_no_directive(context, loop, text)
        require_plain_header(text, loop.iterator)
        require_plain_bounds(context.evaluation.facts.nest, loop)
        texts.append(text)
    for (outer, around), (inner, text) in pairwise(zip(plan.band, texts, strict=True)):
        names = f"the loops over `{c_name(outer.iterator)}` and `{c_name(inner.iterator)}`"
        before = code_between(context.source, around.header.end, text.header.start)
        after = code_between(context.source, text.whole.end, around.whole.end)
        if before.strip("{") or after.strip("}"):
            raise EditRefusedError(f"something stands between {names}")
        declared = declared_beside(context, outer, inner)
        if declared:
            raise EditRefusedError(f"`{c_name(declared[0])}` is declared between {names}")
    for loop, text in zip(plan.band, texts, strict=True):
        others = {c_name(other.iterator) for other in plan.band if other is not loop}
        used = sorted(others & header_names(text))
        if used or c_name(loop.iterator) in others:
            raise EditRefusedError(
                f"the header of the loop over `{c_name(loop.iterator)}` uses `{(*used, c_name(loop.iterator))[0]}`"
            )


def _title(plan: _Plan) -> str:
    names = {loop.id: f"`{c_name(loop.iterator)}`" for loop in plan.band}
    moved = [loop.id for loop, new in zip(plan.band, plan.order, strict=True) if loop.id != new]
    if len(moved) == 2:
        return f"Interchange loops {names[moved[0]]} and {names[moved[1]]}: {plan.effect}"
    now, then = (", ".join(names[number] for number in order) for order in (names, plan.order))
    return f"Reorder loops {now} to {then}: {plan.effect}"
