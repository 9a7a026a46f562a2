"""What one thread does: the statements of a loop body as blocks of instructions, loops and branches.

The program is what an optimising compiler would leave: equal computations once per block, loads and arithmetic that a
loop does not change before the loop, an array element that a loop accumulates into in a register, one multiply-add
per address that changes.

Which arrays the compiler takes for others is told_apart.py's.
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
from warplens.analysis.workload.instructions.instruction_mix import is_floating, size_bytes
from warplens.analysis.workload.thread_program.changed_in_body import Written, written_in
from warplens.analysis.workload.thread_program.divergence import then_share
from warplens.analysis.workload.thread_program.draft import (
    DraftBlock,
    DraftBranch,
    DraftLoop,
    DraftRegion,
    Value,
    fuse_multiply_add,
    fuse_pairs,
)
from warplens.analysis.workload.thread_program.emitter import Scope
from warplens.analysis.workload.thread_program.expression_emitter import ExpressionEmitter
from warplens.analysis.workload.thread_program.promotion import Promotion, promotions
from warplens.analysis.workload.thread_program.told_apart import ON_A_CORE, ToldApart


@dataclass(frozen=True, slots=True)
class ThreadContext:
    """What the code of a thread is built in: loops around it, which of them is along a warp, counts of the loops in it.

    `x_iterator` is empty for a CPU core. `atomics` are the statements whose update of memory other threads do as well,
    `apart` is what the compiler knows of the arrays, `conditions` those that are computed from iterators
    and sizes.
    """

    loops: tuple[Loop, ...]
    x_iterator: str
    trip_counts: Mapping[NodeId, Formula]
    derived: Mapping[str, Formula]
    atomics: frozenset[NodeId] = frozenset()
    apart: ToldApart = ON_A_CORE
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
    if context.x_iterator:
        fuse_pairs(regions, kept)
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
        super().__init__(iterators, context.apart, on_gpu=bool(context.x_iterator))
        self._context = context
        self._loops = context.loops
        self._conditions: list[Value] = []
        self._open: list[_OpenLoop] = []
        self._sizes = frozenset[str]().union(*(count.parameters for count in context.trip_counts.values()))
        self._stored_each_time: set[Hashable] = set()
        """Of the elements in registers: those whose every store is done."""
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
            if key not in self._stored_each_time:
                return
        self.here("atomic" if atomic else "store", (value, address), statement.id, target)
        self.forget(target, is_atomic=atomic)
        if not atomic and key not in self.promoted:
            self.scopes[-1].memory[key] = (value, target)

    def _operate(self, statement: Assign, old: Value, new: Value, type_: CType) -> Value:
        operator = statement.operator or "+"
        other = statement.value.type
        if is_floating(other) == is_floating(type_):
            type_ = other if size_bytes(other) > size_bytes(type_) else type_
        elif is_floating(other):
            type_ = other
        operands = ScalarRef("", type_), statement.value
        return self.binary(operator, (type_, type_), operands, (old, new), statement.id)

    def _loop(self, loop: Loop) -> None:
        bounds = [self.value(read, loop.id) for read in loop.bound_reads]
        atomics = self._context.atomics
        written = written_in(loop, atomics)
        plans = {self.memory_key(plan.access): plan for plan in promotions(loop, written, self.apart, atomics)}
        behind = {
            key: plan for key, plan in plans.items() if key in self._stored_each_time and not plan.is_stored_each_time
        }
        self._stored_each_time -= behind.keys()
        plans = {key: plan for key, plan in plans.items() if key not in self.promoted}
        self._stored_each_time |= {key for key, plan in plans.items() if plan.is_stored_each_time}
        for key, plan in plans.items():
            self._enter_promotion(key, plan)
        accumulated = {
            key: size_bytes(access.type) > 4
            for access in written.stores
            if (key := self.memory_key(access)) in self.promoted
        }
        for access in written.stores:
            key = self.memory_key(access)
            if key not in accumulated or key in self._stored_each_time:
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
        for key, plan in behind.items():
            self._store(self.promoted[key], plan)
        self._stored_each_time |= behind.keys()

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
        common = self._stored_on_both_sides(statement)
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
        last: list[dict[Hashable, tuple[Value, Access]]] = []
        for side in (statement.then, statement.otherwise):
            self.env = dict(before)
            scope = Scope()
            self.scopes.append(scope)
            self.floor = len(self.scopes) - 1
            self.statements(side)
            scope.flush()
            self.scopes.pop()
            ends.append((scope.regions, self.env))
            last.append(scope.memory)
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
        for key, address, target in common:
            if all(key in held for held in last):
                self._store_behind(key, address, target, condition, (then, otherwise), last)

    def _stored_on_both_sides(self, statement: If) -> list[tuple[Hashable, Value, Assign]]:
        """Elements that both sides of a branch store to, with their addresses: a GPU's compiler stores them behind it.

        Source: LLVM, MergedLoadStoreMotion. Assumes: a store at the end of a side, or one that nothing after it reads.
        """
        if not self.on_gpu or not statement.otherwise:
            return []
        sides = [
            {self.memory_key(s.target): s for s in side if isinstance(s, Assign) and isinstance(s.target, Access)}
            for side in (statement.then, statement.otherwise)
        ]
        found: list[tuple[Hashable, Value, Assign]] = []
        for key, assign in sides[0].items():
            target = assign.target
            other = sides[1].get(key)
            if other is None or not isinstance(target, Access) or None in target.indices or key in self.promoted:
                continue
            if {assign.id, other.id}.isdisjoint(self._context.atomics):
                found.append((key, self.address(target, (), assign.id)[1], assign))
        return found

    def _store_behind(
        self,
        key: Hashable,
        address: Value,
        assign: Assign,
        condition: Value,
        sides: tuple[list[DraftRegion], list[DraftRegion]],
        last: list[dict[Hashable, tuple[Value, Access]]],
    ) -> None:
        values = [held[key][0] for held in last]
        stores = [held[key][1].id for held in last]
        if not all(_has_store(side, access) for side, access in zip(sides, stores, strict=True)):
            return
        for side, access in zip(sides, stores, strict=True):
            _drop_store(side, access)
        merged = self.new_value(len(self.scopes) - 1, True, any(value.is_wide for value in values))
        self.join(merged, condition, *values)
        for value in values:
            self.unite(merged, value)
        target = assign.target
        assert isinstance(target, Access), "only stores to memory are moved"
        self.here("store", (merged, address), assign.id, target)
        self.forget(target)
        self.scopes[-1].memory[key] = (merged, target)

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
        if key not in self._stored_each_time:
            self._store(final, plan)
        self._stored_each_time.discard(key)
        if plan.statement not in self._context.atomics:
            self.scopes[-1].memory[key] = (final, plan.store)

    def _store(self, value: Value, plan: Promotion) -> None:
        _, address = self.address(plan.store, (), plan.statement)
        atomic = plan.statement in self._context.atomics
        self.here("atomic" if atomic else "store", (value, address), plan.statement, plan.store)
        self.forget(plan.store, is_atomic=atomic)

    def _start_varies(self, loop: Loop, bounds: Sequence[Value]) -> bool:
        if loop.start is None:
            return not bounds or any(bound.varies for bound in bounds)
        return any(self.scalar(name).varies for name in loop.start.symbols)


def _has_store(side: list[DraftRegion], access: NodeId) -> bool:
    """Whether a side stores there whenever it is taken."""
    return any(
        instruction.op == "store" and instruction.access == access
        for region in side
        if isinstance(region, DraftBlock)
        for instruction in region.instructions
    )


def _drop_store(side: list[DraftRegion], access: NodeId) -> None:
    for region in side:
        if isinstance(region, DraftBlock):
            region.instructions = [i for i in region.instructions if i.op != "store" or i.access != access]
