"""Types of a file as far as ways through them go: members of its structures, its variables."""

from __future__ import annotations

from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.ir.types import ArrayOf, CType, StructOf
from warplens.analysis.program.sizes.file_sizes import TypeShape
from warplens.analysis.program.sizes.place_reader import shape_of


class TypesMet:
    """Those of all scopes that were taken in, the first of each name."""

    def __init__(self) -> None:
        self.structures: dict[str, tuple[tuple[str, TypeShape], ...]] = {}
        self.variables: dict[str, TypeShape] = {}

    def take_in(self, scope: FileScope) -> None:
        """Keep the types of a scope's structures and of the variables of the file."""
        for ctype in (*scope.tags.values(), *scope.typedefs.values()):
            self._take_in(ctype)
        for name in scope.variables:
            if name not in self.variables and name in scope.symbols:
                self.variables[name] = shape_of(scope.symbols[name].type)

    def _take_in(self, ctype: CType) -> None:
        """A structure and those that are parts of it."""
        if not isinstance(ctype, StructOf) or not ctype.fields or ctype.name in self.structures:
            return
        self.structures[ctype.name] = tuple((one.name, shape_of(one.type)) for one in ctype.fields)
        for member in ctype.fields:
            part = member.type
            while isinstance(part, ArrayOf):
                part = part.element
            self._take_in(part)
