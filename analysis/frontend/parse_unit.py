"""One C file to lowered nests: the front end's entry."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable
from itertools import zip_longest

from warplens.analysis.frontend.cut import Chunk, cut
from warplens.analysis.frontend.declarations import Declaration, DeclarationIndex, read_declaration
from warplens.analysis.frontend.declared_names import IDENTIFIER, function_name
from warplens.analysis.frontend.directives import read_directives
from warplens.analysis.frontend.foreign_names import without_universal_names
from warplens.analysis.frontend.lower_function import FoundNest
from warplens.analysis.frontend.macro_uses import macro_uses
from warplens.analysis.frontend.memo import Memo
from warplens.analysis.frontend.placed import Placed
from warplens.analysis.frontend.remembered_lowering import Lowered, RememberedLowering
from warplens.analysis.frontend.source import Preprocessed
from warplens.analysis.frontend.source_words import in_source_words
from warplens.analysis.frontend.unit import (
    LoweredFunction,
    LoweredNest,
    MacroUse,
    Opaque,
    Problem,
    SizeDirective,
    TranslationUnit,
)
from warplens.analysis.ir.ids import LoopId, NodeId
from warplens.analysis.ir.nest import LoopNest, NestSpans
from warplens.analysis.text.line_markers import without_markers
from warplens.analysis.text.macro_definitions import MacroTable
from warplens.analysis.text.source_map import Origin, SourceMap
from warplens.analysis.text.span import Span

_LOOP_KEYWORD = re.compile(
    r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*#[^\n]*|\b(?:for|while)\b""", re.MULTILINE
)
_LINES_PER_TEXT = 4
_MOST_BESIDE = 20_000
"""Places are not remembered by lines with more characters than this beside the function: many may share them."""
_DEEPEST_INDENT = 200
_HAS_LOOP = re.compile(r"\b(?:for|while|do)\b")


def parse_unit(source: str, preprocessed: Preprocessed, memo: Memo) -> TranslationUnit:
    """Lower every nest of the user's file.

    Never raises: what is not understood is an `Opaque` with its reason, what is wrong with the input a `Problem`.
    Results are remembered by a declaration's text and what it needs, so that an edit elsewhere costs nothing.

    Assumes: the preprocessed text belongs to `source`, whose own `#line` directives were blanked
    (`without_line_directives`); text that a marker gives to another file is not the user's.
    Not modelled: loops of functions that are defined in included files (calls of them are looked into).
    """
    return _Unit(source, preprocessed, memo).run()


