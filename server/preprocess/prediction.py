"""What the preprocessor will make of an edited file, from what it made of the file before: for plain edits only.

The compiler always runs too, and its word counts (preprocessor_runs.py): a wrong prediction costs time, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.text.line_markers import name_in_marker
from warplens.analysis.text.macro_definitions import MacroDirective, words
from warplens.server.preprocess.plain_lines import plain_lines
from warplens.server.preprocess.simple_macros import SimpleMacros

_MOST_EDITS = 16
_MOST_LINES = 400
_MOST_LINES_AROUND = 40
_MOST_CHARACTERS = 4_000_000
"""Of an output: a prediction is to be a matter of milliseconds, whatever the text."""
_DIRECTIVE = re.compile(r"[ \t]*(?:#(?![ \t]*pragma\b)|%:|\?\?=)")


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A buffer's text, what was made of it, and the compiler's whole output (`-dD`), macros and all."""

    source: str
    result: Preprocessed
    output: str


@dataclass(frozen=True, slots=True)
class _Edit:
    """Lines `start` to `end` (from 0, `end` excluded) of the text before become `lines`."""

    start: int
    end: int
    lines: list[str]


@dataclass(frozen=True, slots=True)
class _Place:
    """Stretch of the preprocessed text."""

    start: int
    end: int


def predicted(before: EarlierRun, source: str) -> Preprocessed | None:
    """What the preprocessor will make of `source`; None unless the edits are plain.

    Plain is what touches only lines whose text in the output is what `plain_lines` says it is. That no header and no
    flag has changed is taken for granted.
    """
    if source == before.source:
        return before.result
    if not 0 < len(before.output) <= _MOST_CHARACTERS:
        return None
    lines = before.source.split("\n")
    macros = SimpleMacros(before.output, before.result.macros)
    result = before.result
    added: set[str] = set()
    removed: set[str] = set()
    edits = _edits(lines, source.split("\n"))
    if len(edits) > _MOST_EDITS:
        return None
    for edit in reversed(edits):
        spliced = _Splice(result, lines, edit, macros).result()
        if spliced is None:
            return None
        result = spliced
        added |= words("\n".join(edit.lines))
        removed |= words("\n".join(lines[edit.start : edit.end]))
        lines[edit.start : edit.end] = edit.lines
    named = {directive.name for directive in result.macros}
    if not (added & macros.names) <= named:
        return None  # where a macro was defined is known of those that the text named
    gone = (removed - added) & named
    gone -= words(source) if gone else frozenset()
    return replace(result, macros=tuple(each for each in result.macros if each.name not in gone)) if gone else result


def _edits(old: list[str], new: list[str]) -> list[_Edit]:
    """In order. Where the number of lines changes it is one edit, from the first to the last line that differs."""
    shorter = min(len(old), len(new))
    start = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    if len(old) != len(new):
        behind = next((n for n in range(shorter - start) if old[-1 - n] != new[-1 - n]), shorter - start)
        end, new_end = len(old) - behind, len(new) - behind
        while start and not old[start - 1].strip() and old[end - 1] == new[new_end - 1]:
            # What is added, or taken away, with blank lines around begins with one as well as it ends with one.
            start, end, new_end = start - 1, end - 1, new_end - 1
        return [_Edit(start, end, new[start:new_end])]
    edits: list[_Edit] = []
    for number in range(start, len(old)):
        if old[number] != new[number]:
            if edits and edits[-1].end == number:
                edits[-1] = _Edit(edits[-1].start, number + 1, [*edits[-1].lines, new[number]])
            else:
                edits.append(_Edit(number, number + 1, [new[number]]))
    return edits


@dataclass(frozen=True, slots=True)
class _Region:
    """Text of the file between two markers, of its lines `line` to `last_line` (from 1)."""

    start: int
    end: int
    line: int
    last_line: int


def _regions(text: str, named: str) -> Iterator[_Region]:
    lines = f"\n{text}"  # so that each line has a newline before it; offsets are one more in here
    for marker in re.finditer(rf"\n# (\d+) {re.escape(named)}[^\n]*(?=\n)", lines):
        start, line = marker.end(), int(marker[1])
        behind = lines.find("\n# ", start)
        end = len(text) if behind < 0 else behind
        yield _Region(start, end, line, line + text.count("\n", start, end))


