"""Constant tables: arrays of integers that nothing changes, with the values that their initialisers give them."""

from __future__ import annotations

import re
from collections.abc import Callable

from pycparser import c_ast
from warplens.analysis.c.arithmetic import fold_integers
from warplens.analysis.ir.promises.increasing import Increasing
from warplens.analysis.ir.promises.injective import Injective
from warplens.analysis.ir.promises.named import TablePromise
from warplens.analysis.ir.types import ArrayOf, CType, Scalar

MOST_VALUES = 4096
"""A longer table's values are not kept: they say little that its subscripts don't, and reading them takes long."""
_LONGEST_TEXT = 16 * MOST_VALUES
_INTEGERS = re.compile(r"=\s*\{[\s,0-9a-fA-FxX+-]*\}")
_CONST = re.compile(r"\bconst\b")

Fold = Callable[[c_ast.Node], int | None]


def is_short_table(declaration: str, initialiser: int) -> bool:
    """Whether a declaration, whose initialiser's `=` is at that offset, gives a constant few enough plain integers.

    >>> is_short_table("static const int a[] = {1, 2, 3};", 21), is_short_table("int a[] = {1};", 8)
    (True, False)
    """
    if len(declaration) - initialiser > _LONGEST_TEXT or not _CONST.search(declaration, 0, initialiser):
        return False
    values = _INTEGERS.match(declaration, initialiser)
    return values is not None and values.group().count(",") < MOST_VALUES


def table_values(node: c_ast.Decl, ctype: CType, fold: Fold) -> tuple[int, ...]:
    """Values of a constant array of integers, what its list leaves out being 0; empty where any is not known.

    `fold` gives the value of a name or a literal. Not modelled: lists with designators, values that the element's type
    would cut, definitions that the linker replaces.
    """
    quals = {*(node.quals or []), *(getattr(node.type, "quals", None) or [])}
    if "const" not in quals or "volatile" in quals or not isinstance(node.init, c_ast.InitList):
        return ()
    if not isinstance(ctype, ArrayOf) or not isinstance(ctype.element, Scalar) or ctype.element.kind != "int":
        return ()
    given = node.init.exprs or []
    extent = ctype.extent
    if extent is None or not extent.is_constant or not len(given) <= extent.constant_term <= MOST_VALUES:
        return ()
    values: list[int] = []
    for item in given:
        value = _plain(item, fold)
        if value is None or not _holds(ctype.element, value):
            return ()
        values.append(value)
    return (*values, *[0] * (extent.constant_term - len(values)))


def said_by_values(values: tuple[int, ...]) -> tuple[type[TablePromise], ...]:
    """What a table's values make of it as an array of subscripts.

    >>> [[kind.kind for kind in said_by_values(values)] for values in ((2, 0, 3), (1, 1, 4), (0, 5))]
    [['injective'], ['increasing'], ['injective', 'increasing']]
    """
    found: list[type[TablePromise]] = []
    if values and len(frozenset(values)) == len(values):
        found.append(Injective)
    if values and list(values) == sorted(values):
        found.append(Increasing)
    return tuple(found)


def _plain(node: c_ast.Node, fold: Fold) -> int | None:
    """Value of an expression of `int`s that stays one at each step; others follow rules that `fold` leaves out."""
    value: int | None = None
    match node:
        case c_ast.Constant(type="int") | c_ast.ID():
            value = fold(node)
        case c_ast.UnaryOp(op="-" | "+" as sign):
            inner = _plain(node.expr, fold)
            value = None if inner is None else -inner if sign == "-" else inner
        case c_ast.BinaryOp(op="+" | "-" | "*" as operator):
            left, right = _plain(node.left, fold), _plain(node.right, fold)
            value = None if left is None or right is None else fold_integers(operator, left, right)
        case _:
            pass
    return value if value is not None and -(2**31) <= value < 2**31 else None


def _holds(ctype: Scalar, value: int) -> bool:
    bits = 8 * min(ctype.size_bytes, 4)
    if "bool" in ctype.name.lower():
        return value in {0, 1}
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if ctype.signed else (0, (1 << bits) - 1)
    return least <= value <= most
