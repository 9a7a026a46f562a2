"""Names in scope: what they are, and the declarations of the whole file that a function needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pycparser import c_ast
from warplens.analysis.c.arithmetic import fold_integers, literal
from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.c_types import TypeResolver, size_bytes
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.frontend.effects.call_effects import EffectsOfCalls
from warplens.analysis.frontend.effects.memory_roots import OwnEffects
from warplens.analysis.frontend.effects.own_effects import own_effects
from warplens.analysis.frontend.syntax.member_types import MembersOfStructures, MemberTypes
from warplens.analysis.frontend.syntax.tree_memo import OneOfEach, TreeMemo
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import CType

if TYPE_CHECKING:
    from warplens.analysis.frontend.forms.called_body import CalledBody


def _no_definition(name: str) -> c_ast.FuncDef | None:
    del name
    return None


@dataclass(frozen=True)
class FileScope:
    """File-level declarations: types by name, variables and constants, result types of functions."""

    typedefs: dict[str, CType]
    tags: dict[str, CType]
    symbols: dict[str, Symbol]
    results: dict[str, CType]
    own_functions: set[str] = field(default_factory=set)
    """Functions that are defined here or static: one called `pow` is not the library's."""
    prototypes: dict[str, c_ast.FuncDecl] = field(default_factory=dict)
    definition: Callable[[str], c_ast.FuncDef | None] = _no_definition
    """Tree of a function that the file, its headers or another file of the program define."""
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Functions that another file defines, with that file's name."""
    purity: dict[str, str] = field(default_factory=dict)
    """Functions that their declaration promises to be `pure` or `const`."""
    variables: set[str] = field(default_factory=set)
    """File-level variables, those with a constant's value too."""
    bodies: dict[str, CalledBody | None] = field(default_factory=dict)
    """Bodies made ready so far."""
    found: OneOfEach = field(default_factory=OneOfEach)
    """What was found so far with these names."""
    trees: TreeMemo = field(default_factory=TreeMemo)
    """What was found of the file's trees."""
    initialised: dict[str, c_ast.Decl] = field(default_factory=dict)
    """Declarations of file-level pointers, and of what holds some, that start as something."""

    open_extents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """File-level arrays with the names in their lengths that stand for nothing: undefined macros."""

    shared_effects: EffectsOfCalls | None = None
    members: MemberTypes = field(default_factory=lambda: MemberTypes((), MembersOfStructures()))
    """Types of the members of all structures of the file."""

    @cached_property
    def effects(self) -> EffectsOfCalls:
        """What functions of the file do besides giving a value; shared by the functions of one file."""
        return self.shared_effects or EffectsOfCalls(self._own_effects)

    def never_returns(self, function: str) -> bool:
        """Whether a call of it ends the program or goes on elsewhere."""
        effects = self.effects.of(function)
        if effects is not None or function in self.own_functions:
            return effects is not None and effects.ends
        known = library_call(function)
        return known is not None and (known.ends or known.jumps)

    def _own_effects(self, name: str) -> OwnEffects | None:
        definition = self.definition(name)
        return None if definition is None else own_effects(definition, self.variables)


class ConstantFolder:
    """Folds integer constant expressions over known constants."""

    def __init__(self, constants: Mapping[str, int]) -> None:
        self.constants = constants
        self.resolver: TypeResolver | None = None

    def fold(self, node: c_ast.Node | None) -> int | None:
        """Value, or None for what is not an integer constant expression."""
        match node:
            case c_ast.Constant():
                value = literal(node.value)
                return value.value if value is not None and isinstance(value.value, int) else None
            case c_ast.ID():
                return self._named(node.name)
            case c_ast.Cast():
                return self.fold(node.expr)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp():
                left, right = self.fold(node.left), self.fold(node.right)
                return None if left is None or right is None else fold_integers(node.op, left, right)
            case c_ast.TernaryOp():
                condition = self.fold(node.cond)
                return None if condition is None else self.fold(node.iftrue if condition else node.iffalse)
            case _:
                return None

    def _named(self, name: str) -> int | None:
        """A constant, or an enumerator of the `enum` that is being read: `enum { A = 64, B = A + 1 }`."""
        enumerators = {} if self.resolver is None else self.resolver.enumerators
        return enumerators.get(name, self.constants.get(name))

    def _unary(self, node: c_ast.Node) -> int | None:
        if node.op in {"sizeof", "_Alignof"}:
            if isinstance(node.expr, c_ast.Typename) and self.resolver is not None:
                return size_bytes(self.resolver.resolve(node.expr))
            return None
        value = self.fold(node.expr)
        if value is None:
            return None
        return {"-": -value, "+": value, "~": ~value, "!": int(not value)}.get(node.op)

    def extent(self, node: c_ast.Node) -> Polynomial | None:
        """A file-level array's extent."""
        value = self.fold(node)
        return None if value is None else Polynomial.constant(value)


def initialised_extent(initialiser: c_ast.Node) -> Polynomial | None:
    """Number of elements of a plain initialiser list; None when it has designators or was shortened."""
    values = initialiser.exprs or []
    if any(isinstance(value, c_ast.NamedInitializer) for value in values):
        return None
    return Polynomial.constant(len(values)) if len(values) > 1 else None
