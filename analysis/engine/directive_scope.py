"""Which nests a `// warplens: n = 4096` or `// warplens: idx has no repeats` comment speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol, TypeVar

from warplens.analysis.frontend.comments.translation_unit import LoweredFunction
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import comments


class Directive(Protocol):
    """Anything a comment says."""

    @property
    def span(self) -> Span:
        """Where it stands."""


D = TypeVar("D", bound=Directive)

_REMARK = "\x01"
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma(?:\\\r?\n|[^\n])*", re.MULTILINE)
_CODE = re.compile(rf"[^\s{_REMARK}]")
_WORD = re.compile(r"[^\r\n]")
_EMPTY_LINE = re.compile(r"\n[ \t\r]*\n")


def code_only(source: str) -> str:
    """The text with comments and pragmas struck out, every offset valid: what stands between a comment and its loop."""
    pieces: list[str] = []
    at = 0
    for start, comment in comments(source):
        pieces += [source[at:start], _struck_out(comment)]
        at = start + len(comment)
    return _PRAGMA.sub(lambda pragma: _struck_out(pragma.group()), "".join((*pieces, source[at:])))


def nest_span(spans: NestSpans) -> Span | None:
    """The nest's place in the file, from its header to the end of its body; None when it stands in no file of ours."""
    whole = dict(spans.whole).get(NodeId(0))
    return None if whole is None else whole.shifted(spans.base)


def directives_for(
    code: str,
    functions: Sequence[LoweredFunction],
    function: LoweredFunction,
    spans: NestSpans,
    directives: Sequence[D],
) -> tuple[D, ...]:
    """Directives in force for a nest, outermost scope first, so that the last one of a name wins.

    Scopes: the file (outside every function and not directly above one), the function (in it, or directly above it),
    the nest (in it, or directly above it). "Directly above" means that only comments and pragmas stand between, and
    above a function no empty line either (a comment at the top of a file speaks of the file). `code` is
    `code_only(source)`.
    """
    in_file: list[D] = []
    in_function: list[D] = []
    in_nest: list[D] = []
    for directive in directives:
        at = directive.span
        if in_or_above(code, at, nest_span(spans)):
            in_nest.append(directive)
        elif any(in_or_above(code, at, nest_span(lowered.spans)) for lowered in function.nests):
            continue
        elif attached_to(code, at, function.span):
            in_function.append(directive)
        elif not any(attached_to(code, at, other.span) for other in functions):
            in_file.append(directive)
    return (*in_file, *in_function, *in_nest)


def said_of_nest(
    code: str,
    functions: Sequence[LoweredFunction],
    function: LoweredFunction,
    spans: NestSpans,
    directives: Sequence[D],
    *,
    is_only_nest: bool,
) -> tuple[D, ...]:
    """Directives that name one nest: they stand in it or directly above it, or at a function that is one nest.

    At a function that has several nests, or outside of all, they name none.
    """
    return tuple(
        each
        for each in directives_for(code, functions, function, spans, directives)
        if in_or_above(code, each.span, nest_span(spans))
        or (is_only_nest and attached_to(code, each.span, function.span))
    )


def without_nest(code: str, functions: Sequence[LoweredFunction], directives: Sequence[D]) -> tuple[D, ...]:
    """Those that name one nest and stand at none."""
    return tuple(each for each in directives if not any(_is_at(code, each, function) for function in functions))


def _is_at(code: str, directive: Directive, function: LoweredFunction) -> bool:
    if any(in_or_above(code, directive.span, nest_span(lowered.spans)) for lowered in function.nests):
        return True
    return len(function.nests) == 1 and attached_to(code, directive.span, function.span)


def loop_of(code: str, comment: Span, spans: NestSpans) -> NodeId | None:
    """The loop of a nest that a comment stands directly above, else the innermost around it; None outside the nest.

    A comment that ends the line of a loop's header stands in that loop.
    """
    loops = sorted(((span.shifted(spans.base), loop) for loop, span in spans.whole), key=lambda each: each[0].start)
    around = next((loop for span, loop in reversed(loops) if span.contains(comment.start)), None)
    if around is not None and ends_a_line(code, comment):
        return around
    below = (loop for span, loop in loops if comment.end <= span.start and in_or_above(code, comment, span))
    return next(below, around)


def ends_a_line(code: str, comment: Span) -> bool:
    """Whether code stands before a comment on its line and none behind it."""
    start, end = code.rfind("\n", 0, comment.start) + 1, code.find("\n", comment.end)
    behind = _CODE.search(code, comment.end, end if end >= 0 else len(code))
    return _CODE.search(code, start, comment.start) is not None and behind is None


def in_or_above(code: str, comment: Span, target: Span | None) -> bool:
    """Whether a comment stands in a part of the text, or with nothing but comments and pragmas between above it."""
    if target is None:
        return False
    if target.contains(comment.start):
        return True
    return comment.end <= target.start and _CODE.search(code, comment.end, target.start) is None


def attached_to(code: str, comment: Span, function: Span) -> bool:
    """Whether a comment speaks of a function: it stands in it, or above it without an empty line."""
    above = comment.end <= function.start
    return in_or_above(code, comment, function) and not (
        above and _EMPTY_LINE.search(code, comment.end, function.start)
    )


def _struck_out(text: str) -> str:
    return _WORD.sub(_REMARK, text)
