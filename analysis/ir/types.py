"""C types as far as loops care: how many bytes, which arithmetic, what may alias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class Scalar:
    """An arithmetic type; an enum is its int, a plain pointer used as a value is `PointerTo`."""

    name: str
    kind: Literal["int", "float", "complex"]
    size_bytes: int
    signed: bool = True


@dataclass(frozen=True, slots=True)
class PointerTo:
    """A pointer; `restrict` promises that nothing else reaches its object."""

    target: CType
    restrict: bool = False
    const_target: bool = False


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """An array; `extent` is None when the declaration leaves it open or it is not a polynomial."""

    element: CType
    extent: Polynomial | None


@dataclass(frozen=True, slots=True)
class Field:
    """A struct member at its offset under the System V x86-64 layout."""

    name: str
    type: CType
    offset_bytes: int


@dataclass(frozen=True, slots=True)
class StructOf:
    """A struct or union (`is_union`), padding included in its size."""

    name: str
    fields: tuple[Field, ...]
    size_bytes: int
    is_union: bool = False


@dataclass(frozen=True, slots=True)
class UnknownType:
    """A type the front end could not see through, with the reason."""

    reason: str


CType = Scalar | PointerTo | ArrayOf | StructOf | UnknownType

INT = Scalar("int", "int", 4)
UNSIGNED = Scalar("unsigned int", "int", 4, signed=False)
LONG = Scalar("long", "int", 8)
SIZE_T = Scalar("unsigned long", "int", 8, signed=False)
FLOAT = Scalar("float", "float", 4)
DOUBLE = Scalar("double", "float", 8)
