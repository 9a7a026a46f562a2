"""What a list in braces gives the members and elements of a variable."""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast
from warplens.analysis.ir.types import ArrayOf, CType, Scalar, StructOf
from warplens.analysis.program.sizes.places import Place, element_of
from warplens.analysis.program.sizes.size_expression import SizeExpression
from warplens.analysis.program.sizes.size_reader import SizeReader

_MOST_ELEMENTS = 64
"""Values of a list that are kept apart."""
_DEEPEST_LIST = 8


def listed_values(
    listed: c_ast.InitList, ctype: CType, place: Place | None, reader: SizeReader, depth: int = 0
) -> Iterator[tuple[Place, SizeExpression]]:
    """Places of members and elements with the numbers that a list gives them, for a variable of that type.

    `place` is the variable's, None for a literal, of which only members have places.
    """
    if depth > _DEEPEST_LIST:
        return
    at: int | None = -1
    for item in (listed.exprs or [])[:_MOST_ELEMENTS]:
        is_named = isinstance(item, c_ast.NamedInitializer)
        value = item.expr if is_named else item
        at = _position(ctype, item.name[0], reader) if is_named else None if at is None else at + 1
        inner, where = _inside(ctype, place, at, reader)
        for step in item.name[1:] if is_named else ():
            inner, where = _inside(inner, where, _position(inner, step, reader), reader)
        if inner is None:
            continue
        if isinstance(value, c_ast.InitList):
            yield from listed_values(value, inner, where, reader, depth + 1)
        elif where is not None and isinstance(inner, Scalar):
            yield where, reader.converted(reader.number(value), inner)


def _position(ctype: CType | None, step: c_ast.Node, reader: SizeReader) -> int | None:
    """Which member or element `.name` or `[3]` means in a list."""
    if isinstance(step, c_ast.ArrayDesignator):
        return reader.constant(step.expr)
    found = None if ctype is None else reader.types.completed(ctype)
    names = [one.name for one in found.fields] if isinstance(found, StructOf) else []
    return names.index(step.name) if step.name in names else None


def _inside(
    ctype: CType | None, place: Place | None, at: int | None, reader: SizeReader
) -> tuple[CType | None, Place | None]:
    """The member or element at a position, and the place of what is kept in it."""
    found = None if ctype is None else reader.types.completed(ctype)
    if at is None or at < 0:
        return None, None
    if isinstance(found, ArrayOf):
        return found.element, None if place is None else element_of(place, at)
    if isinstance(found, StructOf) and at < len(found.fields):
        return found.fields[at].type, Place("member", found.name, found.fields[at].name)
    return None, None
