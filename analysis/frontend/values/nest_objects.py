"""Scalars and arrays that the statements of a nest have met so far."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.c.symbols import Symbol
from warplens.analysis.frontend.scopes.places import element_bytes_of, innermost_element
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.constant_tables import said_by_values
from warplens.analysis.frontend.syntax.extents import Extents
from warplens.analysis.frontend.values.nest_nodes import NestNodes
from warplens.analysis.frontend.values.values import Values
from warplens.analysis.ir.expression import ScalarRef
from warplens.analysis.ir.nest import ArrayObject, ScalarObject
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo


class NestObjects(NestNodes):
    """Those without an access are left out at the end."""

    def __init__(self, file_scope: FileScope, values: Values, extents: Extents) -> None:
        super().__init__(extents)
        self.file_scope = file_scope
        self.values = values
        values.loops = self.loops
        self.arrays: dict[str, ArrayObject] = {}
        self.scalars: dict[str, ScalarObject] = {}
        self.inexact: dict[str, None] = {}
        self.addressed: frozenset[str] = frozenset()

    def scalar(self, symbol: Symbol, source_name: str) -> ScalarRef:
        """Reference to a scalar; registers its object."""
        if symbol.name not in self.scalars:
            is_of_file = self.file_scope.symbols.get(source_name) is symbol
            self.scalars[symbol.name] = ScalarObject(
                symbol.name,
                symbol.type,
                symbol.scope,
                used_after=symbol.scope != "body",
                address_taken=source_name in self.addressed,
                declared_in=symbol.declared_in,
                is_of_called=bool(self.callers) and not is_of_file,
                is_exposed=is_of_file and (isinstance(symbol.type, PointerTo) or not symbol.is_const),
            )
        return ScalarRef(symbol.name, symbol.type)

    def array_object(self, symbol: Symbol) -> None:
        """Register the memory that a variable is or points to."""
        if symbol.name in self.arrays:
            return
        extents: list[Polynomial | None] = []
        ctype = symbol.type
        is_pointer = isinstance(ctype, PointerTo) or symbol.is_array_parameter
        const_target = symbol.is_const
        if isinstance(ctype, PointerTo):
            extents.append(None)
            const_target = ctype.const_target
            ctype = ctype.target
        while isinstance(ctype, ArrayOf):
            extents.append(ctype.extent)
            ctype = ctype.element
        self.add_array(symbol.name, ctype, tuple(extents), symbol, is_pointer, const_target)

    def add_array(
        self,
        name: str,
        ctype: CType,
        extents: tuple[Polynomial | None, ...],
        symbol: Symbol,
        is_pointer: bool,
        is_const: bool,
    ) -> None:
        """Register an object that is reached from `symbol`."""
        size, known = element_bytes_of(ctype)
        table = symbol.table if name == symbol.name and not is_pointer else ()
        self.values.note_table(name, ctype, table)
        if not known:
            self.inexact[_unsized(name)] = None
        self.arrays[name] = ArrayObject(
            name,
            innermost_element(ctype),
            size,
            extents,
            symbol.scope,
            is_pointer,
            symbol.restrict and name == symbol.name,
            is_const,
            symbol.declared_in,
            holds=said_by_values(table),
            is_of_called=bool(self.callers)
            and not (symbol.scope == "global" and symbol.name in self.file_scope.symbols),
            unstored=symbol.unstored if name == symbol.name else "",
        )

    def retype(self, array: ArrayObject, ctype: CType) -> None:
        """Note what an object of no type holds."""
        self.arrays[array.name] = replace(
            array, element=innermost_element(ctype), element_bytes=element_bytes_of(ctype)[0]
        )
        self.inexact.pop(_unsized(array.name), None)

    def snapshot(self) -> tuple[int, int]:
        """Point to come back to when a statement turns out not to be understood."""
        return self.next_id, len(self.scalars)

    def restore(self, snapshot: tuple[int, int]) -> None:
        """Forget ids, spans and scalars that were made since; arrays without an access are left out at the end."""
        self.next_id, scalars = snapshot
        for places in (self.spans, self.headers, self.wholes, self.directives, self.exclusive):
            for node in [node for node in places if node >= self.next_id]:
                del places[node]
        for name in list(self.scalars)[scalars:]:
            del self.scalars[name]


def _unsized(name: str) -> str:
    """Said of an object whose elements have no size that is known."""
    return f"the size of what `{name}` holds is not known"
