"""What one thread does: the statements of a loop body as blocks of instructions, loops and branches.

The program is what an optimising compiler would leave: equal computations once per block, loads and arithmetic that a
loop does not change before the loop, an array element that a loop accumulates into in a register, one multiply-add
per address that changes.

Assumes: arrays of different names do not overlap (shown by the verdict that depends on it).
Not modelled: software pipelining, vectorisation, if-conversion of short branches.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from warplens.analysis.facts.computed_index import ComputedIndex
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Access, ScalarRef
from warplens.analysis.ir.formula import ONE, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, Exit, If, Loop, OpaqueStatement, Statement
from warplens.analysis.ir.types import CType
from warplens.analysis.workload.accesses.computed_condition import ComputedCondition
from warplens.analysis.workload.accesses.known_part import ChangedValues, changes_in
from warplens.analysis.workload.instructions.instruction_mix import binary_steps, is_floating, size_bytes
from warplens.analysis.workload.thread_program.changed_in_body import Written, written_in
from warplens.analysis.workload.thread_program.divergence import then_share
from warplens.analysis.workload.thread_program.draft import (
    DraftBranch,
    DraftLoop,
    DraftRegion,
    Value,
    fuse_multiply_add,
)
from warplens.analysis.workload.thread_program.emitter import Scope
from warplens.analysis.workload.thread_program.expression_emitter import ExpressionEmitter
from warplens.analysis.workload.thread_program.promotion import Promotion, promotions


@dataclass(frozen=True, slots=True)
class ThreadContext:
    """What the code of a thread is built in: loops around it, which of them is along a warp, counts of the loops in it.

    `x_iterator` is empty for a CPU core. `atomics` are the statements whose update of memory other threads do as well,
    `conditions` those that are computed from iterators and sizes.
    """

    loops: tuple[Loop, ...]
    x_iterator: str
    trip_counts: Mapping[NodeId, Formula]
    derived: Mapping[str, Formula]
    atomics: frozenset[NodeId] = frozenset()
    conditions: Mapping[NodeId, ComputedIndex] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ThreadDraft:
    """Instructions in place, registers that stand for one variable (`same`), and what had to be assumed.

    `joined` has the values that may be in a variable's register, `addresses` an access at the address in a register.
    """

    regions: list[DraftRegion]
    same: Mapping[int, int]
    joined: Mapping[int, tuple[Value, ...]]
    addresses: Mapping[int, Access]
    assumptions: tuple[Assumption, ...]


def draft_thread(body: tuple[Statement, ...], context: ThreadContext) -> ThreadDraft:
    """Code of one thread (or core) for a body of statements."""
    builder = _Builder(context)
    builder.statements(body)
    regions = builder.close()
    kept = frozenset(builder.same) | frozenset(builder.same.values())
    fuse_multiply_add(regions, kept)
    return ThreadDraft(regions, builder.same, builder.joined, builder.addresses, tuple(sorted(builder.assumptions)))


@dataclass(slots=True)
class _OpenLoop:
    """A loop under construction: how many conditions were open where it began, and what decides how often it runs."""

    loop: NodeId
    conditions: int
    control: list[Value]


class _Builder(ExpressionEmitter):
    def __init__(self, context: ThreadContext) -> None:
        iterators = {
            loop.iterator: Value(-1, ("iterator", loop.id), 0, loop.iterator == context.x_iterator)
            for loop in context.loops
        }
        super().__init__(iterators)
        self._context = context
        self._loops = context.loops
        self._conditions: list[Value] = []
        self._open: list[_OpenLoop] = []
        self._sizes = frozenset[str]().union(*(count.parameters for count in context.trip_counts.values()))
        self._changes: tuple[tuple[NodeId, ...], ChangedValues] | None = None

    def statements(self, body: tuple[Statement, ...]) -> None:
        for statement in body:
            match statement:
                case Assign():
                    self._assign(statement)
                case Loop():
                    self._loop(statement)
                case If():
                    self._if(statement)
                case Evaluate():
                    self.value(statement.expression, statement.id)
                    self.here("branch", (), statement.id)
                    self.forget_all_memory()
                case Exit():
                    self.here("branch", (), statement.id)
                    self._leave_early(statement)
                case OpaqueStatement():
                    self.assume("statement", f"A statement was not understood ({statement.reason}): it costs nothing.")
                    self.forget_all_memory()

    def _assign(self, statement: Assign) -> None:
        target = statement.target
        if isinstance(target, ScalarRef):
            value = self.value(statement.value, statement.id)
            if statement.operator:
                old = self.scalar(target.name)
                value = self._operate(statement, old, value, target.type)
            self.env[target.name] = value
            return
        key, address = self.address(target, self.subscripts(target, statement.id), statement.id)
        value = self.value(statement.value, statement.id)
        atomic = statement.id in self._context.atomics and key not in self.promoted
        if statement.operator and not atomic:
            value = self._operate(statement, self.load(target, key, address, statement.id), value, target.type)
        if key in self.promoted:
            self.promoted[key] = value
            return
        self.here("atomic" if atomic else "store", (value, address), statement.id, target)
        self.forget(target)
        if not atomic:
            self.scopes[-1].memory[key] = (value, target)

    def _operate(self, statement: Assign, old: Value, new: Value, type_: CType) -> Value:
        operator = statement.operator or "+"
        other = statement.value.type
        if is_floating(other) == is_floating(type_):
            type_ = other if size_bytes(other) > size_bytes(type_) else type_
        elif is_floating(other):
            type_ = other
        unknown = ScalarRef("", type_)
        steps = binary_steps(operator, type_, unknown, statement.value)
        return self.chain(steps, (old, new), (operator,), statement.id, type_)

    def _loop(self, loop: Loop) -> None:
        bounds = [self.value(read, loop.id) for read in loop.bound_reads]
        written = written_in(loop)
        plans = {self.memory_key(plan.access): plan for plan in promotions(loop, written)}
        plans = {key: plan for key, plan in plans.items() if key not in self.promoted}
        for key, plan in plans.items():
            self._enter_promotion(key, plan)
        accumulated = {
            key: size_bytes(access.type) > 4
            for access in written.stores
            if (key := self.memory_key(access)) in self.promoted
        }
        for access in written.stores:
            if self.memory_key(access) not in accumulated:
                self.forget(access)
        if written.has_unknown_effects:
            self.forget_all_memory()
        depth = len(self.scopes)
        entering = {name: self.new_value(depth, True, name in written.wide) for name in sorted(written.scalars)}
        registers = {key: self.new_value(depth, True, accumulated[key]) for key in sorted(accumulated, key=repr)}
        for name, register in entering.items():
            self.join(register, self.scalar(name))
        for key, register in registers.items():
            self.join(register, self.promoted[key])
        before = dict(self.env)
        names = frozenset[str]().union(*(bound.symbols for bound in (loop.start, *loop.limits) if bound is not None))
        open_loop = _OpenLoop(loop.id, len(self._conditions), [*bounds, *(self.scalar(name) for name in sorted(names))])
        self._open.append(open_loop)
        self.env.update(entering)
        self.promoted.update(registers)
        self.env[loop.iterator] = Value(-1, ("iterator", loop.id), depth, self._start_varies(loop, bounds))
        scope = self._loop_body(loop, written)
        self._open.pop()
        leaving = (*(self.env[name] for name in entering), *(self.promoted[key] for key in registers))
        carried = self._leave(entering, before, depth - 1)
        for key, register in registers.items():
            final = self.promoted[key]
            self.unite(register, final)
            self.join(register, final)
            self.promoted[key] = replace(final, depth=depth - 1)
            carried.append(register)
        current = self.scopes[-1]
        current.flush()
        trip_count = self._context.trip_counts.get(loop.id, ONE)
        current.regions.append(
            DraftLoop(loop.id, trip_count, scope.regions, tuple(carried), leaving, tuple(open_loop.control))
        )
        for key, plan in plans.items():
            self._write_back(key, plan)

    def _loop_body(self, loop: Loop, written: Written) -> Scope:
        scope = Scope(written=written)
        self.scopes.append(scope)
        around, self._loops = self._loops, (*self._loops, loop)
        self.statements(loop.body)
        wide = size_bytes(loop.iterator_type) > 4
        counter = self.here("int64_add" if wide else "int_add", (), loop.id)
        self.here("branch", (self.here("compare", (counter,), loop.id),), loop.id)
        self._loops = around
        scope.flush()
        self.scopes.pop()
        return scope

    def _leave_early(self, statement: Exit) -> None:
        """The conditions between the loop that ends and here decide how often it runs, and those in between."""
        if not any(inner.loop == statement.leaves for inner in self._open):
            return
        for inner in reversed(self._open):
            inner.control.extend(self._conditions[inner.conditions :])
            if inner.loop == statement.leaves:
                break

    def _leave(self, entering: Mapping[str, Value], before: dict[str, Value], depth: int) -> list[Value]:
        """Scalars after a loop: each keeps its last value; returns the registers carried round the loop."""
        carried: list[Value] = []
        after = before
        for name, register in entering.items():
            final = self.env[name]
            self.unite(register, final)
            self.join(register, final)
            carried.append(register)
            after[name] = replace(final, depth=min(final.depth, depth))
        self.env = after
        return carried

    def _if(self, statement: If) -> None:
        condition = self.value(statement.condition, statement.id)
        self.here("branch", (condition,), statement.id)
        self.scopes[-1].flush()
        index = self._context.conditions.get(statement.id)
        computed = None if index is None else ComputedCondition(index, self._context.x_iterator)
        share = then_share(statement, self._loops, self._context.derived, self._changed(), self._sizes, computed)
        if share.assumption is not None:
            self.assumptions.add(share.assumption)
        before = dict(self.env)
        floor = self.floor
        self._conditions.append(condition)
        ends: list[tuple[list[DraftRegion], dict[str, Value]]] = []
        for side in (statement.then, statement.otherwise):
            self.env = dict(before)
            scope = Scope()
            self.scopes.append(scope)
            self.floor = len(self.scopes) - 1
            self.statements(side)
            scope.flush()
            self.scopes.pop()
            ends.append((scope.regions, self.env))
        self._conditions.pop()
        self.floor = floor
        (then, then_env), (otherwise, otherwise_env) = ends
        self.env = before
        depth = len(self.scopes) - 1
        for name in sorted({*then_env, *otherwise_env}):
            first, second = then_env.get(name), otherwise_env.get(name)
            if first is second:
                continue
            varies = condition.varies or any(v is None or v.varies for v in (first, second))
            merged = self.new_value(depth, varies, any(v is not None and v.is_wide for v in (first, second)))
            self.join(merged, condition, *(end for end in (first, second) if end is not None))
            for end in (first, second):
                if end is not None and end is not before.get(name):
                    self.unite(merged, end)
            self.env[name] = merged
        self.scopes[-1].regions.append(
            DraftBranch(
                statement.id, condition.varies, then, otherwise, share.large, condition, share.counted, computed
            )
        )

    def _changed(self) -> ChangedValues:
        """What the nest changes, as far as it stands around."""
        root = self._loops[:1]
        if self._changes is None or self._changes[0] != tuple(loop.id for loop in root):
            self._changes = tuple(loop.id for loop in root), changes_in(root)
        return self._changes[1]

    def _enter_promotion(self, key: Hashable, plan: Promotion) -> None:
        if plan.is_read and plan.statement not in self._context.atomics:
            _, address = self.address(plan.access, (), plan.statement)
            self.promoted[key] = self.load(plan.access, key, address, plan.statement)
        else:
            self.promoted[key] = Value(-1, ("accumulator", key), len(self.scopes) - 1, True)

    def _write_back(self, key: Hashable, plan: Promotion) -> None:
        final = self.promoted.pop(key)
        _, address = self.address(plan.store, (), plan.statement)
        atomic = plan.statement in self._context.atomics
        self.here("atomic" if atomic else "store", (final, address), plan.statement, plan.store)
        self.forget(plan.store)
        if not atomic:
            self.scopes[-1].memory[key] = (final, plan.store)

    def _start_varies(self, loop: Loop, bounds: Sequence[Value]) -> bool:
        if loop.start is None:
            return not bounds or any(bound.varies for bound in bounds)
        return any(self.scalar(name).varies for name in loop.start.symbols)
