"""Preprocessed offset -> offset in the user's file, token by token."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.line_markers import Region, main_regions
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import blank, tokenise

_LOOKAHEAD_TOKENS = 40
_LONGEST_USE_LINES = 60
"""Lines that a macro's argument list may span."""
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)\n]*\))?((?:\\\r?\n|[^\n])*)", re.MULTILINE)
_WORD = re.compile(r"\S")
_LITERAL = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""")
_LONGEST_ALIGNED_TOKENS = 4000
"""A group of lines whose tokens differ and are more than this is mapped as a whole."""
_LONGEST_ALIGNED_CHARACTERS = 200_000
"""A line longer than this (a generated table) is mapped as a whole."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a piece of preprocessed text comes from.

    `in_macro`: its first token is not written there, it is part of a macro's expansion or of an included file. `macro`
    is the macro named at the use (the outermost, where its body uses others), empty where that can't be told.
    """

    span: Span
    in_macro: bool
    macro: str = ""


_Group = tuple[int, int, tuple[tuple[int, int], ...]]
"""First source line, source line after the last (both 1-based), pieces of preprocessed text."""


_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


class SourceMap:
    """Aligns the tokens of a preprocessed line with those of the source line they come from, when asked.

    A token that the source does not have there comes from a macro; it maps to the macro's use with its arguments.
    Text of an included file maps to the line of its `#include`, which matters within a function only. Macros that
    expand to the very tokens that follow them can be misaligned within their line; lines are exact.
    """

    def __init__(self, source: str, text: str, main_path: str, regions: tuple[Region, ...] | None = None) -> None:
        self._source = source
        self._text = text
        self._first_tokens = _first_tokens(source)
        self._line_starts = [0, *accumulate([len(line) + 1 for line in source.split("\n")[:-1]])]
        self.regions = main_regions(text, main_path) if regions is None else regions
        """The parts of the text that the user's file gave, all those from the first on that is asked for."""
        self._region_starts = [region.start for region in self.regions]
        self._counted = (-1, 0, 0)
        """Region, offset and line that were asked for last: questions come in order."""
        self._grouped: dict[int, tuple[list[_Group], list[int], list[int]]] = {}
        """Groups of the lines of a part, by its first offset; their pieces' offsets and owners."""
        self._aligned: dict[tuple[int, int], tuple[list[int], list[Origin]]] = {}
        self._declared: frozenset[int] = frozenset()

    def part_at(self, declarations: Iterable[int]) -> None:
        """Tell where declarations start in the text, before any place is asked for.

        Brackets that stay open above one (in text that an `#if` leaves out) are none of the lines that it begins.
        """
        self._declared = frozenset(declarations)

    @cached_property
    def _clean(self) -> str:
        return code_of(self._source)

    @cached_property
    def _bare(self) -> str:
        """The source without literals too."""
        return _LITERAL.sub(lambda m: blank(m.group()), self._clean)

    @cached_property
    def _parts(self) -> list[int]:
        """Where lines begin that a declaration starts, with other lines of the same stretch of text before them."""
        first_words = [_WORD.search(self._text, region.start, region.end) for region in self.regions]
        parts: list[int] = []
        for offset in sorted(self._declared):
            region = bisect_right(self._region_starts, offset) - 1
            first = first_words[region] if region >= 0 else None
            if first is not None:
                begin = self._text.rfind("\n", first.start(), offset) + 1
                if begin > 0 and not self._text[begin:offset].strip():
                    parts.append(begin)
        return parts

    def macros_among(self, names: frozenset[str]) -> tuple[bool, frozenset[tuple[str, str]]]:
        """What decides, beside lines with these names themselves, where their tokens come from."""
        known = self._first_tokens
        return bool(known), frozenset((name, known[name]) for name in names & known.keys())

    def lines(self, start: int, end: int) -> Span:
        """Whole source lines of the text from `start` up to the line before that of `end`, at least one."""
        first, after = self._line(start), self._line(end)
        if first is None:
            return Span(0, len(self._source))
        last = len(self._line_starts) if after is None else min(max(after - 1, first), len(self._line_starts))
        first = min(first, len(self._line_starts))
        at_end = last >= len(self._line_starts) or end >= len(self._text)
        return Span(self._line_starts[first - 1], len(self._source) if at_end else self._line_starts[last])

    def _line(self, offset: int) -> int | None:
        """1-based source line of an offset in the text; None outside of the user's own."""
        region = bisect_right(self._region_starts, offset) - 1
        if region < 0 or offset > self.regions[region].end:
            return None
        known_region, known_offset, known_line = self._counted
        if known_region != region or known_offset > offset:
            known_offset, known_line = self.regions[region].start, self.regions[region].line
        line = known_line + self._text.count("\n", known_offset, offset)
        self._counted = (region, offset, line)
        return line

    def line_of(self, offset: int) -> int:
        """1-based source line of an offset in the text; 0 outside of the user's own."""
        return self._line(offset) or 0

    def line_at(self, offset: int) -> int:
        """1-based line of an offset in the source."""
        return bisect_right(self._line_starts, offset)

    def line_span(self, line: int) -> Span:
        """Text of a 1-based line of the source without blanks around it; the nearest line when out of range."""
        index = min(max(line - 1, 0), len(self._line_starts) - 1)
        start = self._line_starts[index]
        end = self._line_starts[index + 1] if index + 1 < len(self._line_starts) else len(self._source)
        text = self._source[start:end]
        stripped = text.strip()
        start += len(text) - len(text.lstrip()) if stripped else 0
        return Span(start, start + len(stripped))

    def origin(self, start: int, end: int) -> Origin | None:
        """Smallest stretch of the user's file that holds the sources of all tokens from `start` to `end`."""
        first, last = self._token(start), self._token(max(start, end - 1))
        if first is None or last is None:
            return None
        low = min(first.span.start, last.span.start)
        return Origin(Span(low, max(first.span.end, last.span.end)), first.in_macro, first.macro)

    def _token(self, offset: int) -> Origin | None:
        region = bisect_right(self._region_starts, offset) - 1
        if region < 0:
            return None
        if offset >= self.regions[region].end:
            return self._included(region + 1)
        at = bisect_right(self._parts, offset)
        part = self._parts[at - 1] if at > 0 else 0
        if part not in self._grouped:
            self._grouped[part] = self._group_lines(part, self._parts[at] if at < len(self._parts) else len(self._text))
        groups, starts, owners = self._grouped[part]
        piece = bisect_right(starts, offset) - 1
        if piece < 0:
            return None
        group = owners[piece]
        if (part, group) not in self._aligned:
            self._aligned[part, group] = self._align(groups[group])
        starts, origins = self._aligned[part, group]
        return origins[max(bisect_right(starts, offset) - 1, 0)] if origins else None

    def _included(self, following: int) -> Origin | None:
        """Place of text from another file: the user's own goes on in the line after the `#include`."""
        if following >= len(self.regions):
            return None
        return Origin(self.line_span(self.regions[following].line - 1), in_macro=True)

    def _group_lines(self, part: int, end: int) -> tuple[list[_Group], list[int], list[int]]:
        """Group the preprocessed lines of a part by source line; a group ends in the source where the next begins."""
        following = self._line(end) if end < len(self._text) else None
        lines: list[tuple[int, list[tuple[int, int]]]] = []
        parted: set[int] = set()
        first, last = bisect_right(self._region_starts, part) - 1, bisect_right(self._region_starts, end)
        for region in self.regions[max(first, 0) : last]:
            at = max(region.start, part)
            line = region.line + self._text.count("\n", region.start, at)
            for number, content in enumerate(self._text[at : min(region.end, end)].split("\n"), line):
                stripped = content.lstrip()
                if stripped and not stripped.startswith("#"):
                    if not lines or lines[-1][0] != number:
                        lines.append((number, []))
                    lines[-1][1].append((at, at + len(content)))
                    if at + len(content) - len(stripped) in self._declared:
                        parted.add(number)
                at += len(content) + 1
        groups: list[_Group] = []
        open_brackets = 0
        for index, (number, pieces) in enumerate(lines):
            after = lines[index + 1][0] if index + 1 < len(lines) else following or len(self._line_starts) + 1
            after = after if after > number else number + 1
            if number in parted:
                open_brackets = 0
            if open_brackets > 0 and groups[-1][1] == number and after - groups[-1][0] <= _LONGEST_USE_LINES:
                groups[-1] = (groups[-1][0], after, groups[-1][2] + tuple(pieces))
            else:
                open_brackets = 0
                groups.append((number, after, tuple(pieces)))
            open_brackets = max(open_brackets + self._open_brackets(number, after), 0)
        starts = [start for _, _, pieces in groups for start, _ in pieces]
        owners = [index for index, (_, _, pieces) in enumerate(groups) for _ in pieces]
        return groups, starts, owners

    def _open_brackets(self, first: int, after: int) -> int:
        if first > len(self._line_starts):
            return 0
        end = self._line_starts[after - 1] if after <= len(self._line_starts) else len(self._source)
        begin = self._line_starts[first - 1]
        return self._bare.count("(", begin, end) - self._bare.count(")", begin, end)

    def _align(self, group: _Group) -> tuple[list[int], list[Origin]]:
        first, after, pieces = group
        if first > len(self._line_starts):
            return [], []
        begin = self._line_starts[first - 1]
        end = self._line_starts[after - 1] if after <= len(self._line_starts) else len(self._source)
        texts: list[str] = []
        starts: list[int] = []
        if end - begin > _LONGEST_ALIGNED_CHARACTERS:
            return [pieces[0][0]], [Origin(Span(begin, end), in_macro=True)]
        for low, high in pieces:
            tokens = tokenise(self._text, low, high)
            texts += tokens.texts
            starts += tokens.starts
        written = tokenise(self._clean, begin, end)
        spans = [Span(low, high) for low, high in zip(written.starts, written.ends, strict=True)]
        if tuple(texts) == written.texts:
            return starts, [Origin(span, in_macro=False) for span in spans]
        if not spans:
            return starts, [Origin(self.line_span(first), in_macro=True)] * len(starts)
        if len(texts) > _LONGEST_ALIGNED_TOKENS:
            return starts, [Origin(Span(spans[0].start, spans[-1].end), in_macro=True)] * len(starts)
        return starts, _align_tokens(texts, list(written.texts), spans, self._first_tokens)


