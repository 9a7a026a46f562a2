"""The quick fix that accumulates in a variable what a loop accumulates in memory: `sum[0] += x[i]`.

Directives have reductions of variables, not of elements; a GPU adds to an element by one atomic operation per thread,
but sums a variable up in a tree. The element is read before the loop and written behind it, but only if the loop
touches it: where the loop may not run, both depend on its condition.
No gain is predicted: how atomic operations queue is known (atomic_queues.py), what takes their place is a compiler's.

Not done: elements written under a condition, loops with directives, elements that other pointers may reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from warplens.analysis.dependence.transforms.legality import assumptions
from warplens.analysis.dependence.transforms.nest_legality import legality_of
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar
from warplens.analysis.ports.fix import FixContext, FixEdits, FixRule, LaunchWish, OfferedFix, TextEdit
from warplens.analysis.ports.restructure.loop_text import (
    EditRefusedError,
    for_text,
    require_in_scope,
    require_no_directive,
    require_plain_bounds,
    require_plain_header,
    require_statement_of_block,
)
from warplens.analysis.ports.restructure.proof import TOO_LARGE, is_small, missing
from warplens.analysis.ports.source_lines import line_end, lines_above
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import tokenise, without_comments_and_directives
from warplens.analysis.workload.accesses.sites import AccessSite, sites_of
from warplens.analysis.workload.thread_program.changed_in_body import written_in
from warplens.analysis.workload.thread_program.promotion import promotions, same_element

CODE = "local-sum"
_WORD = re.compile(r"[A-Za-z_]\w*")
_ELEMENT = re.compile(r"\*\s*[A-Za-z_]\w*|[A-Za-z_]\w*(?:\s*(?:\[[^()]*\]|(?:\.|->)\s*[A-Za-z_]\w*))+")


@dataclass(frozen=True, slots=True)
class _Sum:
    """An element that a loop accumulates into, and all its accesses in the loop."""

    loop: Loop
    element: Access
    sites: tuple[AccessSite, ...]

    @property
    def ids(self) -> frozenset[NodeId]:
        return frozenset(site.access.id for site in self.sites)


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per element that a kernel's outermost loop accumulates into."""
    found = []
    for chosen in _sums(context):
        shown = c_name(chosen.element.array)
        try:
            shown = _element_text(context, chosen)
            refusal = _refusal(context, chosen)
        except EditRefusedError as refused:
            refusal = str(refused)
        title = f"Accumulate `{shown}` in a variable: directives have reductions of variables"
        found.append(OfferedFix(CODE, title, chosen.loop.id, variant=shown, refusal=refusal))
    return tuple(found)


def edit(context: FixContext, offer: OfferedFix, _wish: LaunchWish) -> FixEdits:
    """A declaration above the loop, the variable in it, and the element's new value behind it."""
    for chosen in _sums(context):
        if chosen.loop.id != offer.loop:
            continue
        try:
            shown = _element_text(context, chosen)
            refusal = _refusal(context, chosen)
            if shown == offer.variant and not refusal:
                return FixEdits(_edits(context, chosen), note=f"`{shown}` is read before the loop, written behind it")
        except EditRefusedError as refused:
            refusal = str(refused)
        if refusal:
            return FixEdits(refusal=refusal)
    return FixEdits()


FIX = FixRule(CODE, offer, edit).of_source_order


def _sums(context: FixContext) -> Iterator[_Sum]:
    facts = context.evaluation.facts
    roots = {kernel.root: kernel for kernel in facts.kernels if any(r.is_array_element for r in kernel.reductions)}
    for loop in loops_of(facts.nest):
        if loop.id not in roots:
            continue
        statements = {r.statement for r in roots[loop.id].reductions if r.is_array_element and r.operator != "store"}
        sites = sites_of((loop,))
        for promotion in promotions(loop, written_in(loop)):
            same = tuple(site for site in sites if same_element(site.access, promotion.store))
            if promotion.is_read and all(site.statement in statements for site in same):
                yield _Sum(loop, promotion.store, same)


def _refusal(context: FixContext, chosen: _Sum) -> str:
    """Why the loop must keep the element in memory; may raise EditRefusedError too."""
    facts = context.evaluation.facts
    name = f"the loop over `{c_name(chosen.loop.iterator)}`"
    if not isinstance(chosen.element.type, Scalar) or chosen.element.type.lanes != 1:
        return f"`{c_name(chosen.element.array)}` holds no plain numbers"
    if not is_small(facts.nest):
        return TOO_LARGE
    graph = legality_of(facts.nest, facts.verdicts).graph
    for assumption in assumptions(graph, chosen.loop, ()):
        if chosen.element.array in assumption.names and assumption.kind != "context":
            return missing(assumption)
    text = for_text(context, chosen.loop)
    require_no_directive(context, chosen.loop, text)
    require_statement_of_block(context, text, name)
    require_in_scope(context, chosen.loop, _WORD.findall(f"{_element_text(context, chosen)} {_guard(context, chosen)}"))
    return ""


