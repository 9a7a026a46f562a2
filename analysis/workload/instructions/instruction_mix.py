"""Which classes of instruction an operator of C becomes, by the type of its operands.

Counts follow what an optimising compiler emits: multiplication by a power of two is a shift, division by a constant is
a multiplication, a negation is a modifier of the operand and costs nothing.
"""

from __future__ import annotations

from math import frexp

from warplens.analysis.facts.program import OpClass
from warplens.analysis.ir.expression import BinaryOperator, Constant, Expression
from warplens.analysis.ir.types import CType, Scalar, UnknownType

_ADDITIVE = frozenset("+-")
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_LOGIC = frozenset({"&", "|", "^", "&&", "||"})


def size_bytes(type_: CType) -> int:
    """Size of a value in registers: pointers and unknown types take 8 and 4 bytes."""
    if isinstance(type_, Scalar):
        return type_.size_bytes
    return 4 if isinstance(type_, UnknownType) else 8


def is_floating(type_: CType) -> bool:
    """Whether arithmetic on it is floating-point (complex included)."""
    return isinstance(type_, Scalar) and type_.kind != "int"


def binary_steps(operator: BinaryOperator, type_: CType, left: Expression, right: Expression) -> tuple[OpClass, ...]:
    """Dependent chain of instructions for one binary operator; `type_` is that of the operands after conversion."""
    if operator in _COMPARISONS:
        return ("compare",)
    if operator in _LOGIC:
        return ("logic",)
    if operator in {"<<", ">>"}:
        return ("shift",)
    if isinstance(type_, Scalar) and type_.kind == "complex":
        return _complex_steps(operator, type_)
    if is_floating(type_):
        return (_floating_step(operator, type_, right),)
    return _integer_steps(operator, size_bytes(type_) > 4, left, right)


def converts(source: CType, target: CType) -> bool:
    """Whether a conversion is an instruction: another kind or another size, narrowing to a smaller integer excepted."""
    if not (isinstance(source, Scalar) and isinstance(target, Scalar)):
        return False
    if source.kind == target.kind == "int":
        return target.size_bytes > source.size_bytes and target.size_bytes > 4
    return (source.kind, source.size_bytes) != (target.kind, target.size_bytes)


def _floating_step(operator: BinaryOperator, type_: CType, right: Expression) -> OpClass:
    wide = size_bytes(type_) > 4
    if operator in _ADDITIVE:
        return "fp64_add" if wide else "fp32_add"
    if operator == "*" or is_power_of_two(right):
        return "fp64_mul" if wide else "fp32_mul"
    return "fp64_div" if wide else "fp32_div"


def _complex_steps(operator: BinaryOperator, type_: Scalar) -> tuple[OpClass, ...]:
    """Textbook complex arithmetic, without the checks for infinities that C99 annex G asks for."""
    wide = type_.size_bytes > 8
    add: OpClass = "fp64_add" if wide else "fp32_add"
    mul: OpClass = "fp64_mul" if wide else "fp32_mul"
    div: OpClass = "fp64_div" if wide else "fp32_div"
    if operator in _ADDITIVE:
        return (add, add)
    if operator == "*":
        return (mul, mul, mul, mul, add, add)
    return (*(mul,) * 6, add, add, add, div, div)


def _integer_steps(operator: BinaryOperator, wide: bool, left: Expression, right: Expression) -> tuple[OpClass, ...]:
    add: OpClass = "int64_add" if wide else "int_add"
    mul: OpClass = "int64_mul" if wide else "int_mul"
    if operator in _ADDITIVE:
        return (add,)
    if operator == "*":
        return ("shift",) if is_power_of_two(left) or is_power_of_two(right) else (mul,)
    if is_power_of_two(right):
        return ("shift",) if operator == "/" else ("logic",)
    if isinstance(right, Constant):
        division: tuple[OpClass, ...] = (mul, "shift")
    else:
        division = ("int64_div" if wide else "int_div",)
    return division if operator == "/" else (*division, mul, add)


def is_power_of_two(expression: Expression) -> bool:
    """Whether it is a constant 2^k (k negative too): products and quotients by it are exact."""
    if not isinstance(expression, Constant) or expression.value <= 0:
        return False
    if isinstance(expression.value, int):
        return expression.value.bit_count() == 1
    return frexp(expression.value)[0] == 0.5
