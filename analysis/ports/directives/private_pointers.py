"""Pointers that the iterations of a kernel set and that are declared further out: each thread gets its own.

A nest does not say what pointers hold. So the text decides: all uses of the pointer are in the loop.
"""

from __future__ import annotations

import re
from dataclasses import replace

from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.ports.directives.offload_plan import OffloadPlan
from warplens.analysis.ports.directives.pointer_names import shared_pointers
from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.span import Span

_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def with_private_pointers(plan: OffloadPlan, spans: NestSpans, source: str, function: Span) -> OffloadPlan:
    """The plan with those pointers among the private copies of its kernels."""
    kernels = []
    for kernel in plan.kernels:
        loop = dict(spans.whole)[kernel.root].shifted(spans.base)
        shared = dict.fromkeys(shared_pointers(plan.accesses, kernel.root, spans, source))
        own = {name for name in shared if _is_used_in(loop, name, source, function)}
        copies = replace(kernel.copies, scalars=tuple(sorted({*kernel.copies.scalars, *own})))
        kernels.append(replace(kernel, copies=copies) if own else kernel)
    return replace(plan, kernels=tuple(kernels))


def _is_used_in(loop: Span, name: str, source: str, function: Span) -> bool:
    """Whether nothing but the loop uses a pointer of the function, which is declared there without a value."""
    word = re.compile(rf"\b{name}\b")
    if any(word.search(macro[0]) for macro in _MACRO.finditer(source)):
        return False
    code = code_of(source)
    body = code.find("{", function.start, loop.start)
    around = code[body : loop.start], code[loop.end : function.end]
    found = [text[: one.start()] + "\0" + text[one.end() :] for text in around for one in word.finditer(text)]
    return body >= 0 and len(found) == 1 and re.search(r"\w\s*\*[^;{}()=]*\0\s*[,;]", found[0]) is not None
