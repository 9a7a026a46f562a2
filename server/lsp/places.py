"""Where the nodes of a nest stand in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.text.span import Span
from warplens.server.lsp.lines import Lines

if TYPE_CHECKING:
    from warplens.analysis.ir.nest import NestSpans


def header_span(spans: NestSpans, loop: NodeId) -> Span | None:
    """Place of a loop's header in the file."""
    return next((span.shifted(spans.base) for node, span in spans.header if node == loop), None)


def node_span(spans: NestSpans, node: NodeId) -> Span | None:
    """Place of any node: a loop's header, a statement or an access."""
    inner = next((span.shifted(spans.base) for each, span in spans.nodes if each == node), None)
    return header_span(spans, node) or inner


def line_in(lines: Lines, spans: NestSpans, node: NodeId) -> int:
    """1-based line of a node, 0 when it stands nowhere."""
    span = node_span(spans, node)
    return 0 if span is None else lines.line_of(span.start) + 1
