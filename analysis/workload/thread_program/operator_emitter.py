"""Operators and conversions: the same in C, other instructions on a GPU than on a CPU core.

A GPU has units of 32 bits for integers, so that operations on 64 bits are one per half; it has no integer division
(integer_division.py); its predicates hold `&&`, `||` and `!` of comparisons at no cost; it compares doubles, and
converts from and to 64 bits, in the units for double precision.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from warplens.analysis.facts.program import OpClass
from warplens.analysis.ir.expression import BinaryOperator, Constant, Expression, Unary
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.types import CType, Scalar
from warplens.analysis.workload.instructions import integer_division
from warplens.analysis.workload.instructions.instruction_mix import (
    binary_steps,
    converts,
    is_floating,
    is_power_of_two,
    size_bytes,
)
from warplens.analysis.workload.thread_program.draft import Value
from warplens.analysis.workload.thread_program.memory_emitter import MemoryEmitter

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_OF_DOUBLES: dict[OpClass, OpClass] = {"compare": "compare64"}
_OF_HALVES: dict[OpClass, OpClass] = {
    "logic": "logic64",
    "shift": "shift64",
    "compare": "shift64",
    "int_add": "int64_add",
}


class OperatorEmitter(MemoryEmitter):
    """Adds the values of operators, by the machine that the program is for."""

    def binary(
        self,
        operator: BinaryOperator,
        types: tuple[CType, CType],
        expressions: tuple[Expression, Expression],
        operands: tuple[Value, Value],
        statement: NodeId,
    ) -> Value:
        """Value of `left operator right`; `types` are that of the operands after conversion and that of the result."""
        operand_type, type_ = types
        left, right = expressions
        if self.on_gpu:
            if operator in {"&&", "||"}:
                return _in_predicate(operator, *operands)
            if operator in {"/", "%"} and not is_floating(operand_type):
                return self._divided(operator, operand_type, right, operands, statement)
        steps = binary_steps(operator, operand_type, left, right)
        if operator == "*" and _is_counted_on(operands):
            steps = ("int64_add" if size_bytes(type_) > 4 else "int_add",)
        if self.on_gpu:
            steps = _on_gpu(steps, operand_type, right)
        return self.chain(steps, operands, (operator,), statement, type_)

    def unary(self, node: Unary, operand: Value, statement: NodeId) -> Value:
        """Value of `-x`, `~x` or `!x`; a floating-point negation is a modifier of whoever reads it."""
        if node.operator == "-" and is_floating(node.operand.type):
            return operand
        if self.on_gpu and node.operator == "!":
            return _in_predicate(node.operator, operand)
        op: OpClass = "int_add" if node.operator == "-" else "logic"
        if self.on_gpu and size_bytes(node.operand.type) > 4:
            op = _OF_HALVES[op]
        return self.pure(op, (operand,), (node.operator,), statement)

    def converted(self, value: Value, operand: Expression, type_: CType, statement: NodeId) -> Value:
        """Value of a conversion; sizes of integers change by a copy of the sign at most."""
        source = operand.type
        if isinstance(operand, Constant) or not converts(source, type_):
            return value
        op: OpClass = "convert"
        if self.on_gpu and isinstance(source, Scalar) and isinstance(type_, Scalar):
            if source.kind == type_.kind == "int":
                if not source.signed:
                    return replace(value, is_wide=True)
                op = "shift"
            elif max(source.size_bytes, type_.size_bytes) > 4:
                op = "convert64"
        return self.pure(op, (value,), (type_,), statement, is_wide=size_bytes(type_) > 4)

    def _divided(
        self, operator: str, type_: CType, right: Expression, operands: tuple[Value, Value], statement: NodeId
    ) -> Value:
        """Quotient or remainder of integers on a GPU; both of the same operands share what they need."""
        signed = not isinstance(type_, Scalar) or type_.signed
        wide = size_bytes(type_) > 4
        dividend, divisor = operands
        if isinstance(right, Constant):
            if is_power_of_two(right):
                steps = integer_division.by_power_of_two(operator, signed=signed, wide=wide)
                return self._in_a_row(steps, operands, (operator,), statement, type_)
            found = self._in_a_row(
                integer_division.by_constant(signed=signed, wide=wide), operands, ("/", signed), statement, type_
            )
            if operator == "/":
                return found
            steps = integer_division.REMAINDER_OF_QUOTIENT
            return self._in_a_row(steps, (found, dividend, divisor), ("%", signed), statement, type_)
        tested: tuple[Value, ...] = (divisor,)
        if wide:
            tested, signed = operands, False
            fits = self._in_a_row(integer_division.FITS_32_BITS, operands, ("fits 32 bits",), statement, type_)
            if fits.number >= 0:
                self.pure("branch", (fits,), ("around",), statement)
        steps = integer_division.reciprocal(signed=signed)
        inverse = self._in_a_row(steps, tested, ("reciprocal", signed), statement, right.type)
        return self._with_reciprocal(operator, (dividend, divisor, inverse), statement, type_, signed=signed)

    def _with_reciprocal(
        self, operator: str, operands: tuple[Value, Value, Value], statement: NodeId, type_: CType, *, signed: bool
    ) -> Value:
        """Quotient or remainder; the second of the two of the same operands is made of the first."""
        is_quotient = operator == "/"
        other = self.known_value("%" if is_quotient else "/", operands)
        if other is not None:
            steps = integer_division.QUOTIENT_OF_REMAINDER if is_quotient else integer_division.REMAINDER_OF_QUOTIENT
            return self._in_a_row(steps, (other, *operands), (operator, signed), statement, type_)
        steps = (integer_division.quotient if is_quotient else integer_division.remainder)(signed=signed)
        if size_bytes(type_) > 4:
            steps += integer_division.JOINED
        found = self._in_a_row(steps, operands, (operator, signed), statement, type_)
        self.remember(operator, operands, found)
        return found

    def _in_a_row(
        self,
        steps: integer_division.Steps,
        operands: tuple[Value, ...],
        key: tuple[Hashable, ...],
        statement: NodeId,
        type_: CType,
    ) -> Value:
        """A sequence of the compiler's, each instruction waiting for the one before."""
        return self.levels(tuple((op, at) for at, op in enumerate(steps)), operands, key, statement, type_)


def _in_predicate(operator: str, *operands: Value) -> Value:
    """Comparisons take another one's result as they are made: what is left is the last of them."""
    last = max(operands, key=lambda value: (value.depth, value.number))
    key = (operator, *(operand.key for operand in operands))
    return replace(
        last,
        key=key,
        varies=any(operand.varies for operand in operands),
        is_constant=all(operand.is_constant for operand in operands),
    )


def _on_gpu(steps: tuple[OpClass, ...], type_: CType, right: Expression) -> tuple[OpClass, ...]:
    """Steps on a GPU's units: of 32 bits for integers, and those for double precision where doubles are compared."""
    if size_bytes(type_) <= 4:
        return steps
    if is_floating(type_):
        return tuple(_OF_DOUBLES.get(step, step) for step in steps)
    if steps == ("logic",) and isinstance(right, Constant) and 0 <= right.value < 2**32:
        return steps
    return tuple(_OF_HALVES.get(step, step) for step in steps)


def _is_counted_on(factors: tuple[Value, ...]) -> bool:
    """Whether a product grows by the same in each iteration: a loop's counter times what the loop leaves as it is.

    Compilers keep such a product in a variable and add to it (strength reduction of induction variables).
    """
    one, other = sorted(factors, key=lambda value: value.depth, reverse=True)
    return isinstance(one.key, tuple) and one.key[0] == "iterator" and other.depth < one.depth
