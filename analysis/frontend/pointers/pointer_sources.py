"""What each pointer of a function may be set from, whatever the order of its statements."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cached_property

from pycparser import c_ast
from warplens.analysis.c.c_types import TypeResolver
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.pointers.address_kinds import AddressKinds
from warplens.analysis.frontend.pointers.call_constraints import CallConstraints
from warplens.analysis.frontend.pointers.called_sources import CalledSources
from warplens.analysis.frontend.pointers.function_summary import FunctionSummary
from warplens.analysis.frontend.pointers.pointer_path import ANYWHERE, PointerPath
from warplens.analysis.frontend.pointers.pointer_syntax import PointerSyntax, pointer_syntax_of
from warplens.analysis.frontend.pointers.row_settings import RowSettings
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.initialisers import Store, element_initialisers

_MOST_CALLS = 8
"""Calls in each other that are looked into for what they return."""


class PointerSources(CallConstraints):
    """Variables and members are told by their paths (`AddressBases`)."""

    def __init__(
        self,
        function: c_ast.FuncDef,
        scope: FileScope,
        callers: frozenset[str] = frozenset(),
        calls: int = _MOST_CALLS,
    ) -> None:
        syntax = pointer_syntax_of(function, scope.trees)
        super().__init__(function, scope, AddressKinds(syntax.declarations, scope))
        self._callers = callers | {function.decl.name}
        self._calls_below = calls
        self._stores: list[Store] = []
        """What initialiser lists set."""
        self._scan(syntax)

    def set_from(self, variable: str) -> frozenset[str]:
        """Variables of the function that are set from the address of one, or from each other."""
        return self.declared.intersection(
            path.base for path in self.graph.leading_to(PointerPath(variable)) if path.is_variable
        )

    def are_exchanged(self, left: PointerPath, right: PointerPath) -> bool:
        """Whether two pointers swap their values, so that they differ at any time if they differ at first."""
        return self.graph.are_exchanged(left, right)

    def of_call(self, call: c_ast.Node) -> PointerPath | None:
        """The path that stands for what a call of this function's text gives."""
        return self.calls.get(id(call))

    def overlapping_rows(self, path: PointerPath) -> str:
        """What rows of an array of pointers start in that certainly overlap, empty if none are known to."""
        return self._rows.overlapping(self.roots(path))

    @cached_property
    def _rows(self) -> RowSettings:
        return RowSettings(self.function, self._stores, self._set_pointers)

    def _set_pointers(self, lvalue: c_ast.Node) -> set[PointerPath]:
        return set() if self.kinds.is_number(lvalue) or self.kinds.kind(lvalue) else self.targets(lvalue)

    # ---- reading the syntax

    def _scan(self, syntax: PointerSyntax) -> None:
        for call in syntax.calls:
            self.calls[id(call)] = PointerPath(str(len(self.calls)), kind="call")
        for name, other in syntax.exchanged:
            self.graph.exchanges.setdefault(name, set()).add(other)
            self.graph.exchanges.setdefault(other, set()).add(name)
        started = syntax.names.variables & self.scope.initialised.keys() - syntax.declarations.keys()
        for variable in sorted(started):
            self._statement(self.scope.initialised[variable], frozenset(), frozenset())
        for node in syntax.statements:
            self._statement(node, syntax.skipped, syntax.handed)

    def _statement(self, node: c_ast.Node, skipped: AbstractSet[int], handed: AbstractSet[int]) -> None:
        match node:
            case c_ast.Decl() if node.name and node.init is not None:
                if isinstance(node.init, c_ast.InitList):
                    self._list(node)
                elif id(node) not in skipped:
                    self._set(c_ast.ID(node.name), node.init)
            case c_ast.Assignment(op="=") if id(node) not in skipped:
                self._set(node.lvalue, node.rvalue)
            case c_ast.UnaryOp(op="&", expr=c_ast.ID()) if (
                not self.kinds.is_number(node.expr) and id(node) not in handed
            ):
                if self.kinds.is_pointer(node.expr.name):
                    self.graph.settings.setdefault(PointerPath(node.expr.name), set()).add(ANYWHERE)
            case c_ast.FuncCall():
                self.add_call(node, handed)
            case c_ast.Return() if node.expr is not None:
                self.returns.append(node.expr)
            case _:
                pass

    def _list(self, node: c_ast.Decl) -> None:
        """What each element or member of a list is set from; where that can't be told, all are from all."""
        types = TypeResolver(lambda _: None, lambda _: None, self.scope.typedefs, self.scope.tags)
        try:
            stores = element_initialisers(node, types.resolve(node.type))
        except UnsupportedError:
            for edges in (self.graph.initial, self.graph.settings):
                edges.setdefault(PointerPath(node.name), set()).update(self.bases_in(node.init))
            return
        self._stores += stores
        for target, value in stores:
            self._set(target, value)

    def _set(self, lvalue: c_ast.Node, rvalue: c_ast.Node) -> None:
        if self.kinds.is_number(lvalue) or self.kinds.is_number(rvalue):
            return
        is_copy = "struct" in (self.kinds.kind(lvalue), self.kinds.kind(rvalue))
        edges = self.graph.copies if is_copy else self.graph.settings
        for path in self.targets(lvalue):
            edges.setdefault(path, set()).update(self.bases(rvalue) - {path})

    def inside(self, name: str, definition: c_ast.FuncDef) -> FunctionSummary | None:
        """What the pointers of a called function may be set from; None in recursion and behind many calls."""
        if name in self._callers or not self._calls_below:
            return None
        return _of_called(name, definition, self.scope, self._callers, self._calls_below - 1)


def sources_of_called(name: str, definition: c_ast.FuncDef, scope: FileScope) -> FunctionSummary:
    """Those of a called function alone, whoever calls it."""
    return _of_called(name, definition, scope, frozenset(), _MOST_CALLS)


def _of_called(
    name: str, definition: c_ast.FuncDef, scope: FileScope, callers: frozenset[str], calls: int
) -> FunctionSummary:
    def find(callers: frozenset[str], calls: int) -> PointerSources:
        return PointerSources(definition, scope, callers, calls)

    return scope.found.of(CalledSources).of(name, definition, scope, callers, calls, find)
