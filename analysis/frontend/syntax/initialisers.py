"""An array's or struct's initialiser as assignments to its elements and members."""

from __future__ import annotations

from typing import Literal

from pycparser import c_ast
from warplens.analysis.c.arithmetic import literal
from warplens.analysis.c.c_types import is_scalar_value
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.ir.types import ArrayOf, CType, StructOf

_MOST_STORES = 256
"""A longer initialiser is refused, unless it holds constants alone."""
_MOST_CONSTANTS = 64
"""More constants are a table, not something that a loop's body computes."""
_NOT_UNDERSTOOD = "an aggregate initialiser"

Store = tuple[c_ast.Node, c_ast.Node]
"""Left and right side of an assignment, as syntax."""


def element_initialisers(node: c_ast.Decl, ctype: CType) -> list[Store]:
    """Assignments that a declaration's initialiser stands for; raises UnsupportedError.

    Not modelled: the stores that clear what a list leaves out (`= {0}`, strings), and those of a table of constants.
    """
    if isinstance(node.init, c_ast.InitList) and _is_table(node.init):
        return []
    stores = _stores(c_ast.ID(node.name, node.coord), node.init, ctype)
    if len(stores) > _MOST_STORES:
        raise UnsupportedError("a long initialiser")
    return stores


def unstored_values(node: c_ast.Decl, ctype: CType) -> Literal["", "zeros", "values"]:
    """What an initialiser gives that `element_initialisers` has no stores for."""
    if node.init is None or is_scalar_value(ctype):
        return ""
    if not isinstance(node.init, c_ast.InitList):
        return "values" if isinstance(ctype, ArrayOf) else ""
    if _is_table(node.init) or _has_string(node.init):
        return "values"
    values, extent = node.init.exprs or [], ctype.extent if isinstance(ctype, ArrayOf) else None
    is_whole = extent is not None and extent.is_constant and extent.constant_term == len(values)
    has_lists = any(isinstance(value, c_ast.InitList | c_ast.NamedInitializer) for value in values)
    return "" if is_whole and not has_lists and not all(map(_is_zero, values)) else "zeros"


def _has_string(initial: c_ast.Node) -> bool:
    """Whether a list gives arrays of characters in it by a string."""
    if isinstance(initial, c_ast.InitList):
        return any(_has_string(value) for value in initial.exprs or [])
    if isinstance(initial, c_ast.NamedInitializer):
        return _has_string(initial.expr)
    return isinstance(initial, c_ast.Constant) and initial.type == "string"


def _stores(target: c_ast.Node, initial: c_ast.Node, ctype: CType) -> list[Store]:
    if isinstance(initial, c_ast.InitList):
        values = initial.exprs or []
        if all(_is_zero(value) for value in values):
            return []
        if isinstance(ctype, ArrayOf):
            return _elements(target, values, ctype.element)
        if isinstance(ctype, StructOf):
            return _members(target, values, ctype)
        if len(values) == 1:
            return [(target, values[0])]
        raise UnsupportedError(_NOT_UNDERSTOOD)
    if isinstance(ctype, ArrayOf):
        if isinstance(initial, c_ast.Constant) and literal(initial.value) is None:
            return []  # a string
        raise UnsupportedError(_NOT_UNDERSTOOD)
    return [(target, initial)]


def _elements(target: c_ast.Node, values: list[c_ast.Node], element: CType) -> list[Store]:
    if len(values) > _MOST_STORES:
        raise UnsupportedError("a long initialiser")
    found: list[Store] = []
    designated = False
    for position, value in enumerate(values):
        subscript: c_ast.Node = c_ast.Constant("int", str(position), target.coord)
        initial = value
        if isinstance(value, c_ast.NamedInitializer) and isinstance(value.name[0], c_ast.ArrayDesignator):
            subscript, initial, designated = value.name[0].expr, value.expr, True
            if len(value.name) > 1:
                raise UnsupportedError(_NOT_UNDERSTOOD)
        elif designated:
            raise UnsupportedError(_NOT_UNDERSTOOD)  # an element behind the one that was named last
        _reject_left_out_braces(initial, element)
        found += _stores(c_ast.ArrayRef(target, subscript, target.coord), initial, element)
    return found


def _members(target: c_ast.Node, values: list[c_ast.Node], ctype: StructOf) -> list[Store]:
    members = {field.name: field.type for field in ctype.fields}
    found: list[Store] = []
    for position, value in enumerate(values):
        name: str | None = None
        initial = value
        if isinstance(value, c_ast.NamedInitializer):
            if len(value.name) == 1 and isinstance(value.name[0], c_ast.ID):
                name, initial = value.name[0].name, value.expr
        elif position < len(ctype.fields) and not any(isinstance(v, c_ast.NamedInitializer) for v in values):
            name = ctype.fields[position].name
        if name not in members:
            raise UnsupportedError(_NOT_UNDERSTOOD)
        _reject_left_out_braces(initial, members[name])
        found += _stores(c_ast.StructRef(target, ".", c_ast.ID(name), target.coord), initial, members[name])
    return found


def _reject_left_out_braces(value: c_ast.Node, ctype: CType) -> None:
    """`{1, 2, 3, 4}` for a matrix; a struct may be initialised by a struct."""
    is_plain = not isinstance(value, c_ast.InitList) and not is_scalar_value(ctype)
    if isinstance(value, c_ast.NamedInitializer) or (is_plain and isinstance(value, c_ast.Constant)):
        raise UnsupportedError(_NOT_UNDERSTOOD)


def _is_table(values: c_ast.InitList) -> bool:
    """Whether they are constants, and many."""
    stack: list[c_ast.Node] = list(values.exprs or [])
    count = 0
    while stack:
        value = stack.pop()
        match value:
            case c_ast.InitList():
                stack += value.exprs or []
            case c_ast.UnaryOp(op="-" | "+"):
                stack.append(value.expr)
            case c_ast.Constant():
                count += 1
            case _:
                return False
    return count > _MOST_CONSTANTS


def _is_zero(value: c_ast.Node) -> bool:
    constant = literal(value.value) if isinstance(value, c_ast.Constant) else None
    return constant is not None and constant.value == 0
