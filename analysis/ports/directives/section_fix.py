"""The fix that has a directive copy what its loop touches (WL104)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from warplens.analysis.advice.rules.mapping_mistake import CODE
from warplens.analysis.facts.mapping_mistake import MappingMistake
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ports.directives.clause import base_name
from warplens.analysis.ports.directives.clause_fix import directive_of
from warplens.analysis.ports.directives.map_section import SectionRefusedError, map_section
from warplens.analysis.ports.directives.surroundings import keeps_data_on_device
from warplens.analysis.ports.fix import FixContext, FixEdits, FixRule, LaunchWish, OfferedFix, TextEdit
from warplens.analysis.ports.sections.size_order import SizeOrder
from warplens.analysis.ports.sections.touched_elements import touched_elements
from warplens.analysis.text.directive_text import Clause, ExistingDirective
from warplens.analysis.text.span import Span

_CODE = "section"
_DATA = ("map", "copyin", "copyout", "create", "copy")
_BOTH_WAYS = {"map": "tofrom", "copyin": "copy", "copyout": "copy", "create": "copy"}


@dataclass(frozen=True, slots=True)
class _Change:
    """A clause of the directive, the item in it that is wrong, and what stands in its place."""

    old: Clause
    item: str
    new: Clause


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per mistake."""
    return tuple(_offered(context, loop, mistake) for loop, mistake in _mistakes(context))


def edit(context: FixContext, offered: OfferedFix, _wish: LaunchWish) -> FixEdits:
    """The clause with the section and the direction that the loop needs; other items stay where they are."""
    for loop, mistake in _mistakes(context):
        if loop.id == offered.loop and mistake.section.array == offered.variant:
            directive = directive_of(context, loop)
            change = directive if isinstance(directive, str) else _change(context, directive, mistake)
            if isinstance(change, str) or isinstance(directive, str):
                return FixEdits(refusal=str(change))
            return FixEdits(_edits(directive, change), note="what the loop touches is copied")
    return FixEdits(refusal="the directive copies what the loop touches")


def is_kept_elsewhere(context: FixContext) -> bool:
    """Whether the file says elsewhere what is on the device: what a clause leaves out may be there."""
    nest = dict(context.spans.whole)[context.evaluation.facts.nest.root.id].shifted(context.spans.base)
    return bool(keeps_data_on_device(context.source, nest, context.function))


def _mistakes(context: FixContext) -> Iterator[tuple[Loop, MappingMistake]]:
    facts = context.evaluation.facts
    found = {verdict.loop: verdict.mismapped for verdict in facts.verdicts if verdict.mismapped}
    if not found or is_kept_elsewhere(context):
        return
    for loop in loops_of(facts.nest):
        yield from ((loop, mistake) for mistake in found.get(loop.id, ()))


def _offered(context: FixContext, loop: Loop, mistake: MappingMistake) -> OfferedFix:
    directive = directive_of(context, loop)
    change = directive if isinstance(directive, str) else _change(context, directive, mistake)
    refusal, wanted = (change, "") if isinstance(change, str) else ("", change.new.text)
    title = f"Write `{wanted}` for `{mistake.section.text}`" if wanted else f"Correct `{mistake.section.text}`"
    return OfferedFix(_CODE, title, loop.id, variant=mistake.section.array, refusal=refusal, findings=(CODE,))


def _change(context: FixContext, directive: ExistingDirective, mistake: MappingMistake) -> _Change | str:
    """What to change, or why that is not known."""
    section = mistake.section
    named = ((clause, item) for clause in directive.named(*_DATA) for item in clause.items if item == section.text)
    found = next(named, None)
    if found is None:
        return f"`{section.text}` is not in the directive's text"
    old, item = found
    if mistake.kind != "outside":
        return _Change(old, item, _both_ways(old, item))
    nest = context.evaluation.facts.nest
    touched = [element for element in touched_elements(nest) if element.access.array == section.array]
    order = SizeOrder(nest)
    try:
        wanted = map_section(nest, nest.array(section.array), touched, order)
    except SectionRefusedError as error:
        return str(error)
    if wanted is None or (order.conditions and any(times < 0 for _, times in wanted.elements.terms)):
        return f"the section of `{base_name(item)}` that is touched has no length where the sizes are small"
    return _Change(old, item, replace(old, items=(wanted.text,)))


def _both_ways(old: Clause, item: str) -> Clause:
    if old.name != "map":
        return replace(old, name=_BOTH_WAYS[old.name], items=(item,))
    modifiers = [part.strip() for part in old.modifier.split(",")][:-1]
    return replace(old, modifier=", ".join((*modifiers, _BOTH_WAYS["map"])), items=(item,))


def _edits(directive: ExistingDirective, change: _Change) -> tuple[TextEdit, ...]:
    others = tuple(item for item in change.old.items if item != change.item)
    if not others:
        return (TextEdit(change.old.span, change.new.text),)
    end = Span(directive.end, directive.end)
    return (
        TextEdit(change.old.inner, replace(change.old, items=others).argument),
        TextEdit(end, f" {change.new.text}"),
    )


FIX = FixRule(_CODE, offer, edit).of_source_order