class _Splice:
    """One edit put into the preprocessed text."""

    def __init__(self, before: Preprocessed, lines: list[str], edit: _Edit, macros: SimpleMacros) -> None:
        self._before = before
        self._lines = lines
        self._edit = edit
        self._macros = macros
        self._named = name_in_marker(before.main_path)
        self._regions = [*_regions(before.text, self._named)]

    def result(self) -> Preprocessed | None:
        edit = self._edit
        if len(edit.lines) > _MOST_LINES or edit.end - edit.start > _MOST_LINES:
            return None
        above = self._verbatim(range(edit.start - 1, max(edit.start - _MOST_LINES_AROUND, 0) - 1, -1))
        below = self._verbatim(range(edit.end, min(edit.end + _MOST_LINES_AROUND, len(self._lines))))
        # With a line on either side, the more is known to be as it was thought to be.
        for first, last in ((above, below), (above, None), (None, below), (None, None)):
            start = edit.start if first is None else first
            end = edit.end if last is None else last + 1
            place = self._place(start, end)
            if place is None:
                continue
            replacement = [*self._lines[start : edit.start], *edit.lines, *self._lines[edit.end : end]]
            if first is None and _indentation(replacement) != _indentation(self._lines[start:end]):
                continue  # right behind an include GCC puts it before the marker
            text = self._written(replacement, start)
            if text is not None:
                return self._spliced(start, end, place, text)
        return None

    def _verbatim(self, numbers: range) -> int | None:
        """The first of these lines that the output holds as it is, no directive before it."""
        for number in numbers:
            line = self._lines[number]
            if _DIRECTIVE.match(line):
                return None
            if not line.isspace() and line and self._place(number, number + 1) is not None:
                return number
        return None

    def _written(self, lines: list[str], start: int) -> str | None:
        return plain_lines(lines, start + 1, self._named, lambda name: self._macros.definition(name, start + 1))

    def _place(self, start: int, end: int) -> _Place | None:
        """Where the output has these lines, if it has them just as they are thought to come out."""
        written = self._written(self._lines[start:end], start)
        if written is None:
            return None
        holding = (region for region in self._regions if region.line <= start + 1 <= region.last_line)
        found = [place for each in holding if (place := self._in_region(each, start + 1, written))]
        return found[0] if len(found) == 1 else None

    def _in_region(self, region: _Region, line: int, written: str) -> _Place | None:
        text = self._before.text
        at = region.end - len(text[region.start : region.end].split("\n", line - region.line)[-1])
        end = at + len(written)
        is_there = text.startswith(written, at) and (end == len(text) or text[end] == "\n")
        return _Place(at, end) if is_there else None

    def _spliced(self, start: int, end: int, place: _Place, written: str) -> Preprocessed | None:
        before, edit = self._before, self._edit
        shift = len(edit.lines) - (edit.end - edit.start)
        if any(start < line <= end for line, _ in before.notes):
            return None
        if not shift:
            text = f"{before.text[: place.start]}{written}{before.text[place.end :]}"
            return replace(before, text=text)
        if self._macros.depends_on_lines("\n".join(self._lines[end:])):
            return None

        def moved(line: int) -> int:
            return line + shift if line > end else line

        marker = re.compile(rf"\n# (\d+) (?={re.escape(self._named)})")
        rest = marker.sub(lambda each: f"\n# {moved(int(each[1]))} ", before.text[place.end :])
        return replace(
            before,
            text=f"{before.text[: place.start]}{written}{rest}",
            notes=tuple((moved(line), note) for line, note in before.notes),
            macros=tuple(self._moved(directive, shift, end) for directive in before.macros),
        )

    def _moved(self, directive: MacroDirective, shift: int, end: int) -> MacroDirective:
        if directive.since <= end:
            return directive
        line = directive.line + shift if directive.file == self._before.main_path else directive.line
        return replace(directive, since=directive.since + shift, line=line)


def _indentation(lines: list[str]) -> str:
    return lines[0][: len(lines[0]) - len(lines[0].lstrip())] if lines else ""
