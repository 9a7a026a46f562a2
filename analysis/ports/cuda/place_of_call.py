"""Where the call of a port's host function goes: whether it may stand in place of the loop, and what that is."""

from __future__ import annotations

import re

from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.surroundings import directives_of, enclosing_directives
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.span import Span

_PRAGMA = re.compile(r"[ \t]*(?:#[ \t]*pragma\b|_Pragma[ \t]*\()")
_CASE = re.compile(r"[ \t]*#[ \t]*if(?:n?def)?\b")
_END_OF_CASE = re.compile(r"[ \t]*#[ \t]*endif\b")
_OF_A_TEAM = re.compile(r"omp (?:for|distribute|taskloop|loop)\b|acc loop\b")
_LONGEST = 40


def why_no_call(context: FixContext) -> str:
    """Why one call can't do what the loop does, in the source's terms; empty if it can."""
    root = context.evaluation.facts.nest.root
    if root.id not in dict(context.spans.whole):
        return ""  # refused with the names of the call
    around = enclosing_directives(context.source, context.function_span, _whole(context))
    if around:
        said = " ".join(around[0].split()[:3])
        is_data = re.match(r"(?:omp target|acc) data\b", around[0])
        why = "the host's data may be older there" if is_data else "each of its threads would call the function"
        return f"the loop stands inside of `#pragma {said}`: {why}"
    for directive in directives_of(root):
        said = directive.removeprefix("#pragma ")
        if _OF_A_TEAM.match(said):
            return (
                f"`#pragma {' '.join(said.split()[:2])}` shares out the loop over `{c_name(root.iterator)}` among "
                "threads that are there already: each would call the function"
            )
    return ""


def place_text(context: FixContext) -> str:
    """What the call stands for: `heat2d.c, lines 9 to 13`, with the columns where these hold other code too.

    Directives right above go too: they would stand above a call.
    """
    source, whole = context.source, _whole(context)
    first, last = (source.count("\n", 0, at) + 1 for at in (whole.start, whole.end))
    above = first_with_directives(source, first)
    start, end = source.rfind("\n", 0, whole.start) + 1, source.find("\n", whole.end)
    code = code_of(source)
    said = f"line {first}" if first == last else f"lines {first} to {last}"
    if (code[start : whole.start] + code[whole.end : end if end >= 0 else len(code)]).strip():
        text = " ".join(source[whole.start : whole.end].split())
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} ..."
        of_last = whole.end - source.rfind("\n", 0, whole.end) - 1
        said = f"`{shown}` (from {first}:{whole.start - start + 1} to {last}:{of_last})"
    if above < first:
        said += f" and the directives above it, from line {above}"
    return f"{context.file_name}, {said}"


def first_with_directives(source: str, first: int) -> int:
    r"""The first line, from 1, of the directives right above a line: itself where there is none.

    With them goes the `#ifdef _OPENMP` that they alone stand under.

    >>> first_with_directives("n = 1;\n#ifdef _OPENMP\n#pragma omp parallel for\n#endif\nfor (;;)", 5)
    2
    """
    lines, at = source.split("\n"), first
    while at > 1:
        start = _start_of_line(lines, at - 1)
        if _END_OF_CASE.match(lines[start - 1]):
            start = _start_of_case(lines, start)
        elif not _PRAGMA.match(lines[start - 1]):
            break
        if not start:
            break
        at = start
    return at


def _start_of_line(lines: list[str], at: int) -> int:
    """The first line, from 1, of those that backslashes join with a line."""
    while at > 1 and lines[at - 2].endswith("\\"):
        at -= 1
    return at


def _start_of_case(lines: list[str], end: int) -> int:
    """The line, from 1, of the `#if` that a line's `#endif` belongs to; 0 where more than directives stands there."""
    at = end
    while at > 1:
        at = _start_of_line(lines, at - 1)
        if _CASE.match(lines[at - 1]):
            return at
        if lines[at - 1].strip() and not _PRAGMA.match(lines[at - 1]):
            break
    return 0


def _whole(context: FixContext) -> Span:
    nest = context.evaluation.facts.nest
    return dict(context.spans.whole)[nest.root.id].shifted(context.spans.base)
