"""Whether the lines of a plan can be put into a source: not above loops from macros, nor where names mislead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from textwrap import shorten

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.ports.directives.canonical_header import is_canonical, iterator_of
from warplens.analysis.ports.directives.offload_plan import OffloadPlan
from warplens.analysis.ports.directives.pointer_names import other_pointer, shared_pointers
from warplens.analysis.text.tokens import without_comments_and_directives

_SHOWN = 40
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|else|endif)\b[^\n]*", re.MULTILINE)


def why_not_here(plan: OffloadPlan, spans: NestSpans, source: str, dialect: str) -> str:
    """Reason in the source's terms, empty if there is none; `dialect` is the language of the directives."""
    headers = dict(spans.header)
    for kernel in plan.kernels:
        outer: list[str] = []
        for loop in dict.fromkeys((kernel.root, *kernel.loops)):
            reason = why_not_above(loop, spans, source)
            if reason:
                return reason
            span = headers[loop].shifted(spans.base)
            header = source[span.start : span.end]
            if loop in kernel.loops and not is_canonical(header):
                return f"`{header}` is not of the form that {dialect} wants: `for (i = a; i < b; i += c)`"
            if loop in kernel.loops:
                moving = next((name for name in outer if re.search(rf"\b{name}\b", header)), "")
                if moving:
                    return f"`{header}` depends on `{moving}`, along which the threads lie too"
                outer += iterator_of(header)
        between = _between(kernel.loops, spans, source)
        if between.startswith("#"):
            return f"`{between}` stands between loops that are collapsed: other builds may not have both"
        if between:
            return f"`{between}` stands between loops that are collapsed: put it into the inner one's body"
    return why_not_above(plan.root, spans, source) or _other_pointer(plan, spans, source)


def _between(loops: tuple[NodeId, ...], spans: NestSpans, source: str) -> str:
    """What stands between the headers of loops that one directive collapses, or behind the inner one.

    Facts show no pointer that is declared there, nor a statement without effect.
    """
    headers, wholes = dict(spans.header), dict(spans.whole)
    for outer, inner in pairwise(loops):
        text = source[headers[outer].end + spans.base : headers[inner].start + spans.base]
        code = without_comments_and_directives(text).replace("{", " ").strip()
        if code:
            return shorten(code, _SHOWN, placeholder=" …")
        behind = source[wholes[inner].end + spans.base : wholes[outer].end + spans.base]
        code = without_comments_and_directives(behind).replace("}", " ").strip()
        if code:
            return shorten(code, _SHOWN, placeholder=" …")
        conditional = _CONDITIONAL.search(text) or _CONDITIONAL.search(behind)
        if conditional:
            return conditional[0].strip()
    return ""


def is_canonical_here(loop: NodeId, spans: NestSpans, source: str) -> bool:
    """Whether a loop stands in the source itself with a header as directives want it."""
    if why_not_above(loop, spans, source):
        return False
    span = dict(spans.header)[loop].shifted(spans.base)
    return is_canonical(source[span.start : span.end])


def why_not_above(loop: NodeId, spans: NestSpans, source: str) -> str:
    """Why no line can stand above a loop, in the source's terms; empty if one can."""
    headers = dict(spans.header)
    if loop not in headers or loop in spans.in_macro:
        return "a loop comes from a macro: a line above the use of the macro may not be above the loop"
    span = headers[loop].shifted(spans.base)
    header = source[span.start : span.end]
    if not header.startswith(("for", "while", "do")):
        return f"the loop stands in the function that `{header}` calls"
    line = source.rfind("\n", 0, span.start) + 1
    if not source[line : span.start].strip() and source[:line].rstrip("\r\n").endswith("\\"):
        return f"the line above `{header}` ends in a backslash: nothing can stand between the two"
    return ""


def _other_pointer(plan: OffloadPlan, spans: NestSpans, source: str) -> str:
    roots: Iterable[NodeId] = dict.fromkeys((plan.root, *(kernel.root for kernel in plan.kernels)))
    for root in roots:
        pointer = other_pointer(plan.accesses, root, spans, source)
        if pointer:
            return f"`{pointer}` points into another array, which the device would not know: use its name"
    for kernel in plan.kernels:
        for pointer in shared_pointers(plan.accesses, kernel.root, spans, source):
            if pointer not in kernel.copies.scalars:
                return f"`{pointer}` is one pointer for all iterations: declare it in the loop's body"
    return ""