class _Unit:
    def __init__(self, source: str, preprocessed: Preprocessed, memo: Memo) -> None:
        self._source = source
        self._preprocessed = preprocessed
        self._text = without_universal_names(preprocessed.text)
        self._memo = memo
        self._map = SourceMap(source, self._text, preprocessed.main_path)
        self._macros = MacroTable(preprocessed.macros)
        self._lowering = RememberedLowering(memo, DeclarationIndex((), ()), ())
        self._names: dict[int, str] = {}
        self._functions: list[LoweredFunction] = []
        self._opaque: list[Opaque] = []
        self._problems: list[Problem] = []
        self._loops_in_text = 0
        self._loops_found = 0

    def run(self) -> TranslationUnit:
        directives, problems = read_directives(self._source)
        self._problems += problems
        self._input_problems()
        own, index = self._declarations()
        self._map.part_at(chunk.start for chunk in own)
        looping, called = self._functions_with_loops(own)
        self._lowering = RememberedLowering(self._memo, index, called)
        for chunk, following in zip_longest(own, own[1:]):
            if chunk.kind == "function":
                lines = self._map.lines(chunk.start, following.start if following else len(self._text))
                self._function(chunk, lines, index, looping)
            else:
                self._loops_astray(chunk)
        if self._loops_found != self._loops_in_text:
            message = f"{self._loops_in_text} loops in the text, {self._loops_found} found in what was understood"
            span = self._opaque[0].span if self._opaque else Span(0, 0)
            self._problems.append(Problem(message, span, "warning"))
        return self._unit(directives)

    def _unit(self, directives: tuple[SizeDirective, ...]) -> TranslationUnit:
        return TranslationUnit(
            tuple(self._functions), tuple(self._opaque), tuple(self._problems), directives,
            self._loops_in_text, self._loops_found, self._lowering.parsed,
        )  # fmt: skip

    def _input_problems(self) -> None:
        for line, message in self._preprocessed.notes:
            span = self._map.line_span(line) if line > 0 else Span(0, 0)
            self._problems.append(Problem(message, span, "error" if message.startswith("#error") else "warning"))
        nul = self._source.find("\0")
        if nul >= 0:
            self._problems.append(Problem("a NUL byte in the text, taken as a blank", Span(nul, nul + 1), "warning"))

    # ---- declarations

    def _declarations(self) -> tuple[tuple[Chunk, ...], DeclarationIndex]:
        """Chunks of the user's file, and all declarations; those of headers before it are remembered by their text."""
        regions = self._map.regions
        starts = [region.start for region in regions]
        prefix_end = self._end_of_headers()
        prefix = self._text[:prefix_end]
        headers = self._memo.get("headers", (prefix, self._preprocessed.main_path), lambda: _headers(prefix))
        own: list[Chunk] = []
        own_declarations: list[Declaration] = []
        for chunk in cut(self._text, prefix_end):
            region = bisect_right(starts, chunk.start) - 1
            is_own = region >= 0 and chunk.start < regions[region].end
            declaration = self._declaration(chunk, is_own)
            if declaration is not None:
                own_declarations.append(declaration)
            if is_own:
                own.append(chunk)
        return tuple(own), DeclarationIndex(headers, tuple(own_declarations))

    def _declaration(self, chunk: Chunk, is_own: bool) -> Declaration | None:
        """The same object for the same text, so that what follows from it is soon found again."""
        raw, body, initialiser = self._text[chunk.start : chunk.end], chunk.body, chunk.initialiser
        body, initialiser = (at - chunk.start if at >= 0 else -1 for at in (body, initialiser))
        alone = Chunk(0, len(raw), chunk.kind, body, initialiser)
        return self._memo.get("declaration", (raw, alone, is_own), lambda: read_declaration(raw, alone, is_own))

    def _end_of_headers(self) -> int:
        """Offset of the first text of the user's own file that is no blank line, 0 when it comes before any header."""
        for region in self._map.regions:
            content = self._text[region.start : region.end]
            if content.strip():
                return region.start + len(content) - len(content.lstrip())
        return 0

    # ---- functions

    def _loops_astray(self, chunk: Chunk) -> None:
        """Loops in what was cut as a declaration: the cut was wrong, which must not go unnoticed."""
        if chunk.kind != "declaration" or not _HAS_LOOP.search(self._text, chunk.start, chunk.end):
            return
        text, _ = without_markers(self._text[chunk.start : chunk.end])
        loops = _loop_keywords(text)
        if loops:
            self._loops_in_text += loops
            origin = self._map.origin(chunk.start, chunk.end)
            reason = "a loop outside of any function that was recognised"
            self._opaque.append(Opaque(reason, origin.span if origin else Span(0, 0)))

    def _functions_with_loops(self, own: tuple[Chunk, ...]) -> tuple[frozenset[str], frozenset[str]]:
        """Names of those with loops and of all that call them, whose arguments are of interest; all names mentioned."""
        found: set[str] = set()
        callers: dict[str, frozenset[str]] = {}
        for chunk in own:
            if chunk.kind == "function" and chunk.body >= 0:
                name, mentioned = self._words(chunk)
                self._names[chunk.start], callers[name] = name, mentioned
                if not callers[name].isdisjoint(("for", "while", "do")):
                    found.add(name)
        while more := {name for name in callers.keys() - found if not found.isdisjoint(callers[name])}:
            found |= more
        return frozenset(found), frozenset().union(*callers.values())

    def _words(self, chunk: Chunk) -> tuple[str, frozenset[str]]:
        """A function's name and the identifiers in its body."""
        raw, body = self._text[chunk.start : chunk.end], chunk.body - chunk.start

        def read() -> tuple[str, frozenset[str]]:
            return function_name(raw[:body]), frozenset(IDENTIFIER.findall(raw, body))

        return self._memo.get("words", (raw, body), read)

    def _function(self, chunk: Chunk, lines: Span, index: DeclarationIndex, looping: frozenset[str]) -> None:
        """`lines` are those of the source on which the function stands."""
        raw = self._text[chunk.start : chunk.end]
        to_line_end = self._to_line_end(chunk)
        if not to_line_end or lines.end - lines.start > _LINES_PER_TEXT * len(raw) + _MOST_BESIDE:
            lines = Span(0, 0)
        written = self._source[lines.start : lines.end]
        names = self._memo.get("names", written, lambda: frozenset(IDENTIFIER.findall(written)))
        here = (to_line_end, len(raw), written, self._map.macros_among(names))

        head = raw[: chunk.body - chunk.start] if chunk.body >= 0 else raw[:200]
        name = self._names.get(chunk.start) or function_name(head)
        has_loop = bool(_HAS_LOOP.search(raw))
        if not has_loop and name not in looping:
            if chunk.body >= 0:
                placed = self._remembered(here, lines, lambda: Placed(self._definition_span(chunk)))
                self._functions.append(LoweredFunction(name, placed.span, (), ()))
            return
        text, breakpoints = without_markers(raw)
        if has_loop:
            self._loops_in_text += self._memo.get("loop keywords", text, lambda: _loop_keywords(text))
        body = text.find("{", _before(breakpoints, chunk.body - chunk.start)) if chunk.body >= 0 else -1
        needed = index.needed_by(text, name)
        result = self._lowering.lowered(name, text, body, needed)
        self._loops_found += result.loops.loops

        placed = self._remembered(
            (here, body, result),
            lines,
            lambda: self._place(chunk, name, body, has_loop, breakpoints, result),
        )
        self._opaque += placed.lost
        nests = tuple(
            LoweredNest(LoopId(name, ordinal), nest, spans, self._macro_uses(spans))
            for ordinal, (nest, spans) in enumerate(placed.nests)
        )
        found = result.loops
        is_static = "static" in IDENTIFIER.findall(head)
        at, opaque = placed.span, placed.opaque
        self._functions.append(
            LoweredFunction(
                name, at, nests, opaque, found.parameters, found.calls, found.handed_out, is_static, found.unchanged
            )
        )

    def _macro_uses(self, spans: NestSpans) -> tuple[MacroUse, ...]:
        return macro_uses(spans, self._source, self._map, self._macros, self._preprocessed.main_path)

    def _to_line_end(self, chunk: Chunk) -> str:
        """A function with what follows on its last line; empty when it does not begin its first, or much follows."""
        before = self._text[max(chunk.start - _DEEPEST_INDENT, 0) : chunk.start]
        if before.rpartition("\n")[2].strip() or (len(before) == _DEEPEST_INDENT and "\n" not in before):
            return ""
        end = self._text.find("\n", chunk.end, chunk.end + _MOST_BESIDE)
        if end < 0:
            end = len(self._text)
        return self._text[chunk.start : end] if end - chunk.end <= _MOST_BESIDE else ""

    def _definition_span(self, chunk: Chunk) -> Span:
        origin = self._map.origin(chunk.start, chunk.end)
        return origin.span if origin else Span(0, 0)

    def _remembered(self, key: Hashable, lines: Span, compute: Callable[[], Placed]) -> Placed:
        """Places by the texts they follow from, unless a macro's use that begins above the function takes part."""
        if lines.end == 0:
            return compute()
        fresh: list[Placed] = []

        def relative() -> Placed | None:
            fresh.append(compute())
            return fresh[0].shifted(-lines.start) if fresh[0].start >= lines.start else None

        placed = self._memo.get("placed", key, relative)
        if placed is None:
            return fresh[0] if fresh else compute()
        return placed.shifted(lines.start)

    def _place(
        self,
        chunk: Chunk,
        name: str,
        body: int,
        has_loop: bool,
        breakpoints: tuple[tuple[int, int], ...],
        result: Lowered,
    ) -> Placed:
        """Places in the source of all that lowering found in a function; accesses get the source's words."""
        span = self._definition_span(chunk)

        def place(local: Span) -> Origin | None:
            start = _to_raw(breakpoints, local.start)
            end = _to_raw(breakpoints, max(local.end - 1, local.start)) + 1
            return self._map.origin(chunk.start + start, chunk.start + end)

        lost = [Opaque(left.reason, _opaque_span(place(left.span), span), name) for left in result.left]
        if result.error and has_loop:
            known = result.error_offset >= 0
            at = place(Span(result.error_offset, result.error_offset + 1) if known else Span(0, max(body, 0) + 1))
            lost.append(Opaque(result.error, _opaque_span(at, span), name))
        opaque = tuple(
            Opaque(found.reason, at.span if (at := place(found.span)) else span, name) for found in result.loops.opaque
        )
        nests: list[tuple[LoopNest, NestSpans]] = []
        for found in result.loops.nests:
            spans = _spans(found, span.start, place)
            words = {
                node: self._source[spans.base + at.start : spans.base + at.end]
                for node, at in spans.nodes
                if node not in spans.in_macro
            }
            nests.append((in_source_words(found.nest, words), spans))
        return Placed(span, tuple(lost), opaque, tuple(nests))


