"""Expressions of C as instructions."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.facts.calls.call_assumptions import is_stood_in_for
from warplens.analysis.facts.program import OpClass
from warplens.analysis.ir.addresses import is_address
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
    Unknown,
    children,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.reinterpretation import BITS
from warplens.analysis.ir.vector_parts import VECTOR_PARTS
from warplens.analysis.workload.instructions.gpu_math import gpu_math_steps
from warplens.analysis.workload.instructions.instruction_mix import size_bytes
from warplens.analysis.workload.instructions.math_functions import math_function
from warplens.analysis.workload.instructions.single_precision import narrowed
from warplens.analysis.workload.thread_program.draft import Value
from warplens.analysis.workload.thread_program.operator_emitter import COMPARISONS, OperatorEmitter


class ExpressionEmitter(OperatorEmitter):
    """Adds the value of an expression."""

    def value(self, expression: Expression, statement: NodeId) -> Value:
        """Value of an expression; iterative, so that its depth is no limit."""
        stack: list[tuple[Expression, bool]] = [(expression, False)]
        results: list[Value] = []
        while stack:
            node, are_operands_done = stack.pop()
            if self.on_gpu and not are_operands_done:
                node = narrowed(node)
            operands = _evaluated(node)
            if operands and not are_operands_done:
                stack.append((node, True))
                stack.extend((operand, False) for operand in reversed(operands))
                continue
            arguments = tuple(results[len(results) - len(operands) :])
            del results[len(results) - len(operands) :]
            results.append(self._apply(node, arguments, statement))
        return results[0]

    def subscripts(self, access: Access, statement: NodeId) -> tuple[Value, ...]:
        """Values of the subscripts that are no polynomials."""
        pairs = zip(access.subscripts, access.indices, strict=True)
        return tuple(self.value(subscript, statement) for subscript, index in pairs if index is None)

    def _apply(self, node: Expression, arguments: tuple[Value, ...], statement: NodeId) -> Value:
        match node:
            case Constant(value):
                return Value(-1, ("constant", value), 0, False, is_constant=True)
            case ScalarRef(name):
                return self.scalar(name)
            case Load(access):
                key, address = self.address(access, arguments, statement)
                return self.load(access, key, address, statement)
            case Unary():
                return self.unary(node, arguments[0], statement)
            case Binary(operator, left, right, type_):
                operand_type = left.type if operator in COMPARISONS else type_
                operands = arguments[0], arguments[1]
                return self.binary(operator, (operand_type, type_), (left, right), operands, statement)
            case Cast(operand, type_):
                return self.converted(arguments[0], operand, type_, statement)
            case Conditional():
                return self._select(node, arguments, statement)
            case Call():
                return self._call(node, arguments, statement)
            case Unknown(reason):
                self.assume("expression", f"An expression was not understood ({reason}): it costs nothing.")
                return Value(-1, ("unknown", self.fresh()), len(self.scopes) - 1, True)

    def _select(self, node: Conditional, arguments: tuple[Value, ...], statement: NodeId) -> Value:
        """`c ? a : b`; where the arms are the compared values it is one min or max."""
        condition, then, otherwise = arguments
        wide = size_bytes(node.type) > 4
        compared = node.condition
        if isinstance(compared, Binary) and compared.operator in {"<", "<=", ">", ">="}:
            sides = {self.value(compared.left, statement).key, self.value(compared.right, statement).key}
            if sides == {then.key, otherwise.key} and condition.number >= 0:
                return replace(condition, is_wide=wide)
        op: OpClass = "shift64" if self.on_gpu and wide else "compare"
        return self.pure(op, arguments, ("select",), statement, is_wide=wide)

    def _call(self, node: Call, arguments: tuple[Value, ...], statement: NodeId) -> Value:
        if is_address(node):
            return Value(-1, ("address", node.function, self.fresh()), len(self.scopes) - 1, True)
        if node.function in VECTOR_PARTS | {BITS}:
            return self.pure("logic", arguments, (node.function,), statement)
        if not node.is_math:
            counted = "is counted as plain loops: a library may be faster"
            cost = counted if is_stood_in_for(node) else "is called: what it does and costs is not counted"
            if node.effects != "ends":
                self.assume(node.function, f"`{node.function}` {cost}.")
            value = self.here("branch", arguments, statement)
            return replace(value, varies=True)
        function = math_function(node.function)
        kind = node.arguments[0].type if node.arguments else node.type
        wide = size_bytes(kind) > 4
        gpu_steps = gpu_math_steps(node.function, is_double=wide) if self.on_gpu else None
        if gpu_steps is not None:
            if not function.is_exact_cost:
                text = f"The cost of `{node.function}` is that of usual arguments in the code of nvcc 13."
                if gpu_steps.is_estimate:
                    text = f"The cost of `{node.function}` is an estimate between its paths in the code of nvcc 13."
                self.assume(node.function, text)
            return self.levels(gpu_steps.levels(), arguments, ("call", node.function), statement, node.type)
        if not function.is_exact_cost:
            text = f"The cost of `{node.function}` is an estimate: {function.note}."
            self.assume(node.function, text)
        steps = tuple(op for op, count in (function.fp64 if wide else function.fp32) for _ in range(count))
        return self.chain(steps, arguments, ("call", node.function), statement, node.type)


def _evaluated(node: Expression) -> tuple[Expression, ...]:
    """Operands that cost something: a load's polynomial subscripts are its address, not computed apart."""
    if isinstance(node, Load):
        pairs = zip(node.access.subscripts, node.access.indices, strict=True)
        return tuple(subscript for subscript, index in pairs if index is None)
    return children(node)