def _first_tokens(source: str) -> dict[str, str]:
    """First token of each macro that the file defines, macros in its place followed; "" for an empty one."""
    first: dict[str, str] = {}
    at = source.find("define")
    while at >= 0:
        match = _DEFINE.match(source, source.rfind("\n", 0, at) + 1)
        at = source.find("define", max(at + 1, match.end() if match else 0))
        if match is None:
            continue
        tokens = tokenise(match.group(3)).texts
        parameters = tokenise(match.group(2) or "").texts
        if not tokens or tokens[0] not in parameters:
            first[match.group(1)] = tokens[0] if tokens else ""
    return {name: _followed(name, first) for name in first}


def _followed(name: str, first: dict[str, str]) -> str:
    for _ in range(_LOOKAHEAD_TOKENS):
        if name not in first:
            break
        name = first[name]
    return name


def _align_tokens(
    texts: list[str], written: list[str], spans: list[Span], first_tokens: dict[str, str]
) -> list[Origin]:
    """Walk both sides; where they part, a macro's use stands in the source: find where the expansion ends."""
    origins: list[Origin] = []
    at = 0
    while len(origins) < len(texts):
        here = len(origins)
        if at >= len(written):
            origins += [Origin(spans[-1], in_macro=True)] * (len(texts) - here)
        elif texts[here] == written[at] and written[at] not in first_tokens:
            origins.append(Origin(spans[at], in_macro=False))
            at += 1
        else:
            after = _end_of_use(written, at)
            macro = written[at]
            begin = here + bool(first_tokens.get(written[at]))
            end = _end_of_expansion(texts, begin, written, after, first_tokens)
            while end < 0:  # the next macro's expansion can't be told from this one's: they share their place
                macro = macro if written[after] == macro else ""
                after = _end_of_use(written, after)
                end = _end_of_expansion(texts, begin, written, after, first_tokens)
            use = Origin(Span(spans[at].start, spans[after - 1].end), in_macro=True, macro=macro)
            origins += [use] * (end - here)
            at = after
    return origins


