"""What one thread does: the statements of a loop body as blocks of instructions, loops and branches.

The program is what an optimising compiler would leave: equal computations once per block, loads and arithmetic that a
loop does not change before the loop, an array element that a loop accumulates into in a register, one multiply-add
per address that changes.

Assumes: arrays of different names do not overlap (shown by the verdict that depends on it).
Not modelled: unrolling, software pipelining, vectorisation, if-conversion of short branches.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from warplens.analysis.facts.divergence import then_share
from warplens.analysis.facts.draft import (
    DraftBlock,
    DraftBranch,
    DraftInstruction,
    DraftLoop,
    DraftRegion,
    Value,
    fuse_multiply_add,
)
from warplens.analysis.facts.instruction_mix import binary_steps, converts, is_floating, size_bytes
from warplens.analysis.facts.math_functions import math_function
from warplens.analysis.facts.program import MemoryOp, OpClass
from warplens.analysis.facts.promotion import Promotion, overlaps, promotions
from warplens.analysis.facts.written import Written, written_in
from warplens.analysis.ir.assumption import Assumption
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
from warplens.analysis.ir.formula import ONE, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, Exit, If, Loop, OpaqueStatement, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import CType


@dataclass(frozen=True, slots=True)
class ThreadContext:
    """What the code of a thread is built in: loops around it, which of them is along a warp, counts of the loops in it.

    `x_iterator` is empty for a CPU core. `atomics` are the statements whose update of memory other threads do as well.
    """

    loops: tuple[Loop, ...]
    x_iterator: str
    trip_counts: Mapping[NodeId, Formula]
    derived: Mapping[str, Formula]
    atomics: frozenset[NodeId] = frozenset()


@dataclass(frozen=True, slots=True)
class ThreadDraft:
    """Instructions in place, registers that stand for one variable (`same`), and what had to be assumed."""

    regions: list[DraftRegion]
    same: Mapping[int, int]
    assumptions: tuple[Assumption, ...]


def draft_thread(body: tuple[Statement, ...], context: ThreadContext) -> ThreadDraft:
    """Code of one thread (or core) for a body of statements."""
    builder = _Builder(context)
    builder.statements(body)
    regions = builder.close()
    kept = frozenset(builder.same) | frozenset(builder.same.values())
    fuse_multiply_add(regions, kept)
    return ThreadDraft(regions, builder.same, tuple(sorted(builder.assumptions)))


@dataclass(slots=True)
class _Scope:
    """A level of the program: the thread, a loop's body or a side of a branch."""

    regions: list[DraftRegion] = field(default_factory=list)
    block: DraftBlock = field(default_factory=DraftBlock)
    table: dict[Hashable, Value] = field(default_factory=dict)
    memory: dict[Hashable, tuple[Value, Access]] = field(default_factory=dict)
    written: Written | None = None
    """Set for a loop: what its body writes."""

    def flush(self) -> None:
        if self.block.instructions:
            self.regions.append(self.block)
            self.block = DraftBlock()


