"""Directives around what is being lowered, and what they say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.frontend.declarations.thread_variables import thread_variables
from warplens.analysis.frontend.scopes.directive_regions import Region, directive_of_loop, pragma_text, region_of
from warplens.analysis.frontend.scopes.mapped_sections import Value, mapped_sections
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.extents import Extents
from warplens.analysis.frontend.values.lost_pointers import LostPointers
from warplens.analysis.frontend.values.values import Values
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.loop_directive import LoopDirective


class DirectivesAround(LostPointers):
    """Meets pragmas in the order of the text."""

    def __init__(
        self, file_scope: FileScope, scopes: list[dict[str, Symbol]], values: Values, extents: Extents, in_nest: bool
    ) -> None:
        super().__init__(file_scope, scopes, values, extents, in_nest)
        self.regions: list[Region] = []
        """Directives whose statements hold what is being lowered, outermost first."""
        self.unchanged: frozenset[str] = frozenset()
        """Parameters of the function that always hold what the caller passed."""
        self._joined: dict[NodeId, tuple[LoopDirective, int]] = {}
        """Loops whose directive is about loops in them too, with how many."""

    def meet(self, pragma: c_ast.Node) -> None:
        """Take in what a pragma says of variables from here on."""
        for name in thread_variables(pragma_text(pragma)):
            for scope in self.scopes:
                if name in scope:
                    scope[name] = replace(scope[name], is_of_thread=True)

    def regions_of(self, pragmas: Sequence[c_ast.Node]) -> list[Region]:
        """What pragmas in front of a statement say of it."""
        found = (region_of(pragma, len(self.scopes), self._meant) for pragma in pragmas)
        return [region for region in found if region is not None]

    def _meant(self, name: str) -> Symbol | None:
        """What a directive means by a name; None for what is not declared."""
        scope = next((scope for scope in reversed(self.scopes) if name in scope), self.file_scope.symbols)
        return scope.get(name)

    @contextmanager
    def under(self, regions: Sequence[Region]) -> Iterator[None]:
        """Lower the statement of some directives."""
        word = next((region.word for region in regions if region.is_exclusive), "")
        around, first = len(self.regions), self.next_id
        if word and self.in_nest and self.loops:
            self.new_id()  # of the directive: what is below it may leave no other trace
        self.regions += regions
        try:
            yield
        finally:
            del self.regions[around:]
            for node in range(first, self.next_id) if word else ():
                self.exclusive.setdefault(NodeId(node), word)

    def loop_directive(self, loop: NodeId, here: Sequence[Region], value: Value) -> LoopDirective | None:
        """The directive that says of a loop, just begun, that its iterations are independent.

        `here` are those right above it, `value` says what an expression is before it.
        """
        outer = self.loops[-2] if len(self.loops) > 1 else None
        if not here and outer in self._joined:
            directive, more = self._joined[outer]
            if more > 1:
                self._joined[loop] = directive, more - 1
            return directive
        said = next((region for region in reversed(here) if region.is_of_loop), None)
        if said is None:
            return None
        around = self.regions[: self.regions.index(said)]
        visible = (self.file_scope.symbols, *self.scopes)
        of_threads = (symbol.name for scope in visible for symbol in scope.values() if symbol.is_of_thread)
        found = directive_of_loop(NodeId(self.next_id), said, around, self.scopes, frozenset(of_threads))
        if found is None:
            return None
        node = self.new_id()
        found = replace(found, id=node, sharing="unclear" if self.callers else found.sharing)
        if not self.callers:
            before = self.regions[: len(self.regions) - len(here)]
            found = replace(found, maps=mapped_sections(here, before, self._meant, value, self.unchanged))
            self.directives[node] = self.extents.offset(said.pragma.coord)
        if said.joined_loops > 1:
            self._joined[loop] = found, said.joined_loops - 1
        return found
