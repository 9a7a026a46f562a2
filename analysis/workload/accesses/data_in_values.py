"""What memory has to do with a value: nothing, or it adds to it, or more than that."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.ir.expression import Binary, Cast, Expression, Load, ScalarRef, walk
from warplens.analysis.ir.types import Scalar

_DEEPEST = 40


def reads_data(expression: Expression, values: Mapping[str, Expression]) -> bool:
    """Whether memory has a part in it."""
    todo, seen = [expression], set[str]()
    while todo:
        for part in walk(todo.pop()):
            if isinstance(part, Load):
                return True
            if isinstance(part, ScalarRef) and part.name in values and part.name not in seen:
                seen.add(part.name)
                todo.append(values[part.name])
    return False


def only_adds_data(expression: Expression, values: Mapping[str, Expression], depth: int = 0) -> bool:
    """Whether data that has a part in a value only adds to it: then iterations are as far apart without."""
    if depth > _DEEPEST:
        return False
    if not reads_data(expression, values):
        return True
    match expression:
        case ScalarRef(name):
            return only_adds_data(values[name], values, depth + 1)
        case Load(access):
            return all(only_adds_data(subscript, values, depth + 1) for subscript in access.subscripts)
        case Cast(operand, Scalar(kind="int")) if isinstance(operand.type, Scalar) and operand.type.kind == "int":
            return only_adds_data(operand, values, depth + 1)
        case Binary("+" | "-", left, right, Scalar(kind="int")):
            return all(only_adds_data(side, values, depth + 1) for side in (left, right))
        case Binary("*", left, right, Scalar(kind="int")):
            one, other = (left, right) if reads_data(left, values) else (right, left)
            is_size = all(not isinstance(part, ScalarRef | Load) or _is_size(part, values) for part in walk(other))
            return is_size and only_adds_data(one, values, depth + 1)
        case _:
            return False


def _is_size(part: Expression, values: Mapping[str, Expression]) -> bool:
    return isinstance(part, ScalarRef) and part.name not in values
