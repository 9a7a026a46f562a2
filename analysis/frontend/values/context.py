"""The state of lowering one nest: names in scope, known values, node ids, spans, objects met so far."""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.frontend.scopes.places import Place
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.extents import Extents
from warplens.analysis.frontend.values.directives_around import DirectivesAround
from warplens.analysis.frontend.values.values import Values
from warplens.analysis.ir.expression import Expression, ScalarRef
from warplens.analysis.ir.nest import Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rational_polynomial import RationalPolynomial
from warplens.analysis.text.span import Span


def _always(loop: c_ast.Node, name: str) -> bool:
    del loop, name
    return True


class Context(DirectivesAround):
    """Mutable while a nest is built; `in_nest` is False for the statements before one, whose nodes are thrown away."""

    def __init__(
        self,
        file_scope: FileScope,
        scopes: list[dict[str, Symbol]],
        values: Values,
        extents: Extents,
        in_nest: bool,
    ) -> None:
        super().__init__(file_scope, scopes, values, extents, in_nest)
        self.sums: dict[str, RationalPolynomial] = {}
        """Symbols for what loops have added up, where a division is left: of what by which number."""
        self.moving: frozenset[str] = frozenset()
        """Source names that the nest writes: a pointer among them moves."""
        self.before: list[Statement] = []
        """Side effects of the expression being lowered that happen before the statement."""
        self.after: list[tuple[c_ast.Node, Place | None, str, Span]] = []
        """Those that happen after it: (lvalue, its place, operator, span) of an `i++`."""
        self.substitutions: dict[str, Expression] = {}
        """Arguments that stand in place of parameters, by the parameter's unique name."""
        self.functions: dict[str, str] = {}
        """Functions that parameters stand for."""
        self.bound: set[str] = set()
        """Parameters that stand for a place."""
        self.refused: dict[str, str] = {}
        """Functions whose bodies can't stand in place of their calls, with the reason."""
        self.inlined: dict[str, None] = {}
        self.other_pointers: dict[str, None] = {}
        """Pointers handed to such functions that stand for another array."""
        self.older_pointers: dict[tuple[str, str], None] = {}
        """Variables that were set before the nest, each with the array into which it is known to lead."""
        self.inlined_size = 0
        self.statics: dict[tuple[str, str], Symbol] = {}
        """Static variables of functions by function and name; the function of the nest itself is ''."""
        self.allocated: set[str] = set()
        """Objects that each iteration allocates anew."""
        self.compared: frozenset[str] = frozenset()
        """Pointers whose value the nest reads, not only what they point to."""
        self.only_allocated: frozenset[str] = frozenset()
        """Pointers of the function that only ever hold what allocations in it gave."""
        self.is_live_after: Callable[[c_ast.Node, str], bool] = _always
        """Whether the value that a loop leaves in a variable may be read later."""
        self.walking: dict[str, ScalarRef] = {}
        """Pointers that a loop around moves unevenly, each with the variable that says how far it is in its object."""
        self.kept_walks: dict[str, ScalarRef] = {}
        """Those that a loop inside of that moves evenly, with variables for where they are when it ends."""

    def walks(self, value: Polynomial) -> bool:
        """Whether a value is said in terms of how far a pointer is that a loop around moves unevenly."""
        return any(held.name in value.symbols for held in self.walking.values())
