"""The nodes of a nest that is being lowered: their ids, and where they stand in the text."""

from __future__ import annotations

from pycparser import c_ast
from warplens.analysis.frontend.source_words import designates, one_line
from warplens.analysis.frontend.syntax.extents import Extents
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.text.span import Span


class NestNodes:
    """Ids are counted from 0 in the order in which nodes are made."""

    def __init__(self, extents: Extents) -> None:
        self.extents = extents
        self.loops: list[NodeId] = []
        self.spans: dict[NodeId, Span] = {}
        self.headers: dict[NodeId, Span] = {}
        self.wholes: dict[NodeId, Span] = {}
        self.directives: dict[NodeId, int] = {}
        """Where directives stand that say something of a loop."""
        self.loop_nodes: dict[NodeId, c_ast.Node] = {}
        self.exclusive: dict[NodeId, str] = {}
        """Nodes below a directive that says which threads run them, with its first word."""
        self.callers: tuple[str, ...] = ()
        """Functions whose bodies are being lowered in place of their calls, outermost first."""
        self.next_id = 0

    def new_id(self, span: Span | None = None) -> NodeId:
        """Next node id, with its place."""
        node = NodeId(self.next_id)
        self.next_id += 1
        if span is not None:
            self.spans[node] = span
        return node

    def drop(self, node: NodeId) -> None:
        """Forget the last node made: a value that nobody uses."""
        if node == self.next_id - 1:
            self.next_id -= 1
            self.spans.pop(node, None)

    def words(self, access: Access) -> str:
        """What the function says for an access; empty in place of a call, or where its place is wider than it."""
        span = None if self.callers else self.spans.get(access.id)
        text = "" if span is None else one_line(self.extents.text[span.start : span.end])
        return text if designates(text, access) else ""
