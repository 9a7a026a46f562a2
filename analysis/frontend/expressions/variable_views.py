"""Variables that are read and written through a pointer to another type: `uint32_t *p = (uint32_t *)&f; *p /= 3;`.

Source: ISO C17 6.2.6.1 (representations of types).
"""

from __future__ import annotations

from warplens.analysis.c.arithmetic import converted
from warplens.analysis.c.c_types import size_bytes
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.ir.expression import Call, Cast, Expression, ScalarRef
from warplens.analysis.ir.reinterpretation import BITS
from warplens.analysis.ir.types import CType, PointerTo, Scalar


def is_seen_as_itself(held: CType, seen: CType) -> bool:
    """Whether all of a variable is read or written as what it is."""
    if isinstance(held, Scalar) and isinstance(seen, Scalar):
        return (held.kind, held.size_bytes, held.lanes) == (seen.kind, seen.size_bytes, seen.lanes)
    return held == seen or (isinstance(held, PointerTo) and isinstance(seen, PointerTo))


def viewed(variable: ScalarRef, seen: CType) -> Expression:
    """Value of a variable through a pointer to a type."""
    if not is_seen_as_itself(variable.type, seen):
        _check(variable, seen)
        return Call(BITS, (variable,), seen, False, "none")
    is_other_sign = isinstance(seen, Scalar) and seen.kind == "int" and seen != variable.type
    return Cast(variable, seen) if is_other_sign else variable


def after_store(variable: ScalarRef, seen: CType, value: Expression) -> Expression:
    """What a variable holds when a value was stored through a pointer to a type."""
    if is_seen_as_itself(variable.type, seen):
        return value
    size, held = _check(variable, seen)
    parts = (converted(value, seen),) if size == held else (converted(value, seen), variable)
    return Call(BITS, parts, variable.type, False, "none")


def _check(variable: ScalarRef, seen: CType) -> tuple[int, int]:
    size, held = size_bytes(seen), size_bytes(variable.type)
    if not size or not held or size > held:
        raise UnsupportedError(f"memory around the variable `{variable.name}`")
    return size, held
