"""Between which values the whole numbers of a loop's body lie, and how many bytes they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
)
from warplens.analysis.ir.types import CType, Scalar

_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!=", "&&", "||"))


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of a whole number, both included."""

    low: float
    high: float

    @property
    def bytes(self) -> int:
        """Bytes of the smallest type, signed or not, that holds it."""
        for size in (1, 2, 4):
            half = 2.0 ** (8 * size - 1)
            if (self.low >= 0 and self.high < 2 * half) or (self.low >= -half and self.high < half):
                return size
        return 8

    def joined(self, other: Range) -> Range:
        """What holds both."""
        return Range(min(self.low, other.low), max(self.high, other.high))


def range_of_type(kind: CType) -> Range:
    """All values of a type; those of eight bytes where it is no whole number."""
    if not isinstance(kind, Scalar) or kind.kind != "int":
        return Range(-(2.0**63), 2.0**63)
    if kind.name == "_Bool":
        return Range(0.0, 1.0)
    half = 2.0 ** (8 * kind.size_bytes - 1)
    return Range(-half, half - 1) if kind.signed else Range(0.0, 2 * half - 1)


def range_of(node: Expression, operands: list[Range], known: Mapping[str, Range]) -> Range:
    """Range of a node, from those of its operands and of the scalars that are `known`; all of its type if in doubt."""
    whole = range_of_type(node.type)
    found = _of_node(node, operands, known)
    return found if found is not None and found.low >= whole.low and found.high <= whole.high else whole


def _of_node(node: Expression, operands: list[Range], known: Mapping[str, Range]) -> Range | None:
    match node:
        case Constant(value):
            return Range(float(value), float(value))
        case ScalarRef(name):
            return known.get(name)
        case Load(access):
            return _of_element(access, known)
        case Cast(operand, Scalar(kind="int")) if _is_whole(operand):
            return operands[0]
        case Conditional():
            return operands[1].joined(operands[2])
        case Unary("-"):
            return Range(-operands[0].high, -operands[0].low)
        case Unary("!"):
            return Range(0.0, 1.0)
        case Binary(operator) if operator in _COMPARISONS:
            return Range(0.0, 1.0)
        case Binary(operator) if _is_whole(node):
            return combined(operator, operands[0], operands[1])
        case Call("abs", (_,)):
            return Range(0.0, max(abs(operands[0].low), abs(operands[0].high)))
        case _:
            return None


def combined(operator: str, left: Range, right: Range) -> Range | None:
    """Range of an operation on whole numbers; None where it is not followed."""
    match operator:
        case "+":
            return Range(left.low + right.low, left.high + right.high)
        case "-":
            return Range(left.low - right.high, left.high - right.low)
        case "*":
            ends = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
            return Range(min(ends), max(ends))
        case "/" if right.low > 0:
            ends = [a / b for a in (left.low, left.high) for b in (right.low, right.high)]
            return Range(min(ends), max(ends))
        case "%" if right.low > 0:
            return Range(0.0 if left.low >= 0 else 1 - right.high, right.high - 1)
        case ">>" if 0 <= right.low == right.high < 64:
            return Range(left.low / 2**right.low, left.high / 2**right.low)
        case "<<" if 0 <= right.low == right.high < 64:
            return Range(left.low * 2**right.low, left.high * 2**right.low)
        case "&" if right.low >= 0 or left.low >= 0:
            return Range(0.0, min(side.high for side in (left, right) if side.low >= 0))
        case "|" | "^" if left.low >= 0 and right.low >= 0:
            return Range(0.0, 2.0 ** (int(max(left.high, right.high)).bit_length()) - 1)
        case _:
            return None


def _of_element(access: Access, known: Mapping[str, Range]) -> Range | None:
    return known.get(access.element)


def _is_whole(node: Expression) -> bool:
    return isinstance(node.type, Scalar) and node.type.kind == "int"
