"""What lowering asks of a statement as it is written: its place, what it writes, what its names are in the nest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pycparser import c_ast
from warplens.analysis.frontend.effects.constant_variables import without_constants
from warplens.analysis.frontend.effects.writes import Writes, writes_of
from warplens.analysis.frontend.expressions.lower_expression import Expressions
from warplens.analysis.frontend.values.context import Context
from warplens.analysis.ir.nest import OpaqueStatement, Statement
from warplens.analysis.ir.symbol import added
from warplens.analysis.text.span import Span


class SourceStatements(ABC):
    """The nest being lowered, and how its expressions are."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.expressions = Expressions(context)
        self.expressions.lower_block = self.called_block

    @abstractmethod
    def called_block(self, items: Sequence[c_ast.Node]) -> list[Statement]:
        """Statements of a function's body that stands in place of its call."""

    def opaque(self, node: c_ast.Node, reason: str) -> Statement:
        """Statement for one that was not understood."""
        return OpaqueStatement(self.context.new_id(self.span(node)), reason)

    def span(self, node: c_ast.Node) -> Span:
        """Place of a statement in the function's text."""
        extents = self.context.extents
        if node.coord is None:
            return Span(0, 0)
        offset = extents.offset(node.coord)
        if isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch)):
            return extents.whole(offset)
        return extents.header(offset) if isinstance(node, c_ast.If) else extents.statement(offset)

    def writes(self, node: c_ast.Node | None) -> Writes:
        """What a tree writes, what the functions write that it calls included."""
        return without_constants(writes_of(node, self.context.file_scope.effects), self.context.scopes)

    def forget(self, source_names: frozenset[str]) -> None:
        """Drop what is known of the values of source names."""
        self.context.values.forget({self.unique(name) for name in source_names})

    def unique(self, name: str) -> str:
        """Name in the nest of a source name; one that is declared further inside is none of the caller's."""
        for scope in reversed(self.context.scopes):
            if name in scope:
                return scope[name].name
        is_inside = self.context.callers and name not in self.context.file_scope.symbols
        return added(name, "inside") if is_inside else name

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Scope of a block."""
        self.context.scopes.append({})
        try:
            yield
        finally:
            self.context.scopes.pop()