def _element_text(context: FixContext, chosen: _Sum) -> str:
    """The element as the source has it. Raises EditRefusedError where its accesses are not written out."""
    texts = {context.source[span.start : span.end] for span in _spans(context, chosen)}
    text = min(texts)
    if not all(map(_ELEMENT.fullmatch, texts)):
        raise EditRefusedError(f"`{c_name(chosen.element.array)}` is not accessed as an element that is written out")
    names = frozenset(_WORD.findall(text))
    path = MemoryPath.of(c_name(chosen.element.array))
    if path.is_of_elements or path.base.strip("(*)") not in names:
        raise EditRefusedError(f"`{text}` is another name of `{c_name(chosen.element.array)}`")
    return text


def _spans(context: FixContext, chosen: _Sum) -> list[Span]:
    nodes = dict(context.spans.nodes)
    for number in chosen.ids:
        if number not in nodes or number in context.spans.in_macro:
            raise EditRefusedError(f"`{c_name(chosen.element.array)}` is accessed by a macro")
    spans = sorted({nodes[number].shifted(context.spans.base) for number in chosen.ids})
    whole = for_text(context, chosen.loop).whole
    if any(not whole.start <= span.start < span.end <= whole.end for span in spans):
        raise EditRefusedError(f"`{c_name(chosen.element.array)}` is accessed in a function that the loop calls")
    return spans


def _guard(context: FixContext, chosen: _Sum) -> str:
    """C text that says whether the loop touches the element; empty if it does, or the statement before it did.

    Raises EditRefusedError where that can't be said before the loop.
    """
    text = for_text(context, chosen.loop)
    element = _element_text(context, chosen)
    before = without_comments_and_directives(context.source[context.function_span.start : text.whole.start]).rstrip()
    if re.search(rf"[;{{}}]\s*{re.escape(element)}\s*=[^=;]*;$", before):
        return ""
    conditions: list[str] = []
    site = next(site for site in chosen.sites if site.is_write)
    iterators = {c_name(loop.iterator) for loop in site.loops}
    for loop in site.loops:
        if _certainly_runs(loop):
            continue
        part = for_text(context, loop)
        require_plain_header(part, loop.iterator)
        require_plain_bounds(context.evaluation.facts.nest, loop)
        start = part.start.partition("=")[2].strip()
        if not iterators.isdisjoint(_WORD.findall(start)):
            raise EditRefusedError(f"whether the loop over `{c_name(loop.iterator)}` runs differs between iterations")
        simple = start if re.fullmatch(r"\w+", start) else f"({start})"
        kind = loop.iterator_type
        if not (isinstance(kind, Scalar) and kind.name == "int"):
            simple = f"({kind.name}){simple}" if isinstance(kind, Scalar) else simple
        condition = re.sub(rf"\b{re.escape(c_name(loop.iterator))}\b", simple, part.condition)
        if not iterators.isdisjoint(_WORD.findall(condition)):
            raise EditRefusedError(f"whether the loop over `{c_name(loop.iterator)}` runs differs between iterations")
        conditions.append(condition)
    return " && ".join(conditions)


def _certainly_runs(loop: Loop) -> bool:
    if loop.start is None or not loop.limits or loop.bound_reads:
        return False
    distances = [(limit - loop.start) * (1 if loop.step > 0 else -1) for limit in loop.limits]
    return all(distance.is_constant and distance.constant_term > 0 for distance in distances)


def _edits(context: FixContext, chosen: _Sum) -> tuple[TextEdit, ...]:
    source = context.source
    text = for_text(context, chosen.loop)
    element, guard = _element_text(context, chosen), _guard(context, chosen)
    kind = chosen.element.type
    assert isinstance(kind, Scalar)
    name = _new_name(source, element)
    value = f"{guard} ? {element} : 0" if guard else element
    above = lines_above(source, text.whole.start, (f"{kind.name} {name} = {value};",))
    back = f"if ({guard}) {element} = {name};" if guard else f"{element} = {name};"
    line = source.rfind("\n", 0, text.whole.start) + 1
    before = source[line : text.whole.start]
    indent = before[: len(before) - len(before.lstrip())]
    inside = tuple(TextEdit(span, name) for span in _spans(context, chosen))
    end = text.whole.end
    rest = source[end:].partition("\n")[0]
    is_open = rest.rfind("/*") > rest.rfind("*/")
    if not without_comments_and_directives(rest).strip() and not is_open:
        end += len(rest.rstrip("\r"))
    return (above, *inside, TextEdit(Span(end, end), f"{line_end(source)}{indent}{back}"))


def _new_name(source: str, element: str) -> str:
    """`sum_0` for `sum[0]`, `sum_value` for `*sum`, with a number where the file has that word."""
    words = re.findall(r"\w+", element)
    name = "_".join(words) if len(words) > 1 else f"{words[0]}_value"
    taken = frozenset(tokenise(source).texts) | frozenset(_WORD.findall(source))
    return next(candidate for candidate in (name, *(f"{name}_{n}" for n in range(2, 999))) if candidate not in taken)