def _loop_keywords(text: str) -> int:
    return sum(m.group() in {"for", "while"} for m in _LOOP_KEYWORD.finditer(text))


def _headers(prefix: str) -> tuple[Declaration, ...]:
    declarations = (read_declaration(prefix, chunk, own_file=False) for chunk in cut(prefix))
    return tuple(declaration for declaration in declarations if declaration is not None)


def _opaque_span(at: Origin | None, function: Span) -> Span:
    """Where parsing failed, if that is known to lie in the function."""
    return at.span if at is not None and function.contains(at.span.start) else function


def _to_raw(breakpoints: tuple[tuple[int, int], ...], offset: int) -> int:
    clean, raw = breakpoints[bisect_right(breakpoints, (offset, 1 << 62)) - 1]
    return raw + offset - clean


def _before(breakpoints: tuple[tuple[int, int], ...], raw_offset: int) -> int:
    """Offset in the text without markers for one in the text with them."""
    best = 0
    for clean, raw in breakpoints:
        if raw <= raw_offset:
            best = clean + raw_offset - raw
    return best


def _spans(found: FoundNest, base: int, place: Callable[[Span], Origin | None]) -> NestSpans:
    in_macro: set[NodeId] = set()
    macros: dict[NodeId, str] = {}

    def placed(items: tuple[tuple[NodeId, Span], ...]) -> tuple[tuple[NodeId, Span], ...]:
        result: list[tuple[NodeId, Span]] = []
        for node, local in items:
            origin = place(local)
            if origin is None or origin.span.start < base:
                continue
            if origin.in_macro:
                in_macro.add(node)
            if origin.macro:
                macros[node] = origin.macro
            result.append((node, origin.span.shifted(-base)))
        return tuple(result)

    headers, wholes, nodes = placed(found.headers), placed(found.wholes), placed(found.nodes)
    return NestSpans(base, headers, wholes, nodes, frozenset(in_macro), tuple(macros.items()))