def _end_of_use(written: list[str], at: int) -> int:
    """Index after a macro's name and, where one follows, its argument list."""
    after = at + 1
    if not written[at][0].isidentifier() or after >= len(written) or written[after] != "(":
        return after
    depth = 0
    for index in range(after, len(written)):
        depth += {"(": 1, ")": -1}.get(written[index], 0)
        if depth == 0:
            return index + 1
    return after


def _end_of_expansion(
    texts: list[str], begin: int, written: list[str], after: int, first_tokens: dict[str, str]
) -> int:
    """Where the text goes on as the source does after the use: the longest agreement, outside of brackets first.

    -1 when the token after the use is nowhere.
    """
    if after >= len(written):
        return len(texts)
    following = first_tokens.get(written[after], written[after])
    best, best_score = -1, (False, 0)
    depth = sum(_DEPTH.get(text, 0) for text in texts[begin - 1 : begin]) if first_tokens else 0
    for index in range(begin, len(texts)):
        if texts[index] == following and depth >= 0:
            run = 1
            while (
                run < _LOOKAHEAD_TOKENS
                and index + run < len(texts)
                and after + run < len(written)
                and texts[index + run] == written[after + run]
            ):
                run += 1
            if (depth == 0, run) > best_score:
                best, best_score = index, (depth == 0, run)
        depth += _DEPTH.get(texts[index], 0)
    return best
