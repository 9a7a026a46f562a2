"""Whether values compare as they do once they are stored: a `char` may hold another number than it got.

And whether a value is compared at all: a call may give another one the next time.
"""

from __future__ import annotations

from warplens.analysis.dependence.subscripts.affine_condition import without_casts
from warplens.analysis.ir.expression import Call, Cast, Constant, Expression, walk
from warplens.analysis.ir.types import CType, Scalar, holds_all_of


def keeps_order(target: CType, compared: tuple[Expression, ...]) -> bool:
    """Whether all these values keep their order in an object of the type, their own conversions included."""
    return all(_is_kept(target, without_casts(part)) and _casts_keep(part) for part in compared)


def _casts_keep(part: Expression) -> bool:
    while isinstance(part, Cast):
        if not _is_kept(part.type, part.operand):
            return False
        part = part.operand
    return True


def _is_kept(target: CType, value: Expression) -> bool:
    """Whether a conversion keeps the order of all values (rounding to another floating type does)."""
    if not isinstance(target, Scalar) or not isinstance(value.type, Scalar):
        return False
    if target.kind != "int":
        return True
    if isinstance(value, Constant) and isinstance(value.value, int):
        return 0 <= value.value < 128
    return value.type.kind == "int" and holds_all_of(target, value.type)


def is_repeatable(expression: Expression) -> bool:
    """Whether it has the same value when it is evaluated once more: a call that is not seen may count its calls."""
    calls = (node for node in walk(expression) if isinstance(node, Call))
    return all(call.is_math or call.effects in {"none", "assumed", "ends"} for call in calls)
