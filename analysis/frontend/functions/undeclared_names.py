"""Types and array lengths that a loop needs and that no file in sight declares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pycparser import c_ast
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, StructOf, UnknownType
from warplens.analysis.ir.undeclared import Undeclared

_ASKED = (c_ast.ID, c_ast.IdentifierType, c_ast.StructRef)


def undeclared_types(
    loop: c_ast.Node,
    visible: Mapping[str, Symbol],
    open_extents: Mapping[str, tuple[str, ...]],
    resolve: Callable[[c_ast.Node], CType],
) -> Iterator[Undeclared]:
    """What the types of a loop's variables, members and casts are made of that is not known.

    `visible` are the variables at the loop, `open_extents` names in the lengths of the file's arrays that stand for
    nothing, `resolve` gives a type's meaning. A structure is needed where a member of it is named.
    """
    for node in nodes_of_kinds(loop, _ASKED):
        if isinstance(node, c_ast.IdentifierType):
            yield from _unknown(resolve(node))
        elif isinstance(node, c_ast.StructRef):
            base = node.name
            symbol = visible.get(base.name) if isinstance(base, c_ast.ID) else None
            ctype = None if symbol is None else _pointed_to(symbol.type)
            if isinstance(ctype, StructOf) and not ctype.fields:
                yield Undeclared(ctype.name, "type")
        elif node.name in visible:
            symbol = visible[node.name]
            yield from _unknown(symbol.type)
            if symbol.scope == "global":
                yield from (Undeclared(name, "name") for name in open_extents.get(node.name, ()))


def _unknown(ctype: CType) -> Iterator[Undeclared]:
    inner = _pointed_to(ctype)
    if isinstance(inner, UnknownType) and inner.name:
        yield Undeclared(inner.name, "type")


def _pointed_to(ctype: CType) -> CType:
    """What a pointer leads to, or an array holds, at last."""
    while True:
        match ctype:
            case PointerTo(target=target):
                ctype = target
            case ArrayOf(element=element):
                ctype = element
            case _:
                return ctype
