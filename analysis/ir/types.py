"""C types as far as loops care: how many bytes, which arithmetic, what may alias, what is `volatile`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class Scalar:
    """An arithmetic type; an enum is its int, a plain pointer used as a value is `PointerTo`.

    A vector type of GNU C has several `lanes` and the size of all of them.
    """

    name: str
    kind: Literal["int", "float", "complex"]
    size_bytes: int
    signed: bool = True
    volatile: bool = False
    lanes: int = 1


@dataclass(frozen=True, slots=True)
class PointerTo:
    """A pointer; `restrict` promises that nothing else reaches its object."""

    target: CType
    restrict: bool = False
    const_target: bool = False
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """An array; `extent` is None when the declaration leaves it open or it is not a polynomial."""

    element: CType
    extent: Polynomial | None


@dataclass(frozen=True, slots=True)
class Field:
    """A struct member at its offset under the System V x86-64 layout; `bits` is a bit-field's width, else 0."""

    name: str
    type: CType
    offset_bytes: int
    bits: int = 0


@dataclass(frozen=True, slots=True)
class StructOf:
    """A struct or union (`is_union`), padding included in its size."""

    name: str
    fields: tuple[Field, ...]
    size_bytes: int
    is_union: bool = False
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class UnknownType:
    """A type the front end could not see through, with the reason; `name` is that of one that nobody declares."""

    reason: str
    volatile: bool = False
    name: str = ""


CType = Scalar | PointerTo | ArrayOf | StructOf | UnknownType

INT = Scalar("int", "int", 4)
UNSIGNED = Scalar("unsigned int", "int", 4, signed=False)
LONG = Scalar("long", "int", 8)
SIZE_T = Scalar("unsigned long", "int", 8, signed=False)
FLOAT = Scalar("float", "float", 4)
DOUBLE = Scalar("double", "float", 8)
LONG_DOUBLE = Scalar("long double", "float", 16)


def as_volatile(ctype: CType) -> CType:
    """The type with the qualifier `volatile`, which an array hands on to its elements (ISO C17 6.7.3)."""
    if isinstance(ctype, ArrayOf):
        return replace(ctype, element=as_volatile(ctype.element))
    return replace(ctype, volatile=True)


def is_qualified_volatile(ctype: CType) -> bool:
    """Whether the qualifier `volatile` stands at the type itself, or at the elements of an array: all of it is.

    >>> one = StructOf("struct s", (Field("count", as_volatile(INT), 0),), 4)
    >>> is_qualified_volatile(one), is_qualified_volatile(as_volatile(one)), is_volatile(one)
    (False, True, True)
    """
    while isinstance(ctype, ArrayOf):
        ctype = ctype.element
    return ctype.volatile


def is_volatile(ctype: CType) -> bool:
    """Whether each access of an object of this type happens, in order: it or a member of it is `volatile`.

    >>> is_volatile(as_volatile(INT)), is_volatile(PointerTo(as_volatile(INT)))
    (True, False)
    """
    match ctype:
        case ArrayOf(element):
            return is_volatile(element)
        case StructOf(_, fields):
            return ctype.volatile or any(is_volatile(field.type) for field in fields)
        case _:
            return ctype.volatile


def spared_members(ctype: CType) -> CType:
    """The type with no member that is `volatile`, of a struct or union that itself is not: what else of it is meant.

    >>> one = StructOf("struct s", (Field("count", as_volatile(INT), 0),), 4)
    >>> is_volatile(spared_members(one)), is_volatile(spared_members(as_volatile(one)))
    (False, True)
    """
    match ctype:
        case StructOf(volatile=False) if is_volatile(ctype):
            fields = (replace(field, type=_never_volatile(field.type)) for field in ctype.fields)
            return replace(ctype, fields=tuple(fields))
        case ArrayOf(element):
            return replace(ctype, element=spared_members(element))
        case _:
            return ctype


def _never_volatile(ctype: CType) -> CType:
    match ctype:
        case ArrayOf(element):
            return replace(ctype, element=_never_volatile(element))
        case StructOf(fields=fields):
            inner = tuple(replace(field, type=_never_volatile(field.type)) for field in fields)
            return replace(ctype, volatile=False, fields=inner)
        case _:
            return replace(ctype, volatile=False)


def holds_all_of(target: Scalar, source: Scalar) -> bool:
    """Whether an integer type holds every value of another.

    >>> holds_all_of(INT, Scalar("unsigned char", "int", 1, signed=False)), holds_all_of(INT, LONG)
    (True, False)
    """
    if target.name == "_Bool" or source.name == "_Bool":
        return source.name == "_Bool"
    if target.signed == source.signed:
        return target.size_bytes >= source.size_bytes
    return target.signed and target.size_bytes > source.size_bytes


LEAST_HASH_FACTOR = 1 << 16
"""A constant factor from which on an `unsigned int` product is taken to be meant to wrap: 2^16 times 2^16 does."""


def is_hashed(ctype: CType, value: Polynomial) -> bool:
    """Whether an `unsigned int` value has a product that may have passed 2^32: only its low bits are known."""
    return (
        isinstance(ctype, Scalar)
        and (ctype.kind, ctype.size_bytes, ctype.signed) == ("int", 4, False)
        and any(monomial and abs(coefficient) >= LEAST_HASH_FACTOR for monomial, coefficient in value.terms)
    )


def may_cut(target: Scalar, source: Scalar, value: Polynomial) -> bool:
    """Whether a `char`, `short` or `_Bool` may hold another number than the integer that it is given.

    Not modelled: values that an `int` or a wider type can't hold.
    """
    if target.size_bytes >= 4 or holds_all_of(target, source):
        return False
    bits = 1 if target.name == "_Bool" else 8 * target.size_bytes
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if target.signed else (0, (1 << bits) - 1)
    return not (value.is_constant and least <= value.constant_term <= most)
