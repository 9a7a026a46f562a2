"""What a loop's body may change: elements, scalars, or anything."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, walk_statements
from warplens.analysis.ir.types import CType
from warplens.analysis.workload.accesses.sites import has_unknown_effects
from warplens.analysis.workload.instructions.instruction_mix import size_bytes


@dataclass(frozen=True, slots=True)
class Written:
    """`iterators` are the counters of the loop and of the loops in it, `wide` the scalars of more than 32 bits.

    `plain` has a store of each array and type that is none of the atomic updates, over which compilers move loads.
    """

    stores: tuple[Access, ...]
    stores_by_array: Mapping[str, tuple[Access, ...]]
    plain: tuple[Access, ...]
    scalars: frozenset[str]
    wide: frozenset[str]
    iterators: frozenset[str]
    has_unknown_effects: bool


def written_in(loop: Loop, atomics: Collection[NodeId] = ()) -> Written:
    """Everything that one execution of the loop may write; `atomics` are the statements whose updates are atomic."""
    stores: list[Access] = []
    plain: dict[tuple[str, CType], Access] = {}
    scalars: set[str] = set()
    wide: set[str] = set()
    iterators = {loop.iterator}
    for statement in walk_statements(loop.body):
        if isinstance(statement, Assign):
            if isinstance(statement.target, Access):
                target = statement.target
                stores.append(target)
                if statement.id not in atomics:
                    plain.setdefault((target.array, target.type), target)
            else:
                scalars.add(statement.target.name)
                if size_bytes(statement.target.type) > 4:
                    wide.add(statement.target.name)
        elif isinstance(statement, Loop):
            iterators.add(statement.iterator)
    by_array: dict[str, list[Access]] = {}
    for store in stores:
        by_array.setdefault(store.array, []).append(store)
    return Written(
        tuple(stores),
        {array: tuple(found) for array, found in by_array.items()},
        tuple(plain.values()),
        frozenset(scalars - iterators),
        frozenset(wide - iterators),
        frozenset(iterators),
        has_unknown_effects(loop.body),
    )
