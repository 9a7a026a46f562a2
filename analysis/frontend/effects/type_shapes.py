"""Whether declared names are arrays or pointers, and of what: enough to tell a row from what a pointer leads to.

A shape is one letter for each step into a value: `[` an array, `*` a pointer, then `=` for a number or `?` for a
structure and for what is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds

ARRAY, POINTER, NUMBER, OPEN = "[", "*", "=", "?"
_NUMBERS = frozenset(
    ("void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "_Complex", "__int128")
)
_MOST_ALIASES = 20

Named = tuple[str, str]
"""The steps into a value and, last, the name of a type where that is to be looked up, else a letter."""


@dataclass(frozen=True, slots=True)
class DeclaredShapes:
    """What one declaration says of the shapes of variables, of members of structures and of types, by name."""

    variables: tuple[tuple[str, Named], ...] = ()
    members: tuple[tuple[str, Named], ...] = ()
    types: tuple[tuple[str, Named], ...] = ()


def declared_shapes(nodes: Iterable[c_ast.Node]) -> DeclaredShapes:
    """Shapes that the trees of a declaration tell."""
    variables: list[tuple[str, Named]] = []
    members: list[tuple[str, Named]] = []
    types: list[tuple[str, Named]] = []
    for node in nodes:
        if isinstance(node, c_ast.Typedef):
            types.append((node.name, _named(node.type)))
        elif isinstance(node, c_ast.Decl) and node.name and not isinstance(node.type, c_ast.FuncDecl):
            variables.append((node.name, _named(node.type)))
        for structure in nodes_of_kinds(node, (c_ast.Struct, c_ast.Union)):
            inner = (one for one in structure.decls or () if isinstance(one, c_ast.Decl) and one.name)
            members += ((one.name, _named(one.type)) for one in inner)
    return DeclaredShapes(tuple(variables), tuple(members), tuple(types))


@dataclass(frozen=True)
class TypeShapes:
    """Shapes by name; a member stands for those of its name in all structures. Others are open."""

    variables: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def key(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """All of it, to be told from others by."""
        return tuple(tuple(sorted(part.items())) for part in (self.variables, self.members, self.types))

    def of(self, node: c_ast.Node) -> str:
        """Shape of a type's tree."""
        steps, last = _named(node)
        return steps + (last if last in {NUMBER, OPEN} else self.types.get(last, OPEN))


def joined_shapes(declared: Iterable[DeclaredShapes], names: frozenset[str]) -> TypeShapes:
    """What declarations say of these names; open where two differ."""
    every = tuple(declared)
    types: dict[str, Named] = {name: shape for one in every for name, shape in one.types}

    def resolved(shape: Named) -> str:
        steps, last = shape
        for _ in range(_MOST_ALIASES):
            if last in {NUMBER, OPEN} or last not in types:
                break
            more, last = types[last]
            steps += more
        return steps + (last if last == NUMBER else OPEN)

    def of(named: Iterable[tuple[str, Named]]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, shape in named:
            if name in names:
                new = resolved(shape)
                found[name] = new if found.get(name, new) == new else OPEN
        return found

    return TypeShapes(
        of(pair for one in every for pair in one.variables),
        of(pair for one in every for pair in one.members),
        of(pair for one in every for pair in one.types),
    )


def _named(node: c_ast.Node) -> Named:
    match node:
        case c_ast.ArrayDecl():
            steps, last = _named(node.type)
            return ARRAY + steps, last
        case c_ast.PtrDecl():
            steps, last = _named(node.type)
            return POINTER + steps, last
        case c_ast.TypeDecl() | c_ast.Typename():
            return _named(node.type)
        case c_ast.IdentifierType():
            names = node.names
            return "", NUMBER if not _NUMBERS.isdisjoint(names) else names[-1]
        case c_ast.Enum():
            return "", NUMBER
        case _:
            return "", OPEN
