"""What pointers point to whose value was lost: objects of their own, with what led there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pycparser import c_ast
from warplens.analysis.c.symbols import ScopeKind, Symbol
from warplens.analysis.frontend.pointers.function_summary import FunctionSummary
from warplens.analysis.frontend.pointers.pointer_path import ANYWHERE, PointerPath
from warplens.analysis.frontend.pointers.pointer_sources import sources_of_called
from warplens.analysis.frontend.pointers.pointer_values import Lost
from warplens.analysis.frontend.scopes.places import Dimension, Place, element_bytes_of
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.extents import Extents
from warplens.analysis.frontend.values.nest_names import NestNames
from warplens.analysis.frontend.values.values import Values
from warplens.analysis.ir.expression import Constant
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import INT, CType


@dataclass(frozen=True, slots=True)
class Origin:
    """The variable that led to an object, and the point since which it does, or the call that gave it.

    `called` are roots of it where it is a variable of a called function.
    """

    variable: str
    point: int = -1
    call: c_ast.Node | None = None
    called: frozenset[PointerPath] | None = None


class LostPointers(NestNames):
    """Names the memory of such pointers."""

    def __init__(
        self, file_scope: FileScope, scopes: list[dict[str, Symbol]], values: Values, extents: Extents, in_nest: bool
    ) -> None:
        super().__init__(file_scope, scopes, values, extents, in_nest)
        self.origins: dict[str, Origin] = {}
        """Objects that are no variable's own: what led there."""
        self.arguments: dict[str, str] = {}
        """Objects that parameters of functions stand for, whose bodies stand in place of their calls."""
        self._chosen: dict[tuple[str, int], str] = {}
        self._called_sources: dict[str, FunctionSummary] = {}

    def chosen_place(self, symbol: Symbol, target: CType, lost: Lost) -> Place:
        """What a pointer points to since its value was lost: an object of its own."""
        name = self._chosen.get((symbol.name, lost.point))
        if name is None:
            name = self._chosen[symbol.name, lost.point] = self.unnamed(symbol.name)
        if name not in self.arrays:
            outside: ScopeKind = "global" if symbol.scope == "global" else "local"
            scope: ScopeKind = outside if lost.given_in is None else "body"
            origin = Symbol(name, symbol.type, scope, declared_in=lost.given_in)
            self.array_object(origin)
            self.arrays[name] = replace(
                self.arrays[name], chosen_in=lost.loop, reached_by=symbol.name, set_in=lost.set_in
            )
            self.origins[name] = Origin(symbol.name, lost.point, called=self._called_roots(symbol))
            self.values.changing.add(name)
            if lost.given_in is not None:
                self.values.given[name] = lost.given_in
        start = Dimension(Constant(0, INT), Polynomial(()), None)
        return Place(name, (start,), target, element_bytes_of(target)[0])

    def _called_roots(self, symbol: Symbol) -> frozenset[PointerPath] | None:
        """Where a pointer of a called function may lead: what it was handed is told by the object that it is in."""
        if not self.callers:
            return None
        function = self.callers[-1]
        definition = self.file_scope.definition(function)
        if definition is None:
            return frozenset((ANYWHERE,))
        sources = self._sources_of(function, definition)
        found = set()
        for path in sources.roots(PointerPath(c_name(symbol.name))):
            name = path.base if path.kind == "variable" else ""
            bound = next((scope[name].name for scope in reversed(self.scopes) if name in scope), "")
            if bound in self.arguments:
                found.add(PointerPath(self.arguments[bound], path.steps, "object"))
            else:
                is_own = name in sources.declared or path.kind == "call"
                found.add(replace(path, function=function) if is_own else path)
        return frozenset(found)

    def _sources_of(self, function: str, definition: c_ast.FuncDef) -> FunctionSummary:
        """What pointers of a called function may be set from; bodies come again and again in place of calls."""
        if function not in self._called_sources:
            self._called_sources[function] = sources_of_called(function, definition, self.file_scope)
        return self._called_sources[function]
