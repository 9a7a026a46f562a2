"""Which loads stay behind an earlier store of a straight piece of code, an unrolled loop's copies included.

The assembler moves a load over a store that can't be to its address: of an array that is told apart (told_apart.py), or
of the same array where the two addresses differ by a constant. That constant has to be a number: rows of `m` elements
may have none (nvcc 13: `c[i*m + j] *= 2` in a loop over `i` is a load behind each store, `c[j*n + i] *= 2` 16 loads in
front of 16 stores). So do the subscripts of arrays that a thread has in registers: what it has in local memory is asked
for where a subscript is no polynomial.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, Statement, walk_statements
from warplens.analysis.workload.accesses.stride import stride_bytes
from warplens.analysis.workload.instructions.instruction_mix import size_bytes
from warplens.analysis.workload.thread_program.told_apart import ToldApart


@dataclass(frozen=True, slots=True)
class StoreOrder:
    """Of the accesses of a thread and the loops that it runs; `changing` are the scalars that it sets."""

    accesses: Mapping[NodeId, Access]
    loops: Mapping[NodeId, Loop]
    apart: ToldApart
    changing: frozenset[str]
    _found: dict[tuple[NodeId, NodeId, int, NodeId | None], bool] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        body: Iterable[Statement],
        accesses: Mapping[NodeId, Access],
        loops: Mapping[NodeId, Loop],
        apart: ToldApart,
    ) -> StoreOrder:
        """For the body of a thread."""
        targets = (one.target for one in walk_statements(tuple(body)) if isinstance(one, Assign))
        return cls(accesses, loops, apart, frozenset(t.name for t in targets if not isinstance(t, Access)))

    def waits(self, load: NodeId, store: NodeId, iterations: int = 0, loop: NodeId | None = None) -> bool:
        """Whether the load stays behind the store, which is of so many iterations of the loop before."""
        key = load, store, iterations, loop
        if key not in self._found:
            self._found[key] = self._waits(self.accesses.get(load), self.accesses.get(store), iterations, loop)
        return self._found[key]

    def _waits(self, load: Access | None, store: Access | None, iterations: int, loop: NodeId | None) -> bool:
        if load is None or store is None:
            return True
        if load.array != store.array:
            return self.apart.waits(load, store)
        if load.array in self.apart.own and None not in (*load.indices, *store.indices):
            return False
        return not self._differ(load, store, iterations, None if loop is None else self.loops.get(loop))

    def _differ(self, load: Access, store: Access, iterations: int, loop: Loop | None) -> bool:
        """Whether a number of bytes, more than either has, is between the two."""
        read, written = load.linear_index, store.linear_index
        if read is None or written is None or not self.changing.isdisjoint(read.symbols | written.symbols):
            return False
        apart_bytes = (written - read) * load.element_bytes + (store.member_offset_bytes - load.member_offset_bytes)
        if iterations and loop is not None:
            stride, other = stride_bytes(load, loop), stride_bytes(store, loop)
            if stride is None or stride != other:
                return False
            apart_bytes = apart_bytes - stride * iterations
        if not apart_bytes.is_constant:
            return False
        distance_bytes = apart_bytes.constant_term
        return distance_bytes >= size_bytes(load.type) or distance_bytes <= -size_bytes(store.type)
