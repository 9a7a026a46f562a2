"""What to tell of a profile that is of an older text of the file."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.frontend.comments.translation_unit import LoweredFunction, Problem
from warplens.analysis.measured.line_counts import FileCounts
from warplens.analysis.measured.measured_counts import MeasuredFile
from warplens.analysis.text.span import Span

_NAMED = 3


def stale_problems(
    source: str, measured: MeasuredFile, functions: Sequence[LoweredFunction], counts: FileCounts | None
) -> tuple[Problem, ...]:
    """A note on the functions with loops that changed since they were run, at the first of them; none if none did.

    A function that only moved keeps its counts and needs no note.
    """
    if counts is None or not measured.stale:
        return ()
    first = measured.stale[0]
    names = [f.name for f in functions if any(_overlap(f.span, span) for span in measured.stale)]
    named = ", ".join(f"`{name}`" for name in names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
    message = (
        f"The profile imported {counts.imported} is of an older text: {named or 'functions'} changed since then and "
        f"have no measured counts. Run the program and `warplens profile import` again."
    )
    newline = source.find("\n", first.start, first.end)
    return (Problem(message, Span(first.start, first.end if newline < 0 else newline), "note"),)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
