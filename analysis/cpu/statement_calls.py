"""What the expressions of a loop's body ask for that its instructions do not show: calls, reciprocals, divisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.library_calls import is_instruction, library_call
from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.ir.expression import (
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    children,
    walk,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Loop, Statement
from warplens.analysis.ir.types import Scalar
from warplens.analysis.workload.instructions.math_functions import math_function

_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))
_ROUNDING = frozenset(("floor", "ceil", "trunc", "rint", "nearbyint"))


@dataclass(frozen=True, slots=True)
class StatementCalls:
    """Per iteration of a loop.

    `spared` are instructions by class that stand for calls and for divisions that are products, `products` how many
    products there are instead, by class; `call_cycles` is what calls take, `vector_calls` what each takes for a
    vector and how many bytes of it are one result. `constant_divisions` are those of whole numbers by constants,
    `comparisons` those whose result is a number.
    """

    spared: Mapping[str, float]
    products: Mapping[str, float]
    call_cycles: float
    vector_calls: tuple[tuple[float, int], ...]
    constant_divisions: float = 0.0
    comparisons: float = 0.0


def statement_calls(
    body: Sequence[Statement], repeats: Mapping[NodeId, float], compilation: Compilation
) -> StatementCalls:
    """Find calls of the library, whose instructions the profile does not count, and reciprocals.

    With -freciprocal-math (part of -ffast-math) a division by what the loop does not change is a product.
    """
    spared: dict[str, float] = {}
    products: dict[str, float] = {}
    cycles = 0.0
    vectors: list[tuple[float, int]] = []
    divisions = comparisons = 0.0
    changed = assigned_scalars(tuple(body))
    for expression, times in _expressions(body, repeats, 1.0):
        comparisons += times * _compared(expression)
        for node in walk(expression):
            if isinstance(node, Call) and node.is_math:
                size = _size(node.arguments[0] if node.arguments else node)
                name = node.function
                if is_instruction(name) or (compilation.has("sse4") and name.rstrip("f") in _ROUNDING):
                    continue
                call = library_call(name, is_single=size == 4)
                if call is None:
                    continue
                function = math_function(name)
                for op, count in function.fp32 if size == 4 else function.fp64:
                    spared[op] = spared.get(op, 0.0) + times * count
                cycles += times * call.cycles
                if call.vector_cycles is not None:
                    vectors.append((times * call.vector_cycles, size))
            elif is_constant_division(node):
                divisions += times
            elif compilation.reassociates and _is_scaled(node, changed):
                kind = "fp32" if _size(node) == 4 else "fp64"
                spared[f"{kind}_div"] = spared.get(f"{kind}_div", 0.0) + times
                products[f"{kind}_mul"] = products.get(f"{kind}_mul", 0.0) + times
    return StatementCalls(spared, products, cycles, tuple(vectors), divisions, comparisons)


def is_constant_division(node: Expression) -> bool:
    """Whether a whole number is divided by a constant, no power of two: a product's upper half, and corrections."""
    return (
        isinstance(node, Binary)
        and node.operator in {"/", "%"}
        and not _is_float(node)
        and isinstance(node.right, Constant)
        and isinstance(node.right.value, int)
        and node.right.value.bit_count() != 1
    )


def _expressions(
    body: Sequence[Statement], repeats: Mapping[NodeId, float], times: float
) -> list[tuple[Expression, float]]:
    found: list[tuple[Expression, float]] = []
    for statement in body:
        match statement:
            case Assign(value=value):
                found.append((value, times))
            case If(condition=condition, then=then, otherwise=otherwise):
                found += [(operand, times) for operand in children(condition)] or [(condition, times)]
                found += _expressions(then, repeats, times) + _expressions(otherwise, repeats, times)
            case Loop(id=inner) if inner in repeats:
                found += _expressions(statement.body, repeats, times * repeats[inner])
            case _:
                pass
    return found


def _compared(expression: Expression) -> int:
    """Comparisons in an expression that is no condition, and not in one."""
    found, pending = 0, [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, Binary) and node.operator in _COMPARISONS:
            found += 1
        elif isinstance(node, Conditional):
            pending += [node.then, node.otherwise]
        elif not isinstance(node, Load):
            pending += children(node)
    return found


def _is_scaled(node: Expression, changed: frozenset[str]) -> bool:
    """Whether a floating-point number is divided by what the loop leaves as it is."""
    return isinstance(node, Binary) and node.operator == "/" and _is_float(node) and _stands_still(node.right, changed)


def _stands_still(divisor: Expression, changed: frozenset[str]) -> bool:
    return isinstance(divisor, Constant) or (isinstance(divisor, ScalarRef) and divisor.name not in changed)


def _is_float(node: Expression) -> bool:
    return isinstance(node.type, Scalar) and node.type.kind == "float"


def _size(node: Expression) -> int:
    return node.type.size_bytes if isinstance(node.type, Scalar) else 8
