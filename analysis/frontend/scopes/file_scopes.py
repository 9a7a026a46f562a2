"""File-level scopes: what the declarations that a function needs make of their names.

The functions of a file need much the same declarations. What one of them adds to the names before it follows from its
tree and from what these say of the names that it mentions: where that is the same again, so is what it adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast
from warplens.analysis.c.c_types import VOID, TypeResolver
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.frontend.declarations.declarators import KEYWORDS
from warplens.analysis.frontend.declarations.thread_variables import is_of_thread, thread_variables
from warplens.analysis.frontend.scopes.directive_regions import pragma_text
from warplens.analysis.frontend.scopes.scope import ConstantFolder, FileScope, initialised_extent
from warplens.analysis.frontend.syntax.constant_tables import table_values
from warplens.analysis.frontend.syntax.member_types import MembersOfStructures, MemberTypes
from warplens.analysis.frontend.syntax.mentions import Noted
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf, UnknownType, is_volatile

_Values = tuple[dict[str, Any], ...]
"""What is set in each of the dictionaries of `_Names`, in their order."""


@dataclass(frozen=True, slots=True)
class _Mentioned:
    """What a declaration's tree mentions: names of types, tags, names of values, its own name among them."""

    types: tuple[str, ...]
    tags: tuple[str, ...]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Added:
    """What a declaration added to each of the dictionaries; it keeps alive what it was made from."""

    around: tuple[object, ...]
    values: _Values


class FileScopes:
    """Scopes of the functions of one file, whose declarations have one tree each."""

    def __init__(self) -> None:
        self._mentioned: dict[int, tuple[c_ast.Node, _Mentioned]] = {}
        self._added: dict[tuple[int, ...], _Added] = {}
        self._members = MembersOfStructures()

    def scope(self, declarations: Sequence[c_ast.Node]) -> FileScope:
        """Names that parsed file-level declarations introduce, in source order."""
        names = _Names()
        for node in declarations:
            around = tuple(names.around(self._mentions(node)))
            key = (id(node), *map(id, around))
            known = self._added.get(key)
            if known is None:
                self._added[key] = _Added(around, names.declare(node))
            else:
                names.add(known.values)
        return names.scope(self._members)

    def _mentions(self, node: c_ast.Node) -> _Mentioned:
        if id(node) not in self._mentioned:
            self._mentioned[id(node)] = node, _mentioned(node)
        return self._mentioned[id(node)][1]


_Kind = Noted[CType] | Noted[int] | Noted[Symbol] | Noted[c_ast.Node] | Noted[tuple[str, ...]]


