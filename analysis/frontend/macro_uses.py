"""The macros of a nest with their definitions; found after its places are, as an edit elsewhere can move them."""

from __future__ import annotations

import re

from warplens.analysis.frontend.comments.translation_unit import MacroUse
from warplens.analysis.frontend.declarations.declared_names import IDENTIFIER
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.text.macro_definitions import MacroDefinition, MacroDirective, MacroTable
from warplens.analysis.text.source_map import SourceMap
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import without_comments_and_directives

_DEFINED_NAME = re.compile(r"#[ \t]*define[ \t]+([^\W\d][\w$]*)")


def macro_uses(
    spans: NestSpans, source: str, places: SourceMap, table: MacroTable, main_path: str
) -> tuple[MacroUse, ...]:
    """Macros that gave a node of the nest, or that a loop's header names (a bound `N`), as defined at that line."""
    if not table:
        return ()
    written: dict[MacroDirective, list[NodeId]] = {}
    named_by: dict[MacroDirective, list[NodeId]] = {}
    own = dict(spans.macros)
    starts = {node: span.start + spans.base for node, span in (*spans.nodes, *spans.header)} if spans.macros else {}
    for node, name in spans.macros:
        directive = table.in_force(name, places.line_at(starts[node])) if node in starts else None
        if directive is not None:
            written.setdefault(directive, []).append(node)
    for loop, span in spans.header:
        header = source[spans.base + span.start : spans.base + span.end]
        if not table.has_any(IDENTIFIER.findall(header)):
            continue
        line = places.line_at(spans.base + span.start)
        for name in dict.fromkeys(IDENTIFIER.findall(without_comments_and_directives(header))):
            directive = table.in_force(name, line) if name != own.get(loop) else None
            if directive is not None:
                named_by.setdefault(directive, []).append(loop)
    return tuple(
        MacroUse(
            _definition(directive, source, places, main_path),
            tuple(written.get(directive, ())),
            tuple(named_by.get(directive, ())),
        )
        for directive in dict.fromkeys((*written, *named_by))
    )


def _definition(directive: MacroDirective, source: str, places: SourceMap, main_path: str) -> MacroDefinition:
    """Place of the name behind `#define`, of the whole line where that stands elsewhere (in a continued line)."""
    if directive.file != main_path:
        return MacroDefinition(directive.name, None, directive.file, directive.line)
    at = places.line_span(directive.line)
    match = _DEFINED_NAME.match(source, at.start, at.end)
    if match is not None and match[1] == directive.name:
        at = Span(*match.span(1))
    return MacroDefinition(directive.name, at)
