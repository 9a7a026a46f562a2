"""Which nests a `// warplens: n = 4096` comment speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from warplens.analysis.frontend.unit import LoweredFunction, SizeDirective
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.text.span import Span

_ONLY_REMARKS = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/|^[ \t]*#[ \t]*pragma[^\n]*)*", re.DOTALL | re.MULTILINE)


def nest_span(spans: NestSpans) -> Span:
    """The nest's place in the file, from its header to the end of its body."""
    return dict(spans.whole)[min(node for node, _ in spans.whole)].shifted(spans.base)


def directives_for(
    source: str,
    functions: Sequence[LoweredFunction],
    function: LoweredFunction,
    nest: Span,
    directives: Sequence[SizeDirective],
) -> tuple[SizeDirective, ...]:
    """Directives in force for a nest, outermost scope first, so that the last one of a name wins.

    Scopes: the file (outside every function and not directly above one), the function (in it, or directly above it),
    the nest (in it, or directly above it). "Directly above" means that only comments and pragmas stand between.
    """
    in_file: list[SizeDirective] = []
    in_function: list[SizeDirective] = []
    in_nest: list[SizeDirective] = []
    spans = [nest_span(lowered.spans) for lowered in function.nests]
    for directive in directives:
        at = directive.span
        if _in_or_above(source, at, nest):
            in_nest.append(directive)
        elif any(_in_or_above(source, at, span) for span in spans):
            continue
        elif _in_or_above(source, at, function.span):
            in_function.append(directive)
        elif not any(_in_or_above(source, at, other.span) for other in functions):
            in_file.append(directive)
    return (*in_file, *in_function, *in_nest)


def _in_or_above(source: str, comment: Span, target: Span) -> bool:
    if target.contains(comment.start):
        return True
    if comment.end > target.start:
        return False
    match = _ONLY_REMARKS.match(source, comment.end, target.start)
    return match is not None and match.end() == target.start
