"""Cycles that one iteration must wait for the one before: the latency of loop-carried chains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.expression_fold import folded
from warplens.analysis.cpu.latencies import Latencies, Wait
from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.expression import Access, Expression, Load, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Loop, Statement, walk_statements
from warplens.analysis.ir.types import CType, Scalar

_EXTREMES = frozenset(("min", "max", "argmin", "argmax"))
_MAX_REPEATS = 16
_WARM_UP, _COUNTED = 3, 4
"""Iterations before the chains are in step, and over which their pace is taken."""
_MAX_STATEMENTS = 400
"""Longer bodies are followed through fewer iterations."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The slowest chain of a loop. `chased` are loads whose address hangs on the iteration before."""

    cycles: float
    variable: str = ""
    chased: tuple[NodeId, ...] = ()


def recurrence(
    loop: Loop, verdict: LoopVerdict, repeats: Mapping[NodeId, float], cpu: Cpu, compilation: Compilation
) -> Recurrence:
    """Find the slowest chain through scalars or array elements that the loop carries, be it through several of them.

    Iterations are run one after the other with nothing but latencies: a value is there when the slowest of its operands
    is and its operation has taken its time; what the loop does not carry is there from the start. The pace at which the
    carried values come is the cycle with the largest mean latency in the graph of dependences.

    `repeats` are the trip counts of loops unrolled into the body. Units: cycles per iteration.
    Assumes: an accumulator in memory is kept in a register; a load whose address hangs on the iteration before takes
    the latency of L1 (what it waits for behind L1: waits.py).
    Source: the latency bound of uiCA and LLVM-MCA (Abel and Reineke, "uiCA", ICS 2022), on the source's operations.
    Not modelled: the cost of passing a value through memory (store forwarding); chains through a branch, which a core
    that predicts it right does not wait for.
    """
    carried = _carried(loop, verdict)
    if not carried.names and not carried.distances:
        return Recurrence(0.0)
    size = sum(1 for _ in walk_statements(loop.body))
    warm_up, counted = (_WARM_UP, _COUNTED) if size <= _MAX_STATEMENTS else (1, 2)
    latencies = Latencies(cpu, compilation)
    chains = _Chains(latencies, carried, repeats)
    for _ in range(warm_up):
        chains.run(loop.body)
        chains.next_iteration()
    before = dict(chains.handed_on())
    for _ in range(counted):
        chains.run(loop.body)
        chains.next_iteration()
    pace = {name: (cycles - before.get(name, cycles)) / counted for name, cycles in chains.handed_on().items()}
    for reduction in verdict.reductions:
        if reduction.operator in _EXTREMES:
            kind = next((kind for name, kind in _targets(loop.body) if name == reduction.variable), None)
            pace[reduction.variable] = max(pace.get(reduction.variable, 0.0), latencies.extreme_cycles(kind))
    slowest = max(pace, key=lambda name: pace[name], default="")
    if not slowest or pace[slowest] <= 0.0:
        return Recurrence(0.0)
    return Recurrence(pace[slowest], slowest, tuple(dict.fromkeys(chains.chased)))


def _targets(body: tuple[Statement, ...]) -> Iterator[tuple[str, CType]]:
    for statement in walk_statements(body):
        if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
            yield statement.target.name, statement.target.type


@dataclass(frozen=True, slots=True)
class _Carried:
    """Scalars (and elements that stand still) by name, and loads of elements written so many iterations before."""

    names: frozenset[str]
    distances: Mapping[NodeId, tuple[NodeId, int]]


def _carried(loop: Loop, verdict: LoopVerdict) -> _Carried:
    names = {reduction.variable for reduction in verdict.reductions}
    sums = {reduction.statement for reduction in verdict.reductions if reduction.is_array_element}
    for statement in walk_statements(loop.body):
        if isinstance(statement, Assign) and statement.id in sums and isinstance(statement.target, Access):
            names.add(statement.target.element)
    distances: dict[NodeId, tuple[NodeId, int]] = {}
    scalars = assigned_scalars(loop.body)
    for dependence in verdict.dependences:
        if dependence.kind != "flow" or dependence.carrier != loop.id:
            continue
        if dependence.variable in scalars:
            names.add(dependence.variable)
            continue
        at = dependence.loops.index(loop.id) if loop.id in dependence.loops else -1
        distance = dependence.distances[at] if 0 <= at < len(dependence.distances) else 1
        near = max(abs(distance or 1), 1)
        known = distances.get(dependence.sink)
        if known is None or near < known[1]:
            distances[dependence.sink] = (dependence.source, near)
    if verdict.kind == "unknown":  # what it hands on was not asked for: an early end decides before
        names |= scalars - set(verdict.private)
    return _Carried(frozenset(names), distances)


class _Chains:
    """Times at which values are there, in program order, through several iterations."""

    def __init__(self, latencies: Latencies, carried: _Carried, repeats: Mapping[NodeId, float]) -> None:
        self._latencies = latencies
        self._carried = carried
        self._repeats = repeats
        self._ready: dict[str, Wait] = {}
        self._written: dict[NodeId, list[Wait | None]] = {}
        self._now: dict[NodeId, Wait | None] = {}
        self._sources = {source for source, _ in carried.distances.values()}
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

    def next_iteration(self) -> None:
        """What is not carried belongs to its iteration."""
        for source in self._sources:
            self._written.setdefault(source, []).append(self._now.get(source))
        self._now.clear()
        self._ready = {name: wait for name, wait in self._ready.items() if name in self._carried.names}

    def handed_on(self) -> dict[str, float]:
        """When each carried value was there last."""
        found = {name: wait.cycles for name, wait in self._ready.items()}
        for source, waits in self._written.items():
            last = waits[-1]
            if last is not None:
                found[f"element {source}"] = last.cycles
        return found

    def _assign(self, statement: Assign) -> None:
        wait = folded(statement.value, self._value)
        target = statement.target
        name = target.name if isinstance(target, ScalarRef) else target.element
        if statement.operator:
            wait = self._latencies.combined(statement.operator, target.type, self._held(target), statement.value, wait)
        elif wait is not None and isinstance(statement.value, ScalarRef) and _is_float(target.type):
            wait = Wait(wait.cycles + self._latencies.copy_cycles, wait.is_sum)
        if wait is None:
            self._ready.pop(name, None)
        else:
            self._ready[name] = wait
        for source in (statement.id, target.id if isinstance(target, Access) else None):
            if source is not None and source in self._sources:
                self._now[source] = wait

    def _held(self, reference: ScalarRef | Access) -> Wait | None:
        """When a value is there that hangs on a carried one; None when it doesn't hang on any."""
        name = reference.name if isinstance(reference, ScalarRef) else reference.element
        if name in self._ready:
            return self._ready[name]
        if isinstance(reference, Access) and reference.id in self._carried.distances:
            source, distance = self._carried.distances[reference.id]
            written = self._written.get(source, [])
            return (written[-distance] if len(written) >= distance else None) or Wait(0.0)
        return Wait(0.0) if name in self._carried.names else None

    def _value(self, node: Expression, operands: list[Wait | None]) -> Wait | None:
        match node:
            case ScalarRef():
                return self._held(node)
            case Load(access):
                waits = [wait for wait in operands if wait is not None]
                if waits:
                    self.chased.append(access.id)
                    return Wait(max(wait.cycles for wait in waits) + self._latencies.indexed_load_cycles)
                return self._held(access)
            case _:
                return self._latencies.of(node, operands)


def _is_float(kind: CType) -> bool:
    return isinstance(kind, Scalar) and kind.kind == "float"
