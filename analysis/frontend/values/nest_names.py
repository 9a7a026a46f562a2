"""Names in a nest: what one of the source means, and one of its own for each variable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from warplens.analysis.c.symbols import ScopeKind, Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.extents import Extents
from warplens.analysis.frontend.values.nest_objects import NestObjects
from warplens.analysis.frontend.values.values import Values
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import added
from warplens.analysis.ir.types import INT, CType, PointerTo, UnknownType
from warplens.analysis.ir.undeclared import Undeclared


class NestNames(NestObjects):
    """`scopes` are those of the function, innermost last, outside of which are the names of the file."""

    def __init__(
        self, file_scope: FileScope, scopes: list[dict[str, Symbol]], values: Values, extents: Extents, in_nest: bool
    ) -> None:
        super().__init__(file_scope, values, extents)
        self.scopes = scopes
        self.in_nest = in_nest
        self.undeclared: dict[Undeclared, None] = {}
        """What was met that no file in sight declares."""
        self.hidden: tuple[dict[str, Symbol], ...] = ()
        """Scopes of the callers: their names are not visible, but taken."""
        self.inlined_globals: dict[str, None] = {}
        self._taken: set[str] = {symbol.name for scope in scopes for symbol in scope.values()}

    def lookup(self, name: str) -> Symbol:
        """Symbol by source name, of a function its address; an undeclared one counts as a global int and is noted.

        Raises UnsupportedError for a called function's name of a variable of the file where a caller's hides that.
        """
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        if name in self.file_scope.symbols:
            if self.callers and name in self.file_scope.variables:
                if self.is_hidden(name, self.hidden):
                    raise self.hides(name)
                self.inlined_globals[name] = None
            return self.file_scope.symbols[name]
        if name in self.file_scope.results or name in self.file_scope.own_functions:
            return Symbol(name, PointerTo(UnknownType("a function")), "global")
        self.inexact[f"`{name}` is not declared here, it is taken for an int"] = None
        self.undeclared[Undeclared(name, "name")] = None
        return Symbol(name, INT, "global")

    def is_hidden(self, name: str, scopes: Iterable[Mapping[str, Symbol]]) -> bool:
        """Whether a variable of these scopes has the name of one of the file that is meant."""
        return any(hidden.name == name for scope in scopes for hidden in scope.values())

    def hides(self, name: str) -> UnsupportedError:
        """What keeps a called function from using such a variable of the file."""
        return UnsupportedError(f"it uses `{c_name(name)}` of the file, which a variable hides here")

    def take(self, name: str) -> None:
        """Keep a variable's name, which is unique as it is, from others."""
        self._taken.add(name)

    def declare(self, name: str, ctype: CType, kind: ScopeKind, symbol: Symbol | None = None) -> Symbol:
        """Add a variable to the innermost scope under a name that is unique in the nest."""
        unique, count = name, 1
        while unique in self._taken or (self.in_nest and unique in self.file_scope.symbols):
            count += 1
            # what a nest finds set may be a size, which is shown
            unique = added(name, str(count)) if self.in_nest else f"{name} #{count}"
        self._taken.add(unique)
        self.arrays.pop(unique, None)  # of an undeclared variable that was met before
        # A static variable in the body is the same one in every iteration.
        declared_in = None if kind == "global" else self._innermost()
        made = replace(symbol or Symbol(name, ctype, kind), name=unique, declared_in=declared_in)
        self.scopes[-1][name] = made
        return made

    def declare_iterator(self, name: str, ctype: CType) -> Symbol:
        """Like `declare`, but loops side by side may share an iterator's name."""
        scopes = (*self.hidden, *self.scopes)
        visible = any(name in scope for scope in scopes) or name in self.file_scope.symbols
        earlier = self.scalars.get(name)
        if not visible and (name not in self._taken or (earlier is not None and earlier.type == ctype)):
            self._taken.add(name)
            self.scopes[-1][name] = Symbol(name, ctype, "body", declared_in=self._innermost())
            return self.scopes[-1][name]
        return self.declare(name, ctype, "body")

    def end(self, scope: dict[str, Symbol]) -> None:
        """Let the names of a block that ended be those of others; outside of nests only, where no object is kept."""
        names = {symbol.name for symbol in scope.values() if symbol.scope == "local"}
        self.values.forget(names)
        self._taken -= names
        for name in names:
            self.arrays.pop(name, None)
            self.scalars.pop(name, None)

    def unnamed(self, name: str) -> str:
        """A name for memory that a variable of that name leads to, which nothing else has."""
        base = c_name(name)
        unique, count = added(base), 1
        while unique in self._taken:
            count += 1
            unique = added(base, str(count))
        self._taken.add(unique)
        return unique

    def _innermost(self) -> NodeId | None:
        return self.loops[-1] if self.loops else None
