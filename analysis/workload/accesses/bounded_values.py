"""Subscripts that data decides and whose range is written in them: `h[x[i] % bins]`, `h[key >> 24]`, `h[byte]`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from warplens.analysis.ir.expression import Binary, Cast, Constant, Expression, ScalarRef
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import CType, Scalar
from warplens.analysis.workload.accesses.sites import AccessSite

_BYTE_BITS = 8
Ends = tuple[Polynomial, Polynomial]


def at_ends(site: AccessSite, constants: Collection[str]) -> tuple[AccessSite, ...]:
    """The site with each such subscript at its smallest and at its largest value; empty where one has no such range.

    `constants` are names that stand in the nest. Assumes: a remainder that is a subscript is not negative.
    """
    access = site.access
    if None not in access.indices:
        return ()
    low, high = list(access.indices), list(access.indices)
    for at, (subscript, index) in enumerate(zip(access.subscripts, access.indices, strict=True)):
        ends = None if index is not None else _ends(subscript, constants)
        if index is None and ends is None:
            return ()
        if ends is not None:
            low[at], high[at] = ends
    return tuple(replace(site, access=replace(access, indices=tuple(indices))) for indices in (low, high))


def _ends(value: Expression, constants: Collection[str]) -> Ends | None:
    match value:
        case Constant(int() as number):
            return Polynomial.constant(number), Polynomial.constant(number)
        case Binary("%", _, modulus):
            count = _standing(modulus, constants)
            return None if count is None else (Polynomial.constant(0), count - 1)
        case Binary("&", left, right):
            masks = [part.value for part in (left, right) if isinstance(part, Constant) and isinstance(part.value, int)]
            mask = min((mask for mask in masks if mask >= 0), default=None)
            return None if mask is None else (Polynomial.constant(0), Polynomial.constant(mask))
        case Binary(">>", shifted, Constant(int() as bits)):
            width = _unsigned_bits(shifted.type)
            return _below(width - bits) if 0 < bits < width else None
        case Binary("+" | "-" as operator, left, right):
            one, other = _ends(left, constants), _ends(right, constants)
            if one is None or other is None:
                return None
            return (one[0] + other[0], one[1] + other[1]) if operator == "+" else (one[0] - other[1], one[1] - other[0])
        case Cast(operand) if _unsigned_bits(value.type) != _BYTE_BITS:
            return _ends(operand, constants)
        case _:
            return _below(_BYTE_BITS) if _unsigned_bits(value.type) == _BYTE_BITS else None


def _below(bits: int) -> Ends:
    return Polynomial.constant(0), Polynomial.constant((1 << bits) - 1)


def _unsigned_bits(ctype: CType) -> int:
    """Bits of an unsigned number, 0 of any other type."""
    is_unsigned = isinstance(ctype, Scalar) and ctype.kind == "int" and not ctype.signed and ctype.lanes == 1
    return _BYTE_BITS * ctype.size_bytes if is_unsigned and isinstance(ctype, Scalar) else 0


def _standing(value: Expression, constants: Collection[str]) -> Polynomial | None:
    while isinstance(value, Cast):
        value = value.operand
    match value:
        case Constant(int() as number) if number > 0:
            return Polynomial.constant(number)
        case ScalarRef(name) if name in constants:
            return Polynomial.symbol(name)
        case _:
            return None
