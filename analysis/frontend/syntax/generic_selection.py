"""Which association of `_Generic(x, float *: f, default: g)` is chosen, where the types that we see tell.

Source: ISO C17 6.5.1.1 paragraphs 2 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf, UnknownType


def selection(control: CType, cases: Sequence[tuple[CType | None, c_ast.Node]]) -> c_ast.Node | None:
    """The expression for a type, that without a type if no other fits; None where it is not sure which."""
    if isinstance(control, ArrayOf):
        control = PointerTo(control.element)
    if _is_unknown(control) or any(ctype is not None and _is_unknown(ctype) for ctype, _ in cases):
        return None
    plain = _unqualified(control)
    fitting = [(ctype, chosen) for ctype, chosen in cases if ctype is not None and _is_like(plain, _unqualified(ctype))]
    if not fitting:
        return next((chosen for ctype, chosen in cases if ctype is None), None)
    named = [chosen for ctype, chosen in fitting if ctype is not None and _unqualified(ctype) == plain]
    if len(named) == 1:
        return named[0]
    return fitting[0][1] if len(fitting) == 1 else None


def _unqualified(ctype: CType) -> CType:
    if isinstance(ctype, PointerTo):
        return replace(ctype, restrict=False, volatile=False)
    return ctype if isinstance(ctype, ArrayOf) else replace(ctype, volatile=False)


def _is_like(one: CType, other: CType) -> bool:
    """Whether two types may be one: `long` and `long long` are told apart by their names alone."""
    match one, other:
        case Scalar(), Scalar():
            return replace(one, name=other.name) == other
        case PointerTo(), PointerTo():
            return one.const_target == other.const_target and _is_like(one.target, other.target)
        case StructOf(), StructOf():
            return one.name == other.name
        case UnknownType(), UnknownType():
            return True  # `void`, or a struct that is not defined
        case _:
            return one == other


def _is_unknown(ctype: CType) -> bool:
    return isinstance(ctype, UnknownType)
