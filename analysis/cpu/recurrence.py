"""Cycles that one iteration must wait for the one before: the latency of loop-carried chains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.facts.program import OpClass
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Load,
    ScalarRef,
    Unary,
    children,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Loop, Statement
from warplens.analysis.ir.types import CType, Scalar

_MAX_REPEATS = 16


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The slowest chain of a loop. `chased` are loads whose address hangs on the iteration before."""

    cycles: float
    variable: str = ""
    chased: tuple[NodeId, ...] = ()


def recurrence(loop: Loop, verdict: LoopVerdict, repeats: Mapping[NodeId, float], cpu: Cpu) -> Recurrence:
    """Find the slowest chain through a scalar or an array element that the loop carries.

    The latencies along the path from the value of the iteration before to the value handed on, over the distance of
    the dependence; the rest of the iteration overlaps. `repeats` are the trip counts of loops unrolled into the body.

    Units: cycles per iteration. Assumes: an accumulator in memory is kept in a register; a load whose address hangs on
    the iteration before takes the latency of L1 (what it waits for behind L1: waits.py).
    Not modelled: the cost of passing a value through memory (store forwarding); chains through a branch, which a core
    that predicts it right does not wait for.
    """
    slowest = Recurrence(0.0)
    carried: dict[str, list[tuple[frozenset[NodeId], frozenset[NodeId], int]]] = {}
    for reduction in verdict.reductions:
        carried.setdefault(reduction.variable, []).append((frozenset(), frozenset((reduction.statement,)), 1))
    for dependence in verdict.dependences:
        if dependence.kind == "flow" and dependence.carrier == loop.id:
            at = dependence.loops.index(loop.id) if loop.id in dependence.loops else -1
            distance = dependence.distances[at] if 0 <= at < len(dependence.distances) else 1
            edge = (frozenset((dependence.sink,)), frozenset((dependence.source,)), max(abs(distance or 1), 1))
            carried.setdefault(dependence.variable, []).append(edge)
    if verdict.kind == "unknown":  # what it hands on was not asked for: an early end decides before
        for name in assigned_scalars(loop.body):
            carried.setdefault(name, [(frozenset(), frozenset(), 1)])
    for variable, edges in carried.items():
        for sinks, sources, distance in edges:
            chain = _Chain(cpu, variable, sinks, sources, repeats)
            chain.run(loop.body)
            if chain.last is not None and chain.last / distance > slowest.cycles:
                slowest = Recurrence(chain.last / distance, variable, tuple(chain.chased))
    return slowest


class _Chain:
    """Follows one carried value through the statements of an iteration, in program order."""

    def __init__(
        self,
        cpu: Cpu,
        variable: str,
        sinks: frozenset[NodeId],
        sources: frozenset[NodeId],
        repeats: Mapping[NodeId, float],
    ) -> None:
        self._cpu = cpu
        self._variable = variable
        self._sinks = sinks
        self._sources = sources
        self._repeats = repeats
        self._ready: dict[str, float] = {}
        self._fresh = True
        self.last: float | None = None
        self.chased: list[NodeId] = []

    def run(self, body: tuple[Statement, ...]) -> None:
        for statement in body:
            match statement:
                case Assign():
                    self._assign(statement)
                case Loop(id=inner):
                    for _ in range(int(min(self._repeats.get(inner, 1.0), _MAX_REPEATS))):
                        self.run(statement.body)
                case If(_, _, then, otherwise):
                    self.run(then)
                    self.run(otherwise)
                case _:
                    pass

    def _assign(self, statement: Assign) -> None:
        cycles = self._path(statement.value)
        target = statement.target
        if statement.operator:
            held = self._held(target)
            waits = [value for value in (cycles, held) if value is not None]
            cycles = max(waits) + self._latency(statement.operator, target.type) if waits else None
        name = target.name if isinstance(target, ScalarRef) else target.element
        if cycles is None:
            self._ready.pop(name, None)
        else:
            self._ready[name] = cycles
        if name == self._variable or (isinstance(target, Access) and target.array == self._variable):
            is_source = (
                not self._sources
                or statement.id in self._sources
                or (isinstance(target, Access) and target.id in self._sources)
            )
            self._fresh = self._fresh and isinstance(target, Access)
            if is_source or isinstance(target, ScalarRef):
                self.last = cycles

    def _held(self, reference: ScalarRef | Access) -> float | None:
        """Cycles after which a value that hangs on the carried one is there; None when it doesn't hang on it."""
        name = reference.name if isinstance(reference, ScalarRef) else reference.element
        if name in self._ready:
            return self._ready[name]
        if isinstance(reference, ScalarRef):
            return 0.0 if self._fresh and name == self._variable else None
        if reference.array == self._variable and (not self._sinks or reference.id in self._sinks):
            return 0.0
        return 0.0 if self._fresh and name == self._variable else None

    def _path(self, expression: Expression) -> float | None:
        """Longest wait from the carried value to this expression's; iterative, operands first."""
        values: list[float | None] = []
        stack: list[tuple[Expression, bool]] = [(expression, False)]
        while stack:
            node, expanded = stack.pop()
            operands = children(node)
            if not expanded:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(operands))
                continue
            first = len(values) - len(operands)
            waits = [value for value in values[first:] if value is not None]
            del values[first:]
            values.append(self._value(node, waits))
        return values[0]

    def _value(self, node: Expression, waits: list[float]) -> float | None:
        match node:
            case ScalarRef():
                return self._held(node)
            case Load(access):
                if waits:
                    self.chased.append(access.id)
                    nearest = self._cpu.caches[:1]
                    return max(waits) + sum(cache.latency_s * self._cpu.clock_hz for cache in nearest)
                return self._held(access)
            case Conditional() | Unary("!"):
                return max(waits) if waits else None
            case Binary(operator, left):
                return max(waits) + self._latency(operator, left.type) if waits else None
            case Unary(operator):
                return max(waits) + self._latency(operator, node.type) if waits else None
            case Cast():
                return max(waits) + self._cycles("convert") if waits else None
            case Call(function):
                root = "fp32" if _size_bytes(node.type) == 4 else "fp64"
                op: OpClass = "fp64_special"
                if "sqrt" in function:
                    op = "fp32_sqrt" if root == "fp32" else "fp64_sqrt"
                elif root == "fp32":
                    op = "fp32_special"
                return max(waits) + self._cycles(op) if waits else None
            case _:
                return max(waits) if waits else None

    def _latency(self, operator: str, kind: CType) -> float:
        return self._cycles(op_class(operator, kind))

    def _cycles(self, op: OpClass) -> float:
        return next((timing.latency_cycles for timing in self._cpu.instructions if timing.op == op), 1.0)


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


def _size_bytes(kind: CType) -> int:
    return kind.size_bytes if isinstance(kind, Scalar) else 8
