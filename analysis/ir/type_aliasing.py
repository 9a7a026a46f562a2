"""Which types C lets lie over each other in memory.

Source: ISO C17 6.5 paragraph 7 (an object is accessed through its effective type or char).
"""

from __future__ import annotations

from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf, UnknownType


def types_may_alias(left: CType, right: CType) -> bool:
    """Whether one object may be accessed as both types."""
    if isinstance(left, UnknownType | StructOf) or isinstance(right, UnknownType | StructOf):
        return _structs_may_alias(left, right)
    if _is_free_to_alias(left) or _is_free_to_alias(right):
        return True
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        return (left.kind, left.size_bytes) == (right.kind, right.size_bytes)
    return isinstance(left, PointerTo) == isinstance(right, PointerTo)


def _structs_may_alias(left: CType, right: CType) -> bool:
    """Two structs overlap if they are the same, or one may hold the other, in an array too."""
    if not isinstance(left, StructOf) or not isinstance(right, StructOf):
        return True
    if left.name == right.name or not left.name or not right.name:
        return True
    members = [_innermost(field.type) for struct in (left, right) for field in struct.fields]
    return any(isinstance(member, StructOf | UnknownType) for member in members)


def _innermost(kind: CType) -> CType:
    while isinstance(kind, ArrayOf):
        kind = kind.element
    return kind


def _is_free_to_alias(kind: CType) -> bool:
    """Characters by C; vectors because gcc lets them lie over their elements, those of the intrinsics over anything."""
    return isinstance(kind, Scalar) and (kind.lanes > 1 or (kind.kind == "int" and kind.size_bytes == 1))
