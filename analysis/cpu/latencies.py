"""When the value of an operation is there, from when its operands are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.facts.program import OpClass
from warplens.analysis.ir.expression import Binary, Call, Cast, Conditional, Expression, Unary
from warplens.analysis.ir.types import CType, Scalar


@dataclass(frozen=True, slots=True)
class Wait:
    """Cycles after which a value is there.

    `is_sum`: an addition gives it, which some cores hand to the next one sooner. `before_product`: cycles after which
    the operands of the multiplication were there that gives it, for one that is fused with what comes next.
    """

    cycles: float
    is_sum: bool = False
    before_product: float | None = None


class Latencies:
    """Latencies of one core for code of one compilation."""

    def __init__(self, cpu: Cpu, compilation: Compilation) -> None:
        self._cycles: dict[str, float] = {timing.op: timing.latency_cycles for timing in cpu.instructions}
        self._fuses = compilation.fuses_multiply_add
        self.copy_cycles = cpu.vector_integer_cycles if compilation.has("avx2") else 0.0
        """A copy of a floating-point scalar: with AVX gcc makes it with an instruction that merges two registers."""
        self._fused_cycles = cpu.fused_multiply_add_cycles
        l1_cycles = sum(cache.latency_s * cpu.clock_hz for cache in cpu.caches[:1])
        self.indexed_load_cycles = l1_cycles + 2 * self._of_class("int_add")
        """A load whose place is computed: an index is widened to an address, and added."""

    def of(self, node: Expression, operands: Sequence[Wait | None]) -> Wait | None:
        """Of a node that is no reference; None where no operand hangs on anything."""
        waits = [wait for wait in operands if wait is not None]
        if not waits:
            return None
        latest = max(wait.cycles for wait in waits)
        match node:
            case Binary(operator, left):
                return self._operation(operator, left.type, operands)
            case Conditional():
                return Wait(latest + (0.0 if _is_float(node.type) else self._of_class("logic")))
            case Unary("!"):
                return Wait(latest)
            case Unary("-", _, Scalar(kind="float")):
                return Wait(latest, before_product=waits[0].before_product)
            case Unary(operator):
                return Wait(latest + self._of_class(op_class(operator, node.type)))
            case Cast(operand, type_):
                return Wait(latest + (self._of_class("convert") if _is_converted(operand.type, type_) else 0.0))
            case Call(function):
                return Wait(latest + self._of_class(_call_class(function, node.type)))
            case _:
                return Wait(latest)

    def extreme_cycles(self, kind: CType | None) -> float:
        """A minimum or maximum with what the iteration before found: of whole numbers a comparison and a choice."""
        is_whole = isinstance(kind, Scalar) and kind.kind == "int"
        return self._of_class("compare") + (self._of_class("logic") if is_whole else 0.0)

    def combined(
        self, operator: str, kind: CType, held: Wait | None, value: Expression, added: Wait | None
    ) -> Wait | None:
        """Of `target operator= value`."""
        if held is None and added is None:
            return None
        if self._fuses and operator in {"+", "-"} and _is_float(kind) and _is_product(value):
            factors = added.before_product if added is not None and added.before_product is not None else None
            ready = [wait for wait in (held.cycles if held else None, factors) if wait is not None]
            return Wait(max(ready, default=added.cycles if added else 0.0) + self._fused_cycles)
        return self._operation(operator, kind, (held, added))

    def _operation(self, operator: str, kind: CType, operands: Sequence[Wait | None]) -> Wait:
        waits = [wait for wait in operands if wait is not None]
        op = op_class(operator, kind)
        if op in {"fp32_add", "fp64_add"}:
            return self._sum(op, waits)
        latest = max(wait.cycles for wait in waits)
        done = latest + self._of_class(op)
        return Wait(done, before_product=latest if op in {"fp32_mul", "fp64_mul"} else None)

    def _sum(self, op: OpClass, waits: Sequence[Wait]) -> Wait:
        """One addition, or with it the product before it: the left one of two, as gcc's widening_mul pass does."""
        products = [wait for wait in waits if wait.before_product is not None] if self._fuses else []
        if products:
            product = products[0]
            others = [wait.cycles for wait in waits if wait is not product]
            return Wait(max([product.before_product or 0.0, *others]) + self._fused_cycles)
        return Wait(max(wait.cycles + self._sum_cycles(op, wait) for wait in waits), is_sum=True)

    def _sum_cycles(self, op: OpClass, operand: Wait) -> float:
        """Latency of an addition; its operand comes from another one sooner than from elsewhere.

        A profile of a target without fused multiply-add has what a product and a sum take after each other.
        """
        alone = self._of_class(op)
        if operand.is_sum:
            return alone
        kind = op.partition("_")[0]
        after_product = self._of_class(f"{kind}_fma") - self._of_class(f"{kind}_mul")
        return max(alone, after_product)

    def _of_class(self, op: str) -> float:
        return self._cycles.get(op, 1.0)


def op_class(operator: str, kind: CType) -> OpClass:
    """Class of one C operator on operands of a type."""
    if operator in {"<", "<=", ">", ">=", "==", "!=", "?"}:
        return "compare"
    if operator in {"&", "|", "^", "~", "&&", "||", "!"}:
        return "logic"
    if operator in {"<<", ">>"}:
        return "shift"
    index = 0 if operator in {"+", "-"} else 1 if operator == "*" else 2
    by_kind: tuple[OpClass, OpClass, OpClass]
    if isinstance(kind, Scalar) and kind.kind == "float":
        by_kind = ("fp32_add", "fp32_mul", "fp32_div") if kind.size_bytes == 4 else ("fp64_add", "fp64_mul", "fp64_div")
    elif _size_bytes(kind) == 8:
        by_kind = ("int64_add", "int64_mul", "int64_div")
    else:
        by_kind = ("int_add", "int_mul", "int_div")
    return by_kind[index]


def _call_class(function: str, kind: CType) -> OpClass:
    is_single = _size_bytes(kind) == 4
    if "sqrt" in function:
        return "fp32_sqrt" if is_single else "fp64_sqrt"
    return "fp32_special" if is_single else "fp64_special"


def _is_converted(source: CType, target: CType) -> bool:
    """Whether a conversion is an instruction that takes time: between whole numbers it is part of a move."""
    return _is_float(source) or _is_float(target)


def _is_product(value: Expression) -> bool:
    return isinstance(value, Binary) and value.operator == "*"


def _is_float(kind: CType) -> bool:
    return isinstance(kind, Scalar) and kind.kind == "float"


def _size_bytes(kind: CType) -> int:
    return kind.size_bytes if isinstance(kind, Scalar) else 8
