"""Placing instructions: each goes to the outermost level of the program where its operands are known, once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from warplens.analysis.facts.program import OP_CLASSES, MemoryOp, OpClass
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.types import CType
from warplens.analysis.workload.instructions.instruction_mix import size_bytes
from warplens.analysis.workload.thread_program.changed_in_body import Written
from warplens.analysis.workload.thread_program.draft import DraftBlock, DraftInstruction, DraftRegion, Value

OF_EACH_THREAD = frozenset(
    op for op in OP_CLASSES if op.startswith("fp") or op in {"convert", "convert64", "compare64"}
)
"""Operations that no uniform datapath has."""


@dataclass(slots=True)
class Scope:
    """A level of the program: the thread, a loop's body or a side of a branch."""

    regions: list[DraftRegion] = field(default_factory=list)
    block: DraftBlock = field(default_factory=DraftBlock)
    table: dict[Hashable, Value] = field(default_factory=dict)
    memory: dict[Hashable, tuple[Value, Access]] = field(default_factory=dict)
    written: Written | None = None
    """Set for a loop: what its body writes."""

    def flush(self) -> None:
        """Close the block: what follows comes after a loop or branch."""
        if self.block.instructions:
            self.regions.append(self.block)
            self.block = DraftBlock()


class Emitter:
    """The levels of a program under construction, innermost last.

    Code inside a side of a branch (from level `floor` on) is never moved out of it. `same` maps a register to the one
    it shares: a variable and its next value.
    """

    def __init__(self, *, on_gpu: bool = False) -> None:
        self.on_gpu = on_gpu
        self.assumptions: set[Assumption] = set()
        self.same: dict[int, int] = {}
        self.joined: dict[int, tuple[Value, ...]] = {}
        self.scopes = [Scope()]
        self.floor = 0
        self._next = 0
        self._known: dict[Hashable, int] = {}
        """Numbers of what is known at launch: it is named by them, or a name would hold all that it is made of."""

    def close(self) -> list[DraftRegion]:
        """All regions, once the last statement is done."""
        self.scopes[0].flush()
        return self.scopes[0].regions

    def chain(
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
        value = self.pure(steps[0], operands, key, statement, is_wide=wide)
        for step in range(1, len(steps)):
            value = self.pure(steps[step], (value,), ("step", step, identity), statement, is_wide=wide)
        return value

    def levels(
        self,
        steps: tuple[tuple[OpClass, int], ...],
        operands: tuple[Value, ...],
        key: tuple[Hashable, ...],
        statement: NodeId,
        type_: CType,
    ) -> Value:
        """Instructions in levels, each waiting for one of the level before; the first level waits for the operands.

        The last of a level is the one that is waited for.
        """
        wide = size_bytes(type_) > 4
        identity = (*key, *(operand.key for operand in operands))
        before, level, value = operands, 0, operands[0] if operands else None
        for place, (op, at) in enumerate(steps):
            if at != level and value is not None:
                before, level = (value,), at
            own = (*key, *(operand.key for operand in operands)) if place == 0 else ("step", place, identity)
            value = self.pure(op, before, own, statement, is_wide=wide, is_library=True)
        assert value is not None, "a function has at least one instruction"
        return value

    def pure(
        self,
        op: OpClass,
        operands: tuple[Value, ...],
        key: tuple[Hashable, ...],
        statement: NodeId,
        *,
        is_wide: bool = False,
        is_library: bool = False,
    ) -> Value:
        """Instruction without effect, placed in the outermost scope where its operands are known, once.

        Of what is known at launch a GPU's uniform datapath computes integers beside the others; anything else each
        thread computes for itself, as no compiler moves it to the host.
        """
        is_known = bool(operands) and all(operand.is_constant for operand in operands)
        if is_known and not (self.on_gpu and op in OF_EACH_THREAD):
            known = (op, *key, *(operand.key for operand in operands))
            number = self._known.setdefault(known, len(self._known))
            return Value(-1, ("known", number), 0, False, is_wide, is_constant=True)
        identity = (op, *key, *(operand.key for operand in operands))
        for scope in self.scopes:
            found = scope.table.get(identity)
            if found is not None:
                return found
        depth = max((operand.depth for operand in operands), default=0)
        depth = max(depth, self.floor)
        varies = any(operand.varies for operand in operands)
        value = self.emit(depth, op, operands, statement, varies, is_wide=is_wide, is_library=is_library)
        self.scopes[depth].table[identity] = value
        return value

    def remember(self, what: str, operands: tuple[Value, ...], value: Value) -> None:
        """Note a value that others of the same operands are made of."""
        self.scopes[value.depth].table[(what, *(operand.key for operand in operands))] = value

    def known_value(self, what: str, operands: tuple[Value, ...]) -> Value | None:
        """A value noted before, if it is in reach."""
        identity = (what, *(operand.key for operand in operands))
        return next((scope.table[identity] for scope in self.scopes if identity in scope.table), None)

    def here(
        self,
        op: OpClass | MemoryOp,
        operands: tuple[Value, ...],
        statement: NodeId,
        access: Access | None = None,
    ) -> Value:
        """Place an instruction where control is now."""
        return self.emit(len(self.scopes) - 1, op, operands, statement, False, access)

    def emit(
        self,
        depth: int,
        op: OpClass | MemoryOp,
        operands: tuple[Value, ...],
        statement: NodeId,
        varies: bool,
        access: Access | None = None,
        *,
        is_wide: bool = False,
        is_library: bool = False,
    ) -> Value:
        """Place an instruction at the end of the open block of a level."""
        size = 4 if access is None else size_bytes(access.type)
        number = self.fresh()
        value = Value(number, number, depth, varies, is_wide or (op == "load" and size > 4))
        result = None if op in {"store", "branch", "atomic"} else value
        self.scopes[depth].block.instructions.append(
            DraftInstruction(
                op, operands, result, statement, None if access is None else access.id, size, is_library=is_library
            )
        )
        return value

    def new_value(self, depth: int, varies: bool, is_wide: bool = False) -> Value:
        """A register without an instruction: a variable where control flow joins."""
        number = self.fresh()
        return Value(number, number, depth, varies, is_wide)

    def join(self, register: Value, *values: Value) -> None:
        """Note what may be in a variable's register where control joins."""
        self.joined[register.number] = (*self.joined.get(register.number, ()), *values)

    def fresh(self) -> int:
        """Number of the next register."""
        self._next += 1
        return self._next - 1

    def unite(self, register: Value, value: Value) -> None:
        """Let a variable and its next value share a register, unless the value already has another variable's."""
        if value.number >= 0 and value.number != register.number and value.number not in self.same:
            self.same[value.number] = register.number

    def assume(self, subject: str, text: str) -> None:
        """Note something taken for granted about a call or an expression."""
        self.assumptions.add(Assumption("call", subject, text))