class _Names:
    """The names that the declarations so far have introduced."""

    def __init__(self) -> None:
        self._typedefs: Noted[CType] = Noted()
        self._tags: Noted[CType] = Noted()
        self._constants: Noted[int] = Noted()
        self._enumerators: Noted[int] = Noted()
        self._symbols: Noted[Symbol] = Noted()
        self._results: Noted[CType] = Noted()
        self._prototypes: Noted[c_ast.FuncDecl] = Noted()
        self._own_functions: Noted[bool] = Noted()
        self._variables: Noted[bool] = Noted()
        self._initialised: Noted[c_ast.Decl] = Noted()
        self._open_extents: Noted[tuple[str, ...]] = Noted()
        self._folder = ConstantFolder(self._constants)
        self._resolver = resolver = TypeResolver(self._folder.extent, self._folder.fold)
        resolver.typedefs, resolver.tags, resolver.enumerators = self._typedefs, self._tags, self._enumerators
        self._folder.resolver = resolver
        self._all: tuple[_Kind, ...] = (
            self._typedefs, self._tags, self._constants, self._enumerators, self._symbols, self._results,
            self._prototypes, self._own_functions, self._variables, self._initialised, self._open_extents,
        )  # fmt: skip

    def around(self, mentioned: _Mentioned) -> Iterator[object]:
        """All that a declaration may be told of what it mentions."""
        for name in mentioned.types:
            found = self._typedefs.get(name)
            yield found
            target = found.target if isinstance(found, PointerTo) else found
            if isinstance(target, StructOf) and not target.fields:
                yield self._tags.get(target.name)
        for name in mentioned.tags:
            yield self._tags.get(name)
        for name in mentioned.values:
            yield self._constants.get(name)
            yield self._enumerators.get(name)
            yield self._symbols.get(name)

    def declare(self, node: c_ast.Node) -> _Values:
        """Take in a declaration; what it adds."""
        for names in self._all:
            names.fresh.clear()
        self._declare(node)
        return tuple({name: names[name] for name in names.fresh} for names in self._all)

    def add(self, added: _Values) -> None:
        """Take in what a declaration added before."""
        for names, found in zip(self._all, added, strict=True):
            if found:
                names.update(found)

    def _declare(self, node: c_ast.Node) -> None:
        resolver = self._resolver
        if isinstance(node, c_ast.Pragma):
            for name in thread_variables(pragma_text(node)):
                if name in self._symbols:
                    self._symbols[name] = replace(self._symbols[name], is_of_thread=True)
        elif isinstance(node, c_ast.Typedef):
            ctype = resolver.resolve(node.type)
            if isinstance(ctype, StructOf) and ctype.name.endswith("?"):
                ctype = replace(ctype, name=node.name)
            self._typedefs[node.name] = ctype
        elif isinstance(node, c_ast.FuncDef):
            self._results[node.decl.name] = resolver.resolve(node.decl.type.type)
        elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            self._results[node.name] = resolver.resolve(node.type.type)
            self._prototypes[node.name] = node.type
            if "static" in (node.storage or []):
                self._own_functions[node.name] = True
        elif isinstance(node, c_ast.Decl):
            ctype = resolver.resolve(node.type)
            if node.name:
                self._variables[node.name] = True
                self._declare_variable(node, ctype)

    def _declare_variable(self, node: c_ast.Node, ctype: CType) -> None:
        if isinstance(ctype, ArrayOf) and ctype.extent is None and isinstance(node.init, c_ast.InitList):
            ctype = ArrayOf(ctype.element, initialised_extent(node.init))
        is_const = "const" in (node.quals or []) or "const" in (getattr(node.type, "quals", None) or [])
        is_constant = is_const and not is_volatile(ctype)
        value = self._folder.fold(node.init) if is_constant and node.init is not None else None
        if value is not None and isinstance(ctype, Scalar) and ctype.kind == "int":
            self._constants[node.name] = value
        else:
            value = None
        if node.init is not None and _holds_pointers(ctype):
            self._initialised[node.name] = node
        unknown = tuple(dict.fromkeys(self._unknown_lengths(node.type)))
        if unknown:
            self._open_extents[node.name] = unknown
        restrict = getattr(ctype, "restrict", False)
        table = table_values(node, ctype, self._folder.fold)
        earlier = self._symbols.get(node.name)
        if earlier is not None and earlier.table and node.init is None:
            return  # `extern const int table[];` after its definition
        is_thread = is_of_thread(node.storage) or (earlier is not None and earlier.is_of_thread)
        self._symbols[node.name] = Symbol(
            node.name, ctype, "global", restrict, is_const, value=value, table=table, is_of_thread=is_thread
        )

    def _unknown_lengths(self, node: c_ast.Node) -> Iterator[str]:
        """Names in an array's lengths that are no constants."""
        while isinstance(node, c_ast.ArrayDecl):
            if node.dim is not None and self._folder.extent(node.dim) is None:
                for each in nodes_of_kinds(node.dim, (c_ast.ID,)):
                    if each.name not in self._constants and each.name not in self._enumerators:
                        yield each.name
            node = node.type

    def scope(self, members: MembersOfStructures) -> FileScope:
        """All of them, what was named before its definition completed."""
        completed = self._resolver.completed
        symbols = {name: _completed(symbol, completed(symbol.type)) for name, symbol in self._symbols.items()}
        for name, value in self._enumerators.items():
            symbols[name] = Symbol(name, Scalar("int", "int", 4), "global", is_const=True, value=value)
        return FileScope(
            dict(self._typedefs),
            dict(self._tags),
            symbols,
            {name: completed(ctype) for name, ctype in self._results.items()},
            set(self._own_functions),
            dict(self._prototypes),
            variables=set(self._variables),
            initialised=dict(self._initialised),
            open_extents=dict(self._open_extents),
            members=MemberTypes((*self._tags.values(), *self._typedefs.values()), members),
        )


def _completed(symbol: Symbol, ctype: CType) -> Symbol:
    return symbol if ctype is symbol.type else replace(symbol, type=ctype)


def _mentioned(declaration: c_ast.Node) -> _Mentioned:
    types: dict[str, None] = {}
    tags: dict[str, None] = {}
    values: dict[str, None] = {}
    if isinstance(declaration, c_ast.Decl) and declaration.name:
        values[declaration.name] = None
    stack = [declaration.decl if isinstance(declaration, c_ast.FuncDef) else declaration]
    while stack:
        node = stack.pop()
        match node:
            case c_ast.Pragma():
                values.update(dict.fromkeys(thread_variables(pragma_text(node))))
            case c_ast.IdentifierType(names=[name]) if name not in KEYWORDS:
                types[name] = None
            case c_ast.Struct(name=str(name)):
                tags[f"struct {name}"] = None
            case c_ast.Union(name=str(name)):
                tags[f"union {name}"] = None
            case c_ast.ID():
                values[node.name] = None
            case _:
                pass
        stack.extend(node)
    return _Mentioned(tuple(types), tuple(tags), tuple(values))


def _holds_pointers(ctype: CType) -> bool:
    """Whether data may be reached through an object of this type."""
    match ctype:
        case PointerTo(target):
            return not isinstance(target, UnknownType) or target == VOID
        case ArrayOf(element):
            return _holds_pointers(element)
        case StructOf(_, fields):
            return any(_holds_pointers(field.type) for field in fields)
        case _:
            return False