class _Builder:
    def __init__(self, context: ThreadContext) -> None:
        self.assumptions: set[Assumption] = set()
        self.same: dict[int, int] = {}
        self._context = context
        self._loops = context.loops
        self._scopes = [_Scope()]
        self._floor = 0
        self._next = 0
        self._promoted: dict[Hashable, Value] = {}
        self._env: dict[str, Value] = {
            loop.iterator: Value(-1, ("iterator", loop.id), 0, loop.iterator == context.x_iterator)
            for loop in context.loops
        }

    def close(self) -> list[DraftRegion]:
        self._scopes[0].flush()
        return self._scopes[0].regions

    # Statements

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
                    self._value(statement.expression, statement.id)
                    self._here("branch", (), statement.id)
                    self._forget_all_memory()
                case Exit():
                    self._here("branch", (), statement.id)
                case OpaqueStatement():
                    self._assume("statement", f"A statement was not understood ({statement.reason}): it costs nothing.")
                    self._forget_all_memory()

    def _assign(self, statement: Assign) -> None:
        target = statement.target
        if isinstance(target, ScalarRef):
            value = self._value(statement.value, statement.id)
            if statement.operator:
                old = self._scalar(target.name)
                value = self._operate(statement, old, value, target.type)
            self._env[target.name] = value
            return
        key, address = self._address(target, self._subscripts(target, statement.id), statement.id)
        value = self._value(statement.value, statement.id)
        atomic = statement.id in self._context.atomics and key not in self._promoted
        if statement.operator and not atomic:
            value = self._operate(statement, self._load(target, key, address, statement.id), value, target.type)
        if key in self._promoted:
            self._promoted[key] = value
            return
        self._here("atomic" if atomic else "store", (value, address), statement.id, target)
        self._forget(target)
        if not atomic:
            self._scopes[-1].memory[key] = (value, target)

    def _operate(self, statement: Assign, old: Value, new: Value, type_: CType) -> Value:
        operator = statement.operator or "+"
        other = statement.value.type
        if is_floating(other) == is_floating(type_):
            type_ = other if size_bytes(other) > size_bytes(type_) else type_
        elif is_floating(other):
            type_ = other
        unknown = ScalarRef("", type_)
        steps = binary_steps(operator, type_, unknown, statement.value)
        return self._chain(steps, (old, new), (operator,), statement.id, type_)

    def _loop(self, loop: Loop) -> None:
        for read in loop.bound_reads:
            self._value(read, loop.id)
        written = written_in(loop)
        plans = {self._memory_key(plan.access): plan for plan in promotions(loop, written)}
        plans = {key: plan for key, plan in plans.items() if key not in self._promoted}
        for key, plan in plans.items():
            self._enter_promotion(key, plan)
        accumulated = {
            key: size_bytes(access.type) > 4
            for access in written.stores
            if (key := self._memory_key(access)) in self._promoted
        }
        for access in written.stores:
            if self._memory_key(access) not in accumulated:
                self._forget(access)
        if written.has_unknown_effects:
            self._forget_all_memory()
        depth = len(self._scopes)
        entering = {name: self._new(depth, True, name in written.wide) for name in sorted(written.scalars)}
        registers = {key: self._new(depth, True, accumulated[key]) for key in sorted(accumulated, key=repr)}
        before = dict(self._env)
        self._env.update(entering)
        self._promoted.update(registers)
        self._env[loop.iterator] = Value(-1, ("iterator", loop.id), depth, self._bounds_vary(loop))
        scope = self._loop_body(loop, written)
        carried = self._leave(entering, before, depth - 1)
        for key, register in registers.items():
            final = self._promoted[key]
            self._unite(register, final)
            self._promoted[key] = replace(final, depth=depth - 1)
            carried.append(register)
        current = self._scopes[-1]
        current.flush()
        trip_count = self._context.trip_counts.get(loop.id, ONE)
        current.regions.append(DraftLoop(loop.id, trip_count, scope.regions, tuple(carried)))
        for key, plan in plans.items():
            self._write_back(key, plan)

    def _loop_body(self, loop: Loop, written: Written) -> _Scope:
        scope = _Scope(written=written)
        self._scopes.append(scope)
        around, self._loops = self._loops, (*self._loops, loop)
        self.statements(loop.body)
        wide = size_bytes(loop.iterator_type) > 4
        counter = self._here("int64_add" if wide else "int_add", (), loop.id)
        self._here("branch", (self._here("compare", (counter,), loop.id),), loop.id)
        self._loops = around
        scope.flush()
        self._scopes.pop()
        return scope

    def _leave(self, entering: Mapping[str, Value], before: dict[str, Value], depth: int) -> list[Value]:
        """Scalars after a loop: each keeps its last value; returns the registers carried round the loop."""
        carried: list[Value] = []
        after = before
        for name, register in entering.items():
            final = self._env[name]
            self._unite(register, final)
            carried.append(register)
            after[name] = replace(final, depth=min(final.depth, depth))
        self._env = after
        return carried

    def _if(self, statement: If) -> None:
        condition = self._value(statement.condition, statement.id)
        self._here("branch", (condition,), statement.id)
        self._scopes[-1].flush()
        share, assumption = then_share(statement, self._loops, self._context.derived)
        if assumption is not None:
            self.assumptions.add(assumption)
        before = dict(self._env)
        floor = self._floor
        ends: list[tuple[list[DraftRegion], dict[str, Value]]] = []
        for side in (statement.then, statement.otherwise):
            self._env = dict(before)
            scope = _Scope()
            self._scopes.append(scope)
            self._floor = len(self._scopes) - 1
            self.statements(side)
            scope.flush()
            self._scopes.pop()
            ends.append((scope.regions, self._env))
        self._floor = floor
        (then, then_env), (otherwise, otherwise_env) = ends
        self._env = before
        depth = len(self._scopes) - 1
        for name in sorted({*then_env, *otherwise_env}):
            first, second = then_env.get(name), otherwise_env.get(name)
            if first is second:
                continue
            varies = condition.varies or any(v is None or v.varies for v in (first, second))
            merged = self._new(depth, varies, any(v is not None and v.is_wide for v in (first, second)))
            for end in (first, second):
                if end is not None and end is not before.get(name):
                    self._unite(merged, end)
            self._env[name] = merged
        self._scopes[-1].regions.append(DraftBranch(statement.id, condition.varies, then, otherwise, share))

    # Memory

    def _enter_promotion(self, key: Hashable, plan: Promotion) -> None:
        if plan.is_read and plan.statement not in self._context.atomics:
            _, address = self._address(plan.access, (), plan.statement)
            self._promoted[key] = self._load(plan.access, key, address, plan.statement)
        else:
            self._promoted[key] = Value(-1, ("accumulator", key), len(self._scopes) - 1, True)

    def _write_back(self, key: Hashable, plan: Promotion) -> None:
        final = self._promoted.pop(key)
        _, address = self._address(plan.store, (), plan.statement)
        atomic = plan.statement in self._context.atomics
        self._here("atomic" if atomic else "store", (final, address), plan.statement, plan.store)
        self._forget(plan.store)
        if not atomic:
            self._scopes[-1].memory[key] = (final, plan.store)

    def _subscripts(self, access: Access, statement: NodeId) -> tuple[Value, ...]:
        """Values of the subscripts that are no polynomials."""
        pairs = zip(access.subscripts, access.indices, strict=True)
        return tuple(self._value(subscript, statement) for subscript, index in pairs if index is None)

    def _memory_key(self, access: Access, gathered: tuple[Value, ...] = ()) -> Hashable:
        return self._keyed(access, access.indices, gathered)

    def _keyed(self, access: Access, indices: tuple[Polynomial | None, ...], gathered: tuple[Value, ...]) -> Hashable:
        names = frozenset().union(*(index.symbols for index in indices if index is not None))
        held = tuple((name, self._env[name].key) for name in sorted(names) if name in self._env)
        terms = tuple(None if index is None else index.terms for index in indices)
        return (access.array, access.member, terms, held, tuple(value.key for value in gathered))

    def _address(self, access: Access, gathered: tuple[Value, ...], statement: NodeId) -> tuple[Hashable, Value]:
        """Identity of the element, and the register of its address: neighbours at constant distance share one."""
        key = self._memory_key(access, gathered)
        indices = tuple(None if i is None else i - i.constant_term for i in access.indices)
        names = frozenset().union(*(index.symbols for index in indices if index is not None))
        operands = (*gathered, *(self._env[name] for name in sorted(names) if name in self._env))
        if not operands and not names:
            return key, Value(-1, ("base", access.array), 0, False, True)
        base_key = self._keyed(replace(access, member=""), indices, gathered)
        return key, self._pure("int_mad", operands, ("address", base_key), statement, is_wide=True)

    def _load(self, access: Access, key: Hashable, address: Value, statement: NodeId) -> Value:
        promoted = self._promoted.get(key)
        if promoted is not None:
            return promoted
        for scope in self._scopes:
            if key in scope.memory:
                return scope.memory[key][0]
        depth = max(address.depth, self._floor)
        for level in range(depth + 1, len(self._scopes)):
            written = self._scopes[level].written
            if written is not None and (
                written.has_unknown_effects or any(overlaps(store, access) for store in written.stores)
            ):
                depth = level
        value = self._emit(depth, "load", (address,), statement, address.varies, access)
        self._scopes[depth].memory[key] = (value, access)
        return value

    def _forget(self, written: Access) -> None:
        for scope in self._scopes:
            for key in [k for k, (_, access) in scope.memory.items() if overlaps(written, access)]:
                del scope.memory[key]

    def _forget_all_memory(self) -> None:
        for scope in self._scopes:
            scope.memory.clear()

    # Values

    def _scalar(self, name: str) -> Value:
        found = self._env.get(name)
        return found if found is not None else Value(-1, ("scalar", name), 0, False, is_constant=True)

    def _value(self, expression: Expression, statement: NodeId) -> Value:
        """Value of an expression; iterative, so that its depth is no limit."""
        stack: list[tuple[Expression, bool]] = [(expression, False)]
        results: list[Value] = []
        while stack:
            node, are_operands_done = stack.pop()
            operands = _evaluated(node)
            if operands and not are_operands_done:
                stack.append((node, True))
                stack.extend((operand, False) for operand in reversed(operands))
                continue
            arguments = tuple(results[len(results) - len(operands) :])
            del results[len(results) - len(operands) :]
            results.append(self._apply(node, arguments, statement))
        return results[0]

    def _apply(self, node: Expression, arguments: tuple[Value, ...], statement: NodeId) -> Value:
        match node:
            case Constant(value):
                return Value(-1, ("constant", value), 0, False, is_constant=True)
            case ScalarRef(name):
                return self._scalar(name)
            case Load(access):
                key, address = self._address(access, arguments, statement)
                return self._load(access, key, address, statement)
            case Unary(operator, operand):
                if operator == "-" and is_floating(operand.type):
                    return arguments[0]
                op: OpClass = "int_add" if operator == "-" else "logic"
                return self._pure(op, arguments, (operator,), statement)
            case Binary(operator, left, right, type_):
                operand_type = left.type if operator in {"<", "<=", ">", ">=", "==", "!="} else type_
                steps = binary_steps(operator, operand_type, left, right)
                return self._chain(steps, arguments, (operator,), statement, type_)
            case Cast(operand, type_):
                if isinstance(operand, Constant) or not converts(operand.type, type_):
                    return arguments[0]
                return self._pure("convert", arguments, (type_,), statement, is_wide=size_bytes(type_) > 4)
            case Conditional():
                return self._select(node, arguments, statement)
            case Call():
                return self._call(node, arguments, statement)
            case Unknown(reason):
                self._assume("expression", f"An expression was not understood ({reason}): it costs nothing.")
                return Value(-1, ("unknown", self._fresh()), len(self._scopes) - 1, True)

    def _select(self, node: Conditional, arguments: tuple[Value, ...], statement: NodeId) -> Value:
        """`c ? a : b`; where the arms are the compared values it is one min or max."""
        condition, then, otherwise = arguments
        wide = size_bytes(node.type) > 4
        compared = node.condition
        if isinstance(compared, Binary) and compared.operator in {"<", "<=", ">", ">="}:
            sides = {self._value(compared.left, statement).key, self._value(compared.right, statement).key}
            if sides == {then.key, otherwise.key} and condition.number >= 0:
                return replace(condition, is_wide=wide)
        return self._pure("compare", arguments, ("select",), statement, is_wide=wide)

    def _call(self, node: Call, arguments: tuple[Value, ...], statement: NodeId) -> Value:
        if not node.is_math:
            self._assume(node.function, f"`{node.function}` is called: what it does and costs is not counted.")
            value = self._here("branch", arguments, statement)
            return replace(value, varies=True)
        function = math_function(node.function)
        kind = node.arguments[0].type if node.arguments else node.type
        wide = size_bytes(kind) > 4
        if not function.is_exact_cost:
            text = f"The cost of `{node.function}` is an estimate: {function.note}."
            self._assume(node.function, text)
        steps = tuple(op for op, count in (function.fp64 if wide else function.fp32) for _ in range(count))
        return self._chain(steps, arguments, ("call", node.function), statement, node.type)

    def _chain(
        self,
        steps: tuple[OpClass, ...],
        operands: tuple[Value, ...],
        key: tuple[Hashable, ...],
        statement: NodeId,
        type_: CType,
    ) -> Value:
        """Instructions each waiting for the one before; the first waits for the operands."""
        wide = size_bytes(type_) > 4
        identity = (*key, *(operand.key for operand in operands))
        value = self._pure(steps[0], operands, key, statement, is_wide=wide)
        for step in range(1, len(steps)):
            value = self._pure(steps[step], (value,), ("step", step, identity), statement, is_wide=wide)
        return value

    def _pure(
        self,
        op: OpClass,
        operands: tuple[Value, ...],
        key: tuple[Hashable, ...],
        statement: NodeId,
        *,
        is_wide: bool = False,
    ) -> Value:
        """Instruction without effect, placed in the outermost scope where its operands are known, once."""
        if operands and all(operand.is_constant for operand in operands):
            return Value(-1, (op, *key, *(o.key for o in operands)), 0, False, is_wide, is_constant=True)
        identity = (op, *key, *(operand.key for operand in operands))
        for scope in self._scopes:
            found = scope.table.get(identity)
            if found is not None:
                return found
        depth = max((operand.depth for operand in operands), default=0)
        depth = max(depth, self._floor)
        varies = any(operand.varies for operand in operands)
        value = self._emit(depth, op, operands, statement, varies, is_wide=is_wide)
        self._scopes[depth].table[identity] = value
        return value

    def _here(
        self,
        op: OpClass | MemoryOp,
        operands: tuple[Value, ...],
        statement: NodeId,
        access: Access | None = None,
    ) -> Value:
        return self._emit(len(self._scopes) - 1, op, operands, statement, False, access)

    def _emit(
        self,
        depth: int,
        op: OpClass | MemoryOp,
        operands: tuple[Value, ...],
        statement: NodeId,
        varies: bool,
        access: Access | None = None,
        *,
        is_wide: bool = False,
    ) -> Value:
        size = 4 if access is None else size_bytes(access.type)
        number = self._fresh()
        value = Value(number, number, depth, varies, is_wide or (op == "load" and size > 4))
        result = None if op in {"store", "branch", "atomic"} else value
        self._scopes[depth].block.instructions.append(
            DraftInstruction(op, operands, result, statement, None if access is None else access.id, size)
        )
        return value

    def _new(self, depth: int, varies: bool, is_wide: bool = False) -> Value:
        number = self._fresh()
        return Value(number, number, depth, varies, is_wide)

    def _fresh(self) -> int:
        self._next += 1
        return self._next - 1

    def _unite(self, register: Value, value: Value) -> None:
        """Let a variable and its next value share a register, unless the value already has another variable's."""
        if value.number >= 0 and value.number != register.number and value.number not in self.same:
            self.same[value.number] = register.number

    def _bounds_vary(self, loop: Loop) -> bool:
        return loop.start is not None and any(self._scalar(name).varies for name in loop.start.symbols)

    def _assume(self, subject: str, text: str) -> None:
        self.assumptions.add(Assumption("call", subject, text))


def _evaluated(node: Expression) -> tuple[Expression, ...]:
    """Operands that cost something: a load's polynomial subscripts are its address, not computed apart."""
    if isinstance(node, Load):
        pairs = zip(node.access.subscripts, node.access.indices, strict=True)
        return tuple(subscript for subscript, index in pairs if index is None)
    return children(node)
