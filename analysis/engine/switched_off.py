"""Where a `// warplens: off WL201` comment holds, and what it keeps from being shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from warplens.analysis.advice.catalogue import RULES
from warplens.analysis.engine.directive_scope import attached_to, ends_a_line, in_or_above, loop_of, nest_span
from warplens.analysis.frontend.comments.comment_parts import OffDirective
from warplens.analysis.frontend.comments.translation_unit import LoweredNest, Problem, TranslationUnit
from warplens.analysis.text.span import Span

NOT_ANALYSED, INPUT, ENDED = "not-analysed", "input", "analysis-ended"
"""What is said beside the rules: code that was not understood, the input, an analysis that has no result."""

CODES = (*(rule.code for rule in RULES), NOT_ANALYSED, INPUT, ENDED)


@dataclass(frozen=True, slots=True)
class OffRegion:
    """A part of the text in which messages with these codes are not shown, all of them without codes."""

    span: Span
    codes: frozenset[str]

    def covers(self, code: str, at: int) -> bool:
        """Whether a message at an offset is switched off."""
        return (not self.codes or code in self.codes) and (self.span.start <= at <= self.span.end)


def off_regions(
    code: str, unit: TranslationUnit, directives: Iterable[OffDirective], end: int
) -> tuple[OffRegion, ...]:
    """What is switched off in a text of `end` characters; a comment of which no code is known switches nothing off.

    `code` is `code_only(source)`.
    """
    regions = []
    for directive in directives:
        known = frozenset(found for given, _ in directive.codes if (found := known_code(given)))
        if known or not directive.codes:
            regions.append(OffRegion(_scope(code, unit, directive.span) or Span(0, end), known))
    return tuple(regions)


def unknown_codes(directives: Iterable[OffDirective]) -> Iterator[Problem]:
    """A note for each name in a comment that is no code."""
    for directive in directives:
        for given, span in directive.codes:
            if known_code(given) is None:
                yield Problem(unknown_code_text(given), span, "note")


def known_code(given: str) -> str | None:
    """The code that is meant, whatever its case."""
    return next((code for code in CODES if code.lower() == given.strip().lower()), None)


def unknown_code_text(given: str) -> str:
    """What to say of a name that is no code.

    >>> unknown_code_text("WL2O1"), unknown_code_text("WL210")
    ('there is no rule `WL2O1`: did you mean WL201?', 'there is no rule `WL210`: did you mean WL201?')
    """
    near = get_close_matches(given.upper(), [code.upper() for code in CODES], len(CODES), 0.6)
    near.sort(key=lambda code: sorted(code) != sorted(given.upper()))  # letters that changed places come first
    if not near:
        return f"there is no rule `{given[:40]}`: there are {', '.join(CODES)}"
    return f"there is no rule `{given[:40]}`: did you mean {known_code(near[0])}?"


def _scope(code: str, unit: TranslationUnit, comment: Span) -> Span | None:
    """The loop, line, function or unreadable code that a comment speaks of; None for the file."""
    if ends_a_line(code, comment):
        return _of_line(code, unit, comment)
    for function in unit.functions:
        for lowered in function.nests:
            if in_or_above(code, comment, nest_span(lowered.spans)):
                return _loop(code, lowered, comment)
    opaque = (*unit.opaque, *(each for function in unit.functions for each in function.opaque))
    around = [each.span for each in opaque if in_or_above(code, comment, each.span)]
    if around:
        return min(around, key=lambda span: span.end - span.start)
    return next((each.span for each in unit.functions if attached_to(code, comment, each.span)), None)


def _of_line(code: str, unit: TranslationUnit, comment: Span) -> Span:
    """Behind a loop's header its loop, behind a function's the function, else the line alone."""
    line = Span(code.rfind("\n", 0, comment.start) + 1, comment.end)
    for function in unit.functions:
        if not function.span.contains(comment.start):
            continue
        for lowered in function.nests:
            whole = nest_span(lowered.spans)
            if whole is not None and whole.contains(comment.start) and _has_header(lowered, line):
                return _loop(code, lowered, comment) or line
        before = code[function.span.start : comment.start]
        if ";" not in before and before.count("{") <= 1:
            return function.span
    return line


def _has_header(lowered: LoweredNest, line: Span) -> bool:
    headers = (span.shifted(lowered.spans.base) for _, span in lowered.spans.header)
    return any(line.start <= header.end and header.start <= line.end for header in headers)


def _loop(code: str, lowered: LoweredNest, comment: Span) -> Span | None:
    loop = loop_of(code, comment, lowered.spans)
    whole = (span.shifted(lowered.spans.base) for each, span in lowered.spans.whole if each == loop)
    return next(whole, nest_span(lowered.spans))
