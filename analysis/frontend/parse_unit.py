"""One C file to lowered nests: the front end's entry."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from itertools import zip_longest

from warplens.analysis.frontend.comments.translation_unit import (
    LoweredFunction,
    LoweredNest,
    MacroUse,
    Opaque,
    Problem,
    SizeDirective,
    TranslationUnit,
)
from warplens.analysis.frontend.comments.warplens_comments import read_directives
from warplens.analysis.frontend.declarations.companions import Companions
from warplens.analysis.frontend.declarations.cut import Chunk
from warplens.analysis.frontend.declarations.declared_names import IDENTIFIER
from warplens.analysis.frontend.declarations.function_text import FunctionText, loop_keywords, may_have_loop
from warplens.analysis.frontend.declarations.led_by_pointers import calling_pointers, handed_out, setting_pointers
from warplens.analysis.frontend.declarations.read_file import ReadFile, read_file
from warplens.analysis.frontend.functions.lower_function import FoundNest
from warplens.analysis.frontend.macro_uses import macro_uses
from warplens.analysis.frontend.placed import Placed
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.frontend.remembered_lowering import Lowered, RememberedLowering
from warplens.analysis.frontend.scopes.file_scopes import FileScopes
from warplens.analysis.frontend.source_words import in_source_words
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.ir.ids import LoopId, NodeId
from warplens.analysis.ir.nest import LoopNest, NestSpans
from warplens.analysis.text.macro_definitions import MacroTable
from warplens.analysis.text.source_map import Origin, SourceMap
from warplens.analysis.text.span import Span

_LINES_PER_TEXT = 4
_MOST_BESIDE = 20_000
"""Places are not remembered by lines with more characters than this beside the function: many may share them."""
_DEEPEST_INDENT = 200
_ELSEWHERE = 1 << 40
"""Stands for the lines of another file, further than any of this."""


def _alone(file: ReadFile) -> Companions:
    del file
    return Companions()


def parse_unit(
    source: str,
    preprocessed: Preprocessed,
    memo: Memo,
    companions: Callable[[ReadFile], Companions] = _alone,
    file_scopes: FileScopes | None = None,
    file: ReadFile | None = None,
) -> TranslationUnit:
    """Lower every nest of the user's file; `companions` says what other files of the program add to it.

    `file_scopes` and `file` are shared with whoever reads the same file.

    Never raises: what is not understood is an `Opaque` with its reason, what is wrong with the input a `Problem`.
    Results are remembered by a declaration's text and what it needs, so that an edit elsewhere costs nothing.

    Assumes: the preprocessed text belongs to `source`, whose own `#line` directives were blanked
    (`without_line_directives`); text that a marker gives to another file is not the user's.
    Not modelled: loops of functions that are defined in included files (calls of them are looked into).
    """
    return _Unit(source, preprocessed, memo, companions, file_scopes, file or read_file(preprocessed, memo)).run()


class _Unit:
    def __init__(
        self,
        source: str,
        preprocessed: Preprocessed,
        memo: Memo,
        companions: Callable[[ReadFile], Companions],
        file_scopes: FileScopes | None,
        file: ReadFile,
    ) -> None:
        self._source = source
        self._preprocessed = preprocessed
        self._memo = memo
        self._file = file
        self._companions = joined = companions(file)
        self._own, self._text, self._index = file.own, file.text, file.index.with_others(joined.declarations)
        self._map = SourceMap(source, file.preprocessed, preprocessed.main_path, file.own.regions)
        self._macros = MacroTable(preprocessed.macros)
        bodies = {one.name: one.in_body for one in file.functions.values() if one.body >= 0}
        self._handed_out = handed_out(file, bodies.keys())
        leading = setting_pointers(file)
        if not self._handed_out.isdisjoint(_with_loops(bodies)):
            leading |= calling_pointers(file, bodies.keys())
        self._looping = _with_loops(bodies, leading)
        self._lowering = RememberedLowering(memo, self._index, tuple(bodies.values()), joined.unseen, file_scopes)
        self._functions: list[LoweredFunction] = []
        self._opaque: list[Opaque] = []
        self._problems: list[Problem] = []
        self._loops_in_text = 0
        self._loops_found = 0

    def run(self) -> TranslationUnit:
        directives, problems = read_directives(self._source)
        self._problems += problems
        self._input_problems()
        own = self._file.chunks
        self._map.part_at(self._own.origin(chunk.start) for chunk in own)
        for chunk, following in zip_longest(own, own[1:]):
            if chunk.kind == "function":
                end = following.start if following else len(self._text)
                lines = self._map.lines(self._own.origin(chunk.start), self._own.origin(end))
                self._function(chunk, self._file.functions[chunk.start], lines)
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
            self._loops_in_text, self._loops_found, self._lowering.parsed, self._handed_out, self._companions.places,
        )  # fmt: skip

    def _input_problems(self) -> None:
        for line, message in self._preprocessed.notes:
            span = self._map.line_span(line) if line > 0 else Span(0, 0)
            self._problems.append(Problem(message, span, "error" if message.startswith("#error") else "warning"))
        nul = self._source.find("\0")
        if nul >= 0:
            self._problems.append(Problem("a NUL byte in the text, taken as a blank", Span(nul, nul + 1), "warning"))

    # ---- functions

    def _loops_astray(self, chunk: Chunk) -> None:
        """Loops in what was cut as a declaration: the cut was wrong, which must not go unnoticed."""
        text = self._text[chunk.start : chunk.end]
        if chunk.kind != "declaration" or not may_have_loop(text):
            return
        loops = loop_keywords(text)
        if loops:
            self._loops_in_text += loops
            origin = self._origin(chunk.start, chunk.end)
            reason = "a loop outside of any function that was recognised"
            self._opaque.append(Opaque(reason, origin.span if origin else Span(0, 0)))

    def _function(self, chunk: Chunk, function: FunctionText, lines: Span) -> None:
        """`lines` are those of the source on which the function stands."""
        raw = self._text[chunk.start : chunk.end]
        on_last_line = self._on_last_line(chunk)
        if on_last_line is None or lines.end - lines.start > _LINES_PER_TEXT * len(raw) + _MOST_BESIDE:
            lines = Span(0, 0)
        written = self._source[lines.start : lines.end]
        names = self._memo.get("names", written, lambda: frozenset(IDENTIFIER.findall(written)))
        here = (raw, on_last_line, self._joints(chunk), written, self._map.macros_among(names))

        name = function.name
        if not function.has_loop and name not in self._looping:
            if chunk.body >= 0:
                placed = self._remembered(here, lines, lambda: Placed(self._definition_span(chunk)))
                self._functions.append(LoweredFunction(name, placed.span, (), ()))
            return
        self._loops_in_text += function.loops
        result = self._lowering.lowered(name, function.text, function.body, self._index.needed_by(function.others))
        self._loops_found += result.loops.loops

        placed = self._remembered((here, function.body, result), lines, lambda: self._place(chunk, function, result))
        self._opaque += placed.lost
        nests = tuple(
            LoweredNest(LoopId(name, ordinal), nest, spans, self._macro_uses(spans))
            for ordinal, (nest, spans) in enumerate(placed.nests)
        )
        found = result.loops
        at, opaque = placed.span, placed.opaque
        self._functions.append(
            LoweredFunction(
                name, at, nests, opaque, found.parameters, found.calls, function.is_static,
                found.unchanged, found.settings,
            )
        )  # fmt: skip

    def _macro_uses(self, spans: NestSpans) -> tuple[MacroUse, ...]:
        return macro_uses(spans, self._source, self._map, self._macros, self._preprocessed.main_path)

    def _on_last_line(self, chunk: Chunk) -> str | None:
        """What follows a function on its last line; None when it does not begin its first, or much follows."""
        before = self._text[max(chunk.start - _DEEPEST_INDENT, 0) : chunk.start]
        if before.rpartition("\n")[2].strip() or (len(before) == _DEEPEST_INDENT and "\n" not in before):
            return None
        end = self._text.find("\n", chunk.end, chunk.end + _MOST_BESIDE)
        if end < 0:
            end = len(self._text)
        return self._text[chunk.end : end] if end - chunk.end <= _MOST_BESIDE else None

    def _joints(self, chunk: Chunk) -> tuple[tuple[int, int], ...]:
        """The lines on which a function's text goes on behind markers, counted from its first."""
        joints = self._own.joints(chunk.start, chunk.end)
        first = self._map.line_of(self._own.origin(chunk.start)) if joints else 0
        return tuple((behind, line - first if line > 0 else _ELSEWHERE) for behind, line in joints)

    def _origin(self, start: int, end: int) -> Origin | None:
        """Place in the source of a stretch of the text."""
        return self._map.origin(self._own.origin(start), self._own.origin(max(end - 1, start)) + 1)

    def _line_in(self, chunk: Chunk, at: int) -> Span:
        """The line of the source with a directive, which no token of the text stands for."""
        return self._map.line_span(self._map.line_of(self._own.origin(chunk.start + at)))

    def _definition_span(self, chunk: Chunk) -> Span:
        origin = self._origin(chunk.start, chunk.end)
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

    def _place(self, chunk: Chunk, function: FunctionText, result: Lowered) -> Placed:
        """Places in the source of all that lowering found in a function; accesses get the source's words."""
        name = function.name
        span = self._definition_span(chunk)

        def place(local: Span) -> Origin | None:
            return self._origin(chunk.start + local.start, chunk.start + max(local.end, local.start + 1))

        lost = [Opaque(left.reason, _opaque_span(place(left.span), span), name) for left in result.left]
        if result.error and function.has_loop:
            known = result.error_offset >= 0
            at = place(
                Span(result.error_offset, result.error_offset + 1) if known else Span(0, max(function.body, 0) + 1)
            )
            lost.append(Opaque(result.error, _opaque_span(at, span), name))
        opaque = tuple(
            Opaque(found.reason, at.span if (at := place(found.span)) else span, name) for found in result.loops.opaque
        )
        nests: list[tuple[LoopNest, NestSpans]] = []
        for found in result.loops.nests:
            directives = ((node, self._line_in(chunk, at)) for node, at in found.directives)
            spans = _spans(found, span.start, place, [(n, at) for n, at in directives if at.start >= span.start])
            words = {
                node: self._source[spans.base + at.start : spans.base + at.end]
                for node, at in spans.nodes
                if node not in spans.in_macro
            }
            nests.append((in_source_words(found.nest, words), spans))
        return Placed(span, tuple(lost), opaque, tuple(nests))


def _with_loops(bodies: Mapping[str, frozenset[str]], leading: Collection[str] = ()) -> frozenset[str]:
    """Functions with loops, those that lead to them by pointers, and all that call them: what they pass matters."""
    found = {name for name, words in bodies.items() if not words.isdisjoint(("for", "while", "do"))}
    found |= bodies.keys() & set(leading)
    while more := {name for name in bodies.keys() - found if not found.isdisjoint(bodies[name])}:
        found |= more
    return frozenset(found)


def _opaque_span(at: Origin | None, function: Span) -> Span:
    """Where parsing failed, if that is known to lie in the function."""
    return at.span if at is not None and function.contains(at.span.start) else function


def _spans(
    found: FoundNest, base: int, place: Callable[[Span], Origin | None], directives: Sequence[tuple[NodeId, Span]]
) -> NestSpans:
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
    nodes += tuple((node, at.shifted(-base)) for node, at in directives)
    return NestSpans(base, headers, wholes, nodes, frozenset(in_macro), tuple(macros.items()))
