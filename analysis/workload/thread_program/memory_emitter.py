"""A thread's accesses: addresses, loads that are made once, and what a store makes stale."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.thread_program.changed_in_body import Written
from warplens.analysis.workload.thread_program.draft import Value
from warplens.analysis.workload.thread_program.emitter import Emitter
from warplens.analysis.workload.thread_program.promotion import MOST_COMPARED, overlaps
from warplens.analysis.workload.thread_program.told_apart import ToldApart


class MemoryEmitter(Emitter):
    """Adds what names stand for (`env`), which elements are in registers (`promoted`, by identity), and `addresses`.

    `addresses` has, by the register of an address, an access at it; `apart` says which arrays are told apart.
    """

    def __init__(self, env: dict[str, Value], apart: ToldApart, *, on_gpu: bool = False) -> None:
        super().__init__(on_gpu=on_gpu)
        self.apart = apart
        self.env = env
        self.promoted: dict[Hashable, Value] = {}
        self.addresses: dict[int, Access] = {}

    def scalar(self, name: str) -> Value:
        """What a name stands for; a scalar that nothing here assigned is known at launch."""
        found = self.env.get(name)
        return found if found is not None else Value(-1, ("scalar", name), 0, False, is_constant=True)

    def memory_key(self, access: Access, gathered: tuple[Value, ...] = ()) -> Hashable:
        """Identity of the element that an access names, as long as nothing it depends on changes."""
        return self.keyed(access, access.indices, gathered)

    def keyed(self, access: Access, indices: tuple[Polynomial | None, ...], gathered: tuple[Value, ...]) -> Hashable:
        """Identity of the element at other subscripts."""
        names = frozenset().union(*(index.symbols for index in indices if index is not None))
        held = tuple((name, self.env[name].key) for name in sorted(names) if name in self.env)
        terms = tuple(None if index is None else index.terms for index in indices)
        return (access.array, access.member, terms, held, tuple(value.key for value in gathered))

    def address(self, access: Access, gathered: tuple[Value, ...], statement: NodeId) -> tuple[Hashable, Value]:
        """Identity of the element, and the register of its address: neighbours at constant distance share one."""
        key = self.memory_key(access, gathered)
        indices = tuple(None if i is None else i - i.constant_term for i in access.indices)
        names = frozenset().union(*(index.symbols for index in indices if index is not None))
        operands = (*gathered, *(self.env[name] for name in sorted(names) if name in self.env))
        if not operands and not names:
            return key, Value(-1, ("base", access.array), 0, False, True)
        base_key = self.keyed(replace(access, member=""), indices, gathered)
        address = self.pure("int_mad", operands, ("address", base_key), statement, is_wide=True)
        self.addresses.setdefault(address.number, access)
        return key, address

    def load(self, access: Access, key: Hashable, address: Value, statement: NodeId) -> Value:
        """Value of an element: from its register, an earlier load, or a load as far outside as stores allow."""
        promoted = self.promoted.get(key)
        if promoted is not None:
            return promoted
        for scope in self.scopes:
            if key in scope.memory:
                return scope.memory[key][0]
        depth = max(address.depth, self.floor)
        for level in range(depth + 1, len(self.scopes)):
            written = self.scopes[level].written
            if written is not None and (written.has_unknown_effects or _may_change(written, access, self.apart)):
                depth = level
        value = self.emit(depth, "load", (address,), statement, address.varies, access)
        held = self.scopes[depth].memory
        held[key] = (value, access)
        if len(held) > MOST_COMPARED:
            del held[next(iter(held))]
        return value

    def forget(self, written: Access, *, is_atomic: bool = False) -> None:
        """Drop what was loaded from anything that this store may have changed; atomic updates leave other arrays."""
        for scope in self.scopes:
            for key in [k for k, (_, access) in scope.memory.items() if self._may_hold(written, access, is_atomic)]:
                del scope.memory[key]

    def _may_hold(self, written: Access, access: Access, is_atomic: bool) -> bool:
        if written.array == access.array:
            return overlaps(written, access)
        return not is_atomic and self.apart.may_meet(written, access)

    def forget_all_memory(self) -> None:
        """Drop all that was loaded."""
        for scope in self.scopes:
            scope.memory.clear()


def _may_change(written: Written, access: Access, apart: ToldApart) -> bool:
    """Whether the loop's stores may change the element; so many that nobody compares them may."""
    stores = written.stores_by_array.get(access.array, ())
    if len(stores) > MOST_COMPARED or any(overlaps(store, access) for store in stores):
        return True
    return any(store.array != access.array and apart.may_meet(store, access) for store in written.plain)
