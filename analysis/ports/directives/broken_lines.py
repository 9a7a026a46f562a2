"""Long directives over several lines: broken between clauses, and within one that is longer than a line.

A backslash ends each line but the last, as the preprocessor wants it; a directive is read alike in one line or many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warplens.analysis.ports.fix import TextEdit
from warplens.analysis.ports.source_lines import line_end
from warplens.analysis.text.directive_text import Clause, ExistingDirective
from warplens.analysis.text.span import Span

WIDTH = 90
"""Columns of a line with its backslash: two versions of a file beside each other still fit a wide screen."""

_DEEPER = 4
_TAB = 8
_ON = " \\"


def directive_lines(start: str, clauses: Sequence[Clause], indentation: str) -> tuple[str, ...]:
    """The lines of a directive that stands as far in as `indentation`, without that and without line ends.

    `start` is all in front of the clauses. One that fits is one line; those that follow stand deeper.
    """
    room = WIDTH - _columns(indentation)
    texts = [clause.text for clause in clauses]
    whole = " ".join((start, *texts))
    if len(whole) <= room:
        return (whole,)
    deeper = _deeper(indentation)
    first, *others = _filled(start, clauses, room - len(_ON), room - _columns(deeper) - len(_ON))
    lines = [first, *(deeper + line for line in others)]
    return (*(line + _ON for line in lines[:-1]), lines[-1])


def updated_lines(
    source: str, existing: ExistingDirective, replaced: Mapping[Span, str], added: Sequence[Clause]
) -> tuple[TextEdit, ...]:
    """Edits that put other texts into a directive and clauses behind its last, in the order of the source.

    Lines that get too long are broken: behind the construct's words where these get longer, and between new clauses.
    """
    start = source.rfind("\n", 0, existing.end) + 1
    line = source[start : existing.end]
    indentation = line[: len(line) - len(line.lstrip())]
    is_first = start <= existing.words_span.start
    on = indentation + _deeper(indentation) if is_first else indentation
    columns = _columns(line) + _growth(replaced, start)
    end = line_end(source)
    texts = dict(replaced)
    words = existing.words_span
    first = existing.clauses[0].span.start if existing.clauses else existing.end
    is_next = existing.clauses and not source[words.end : first].strip()
    if is_first and words in texts and is_next and columns > WIDTH:
        texts[Span(words.start, first)] = f"{texts.pop(words)}{_ON}{end}{on}"
        columns = _columns(on) + existing.end - first + _growth(replaced, first)
    edits = [TextEdit(span, text) for span, text in sorted(texts.items())]
    behind = "".join(f" {clause.text}" for clause in added)
    if columns + len(behind) > WIDTH:
        lines = _filled("", added, 0, WIDTH - _columns(on) - len(_ON))[1:]
        behind = "".join(f"{_ON}{end}{on}{each}" for each in lines)
    return (*edits, *([TextEdit(Span(existing.end, existing.end), behind)] if behind else ()))


def _growth(replaced: Mapping[Span, str], since: int) -> int:
    """By how much new texts from an offset on are longer."""
    return sum(len(text) - (span.end - span.start) for span, text in replaced.items() if span.start >= since)


def _filled(start: str, clauses: Sequence[Clause], first_room: int, room: int) -> list[str]:
    """Lines with as many clauses as there is room for; one that is longer than a line is split between its items."""
    lines = [start]
    space = first_room
    for clause in clauses:
        pieces = [clause.text] if len(clause.text) <= room else _pieces(clause)
        for piece in pieces:
            if len(lines[-1]) + 1 + len(piece) <= space:
                lines[-1] += f" {piece}"
            else:
                lines.append(piece)
                space = room
    return lines


def _pieces(clause: Clause) -> list[str]:
    """A clause item by item."""
    if len(clause.items) < 2:
        return [clause.text]
    first, *others = clause.items
    opening = f"{clause.name}({f'{clause.modifier}: ' if clause.modifier else ''}{first},"
    return [opening, *(f"{item}," for item in others[:-1]), f"{others[-1]})"]


def _deeper(indentation: str) -> str:
    return "\t" if indentation.endswith("\t") else " " * _DEEPER


def _columns(text: str) -> int:
    """Columns that a line takes up; a tab goes on to the next multiple of eight."""
    return len(text.expandtabs(_TAB))
