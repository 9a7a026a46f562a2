"""Writes that all store one value: `if (bad(x[i])) ok = 0;`, `seen[idx[i]] = 1`, `u[0][t] = u[1][t - 1]` for all i.

Their order doesn't matter. What is stored may be read from memory, if no iteration writes what is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile

from warplens.analysis.dependence.scalars.value_order import is_repeatable
from warplens.analysis.dependence.subscripts.affine_condition import expression_key
from warplens.analysis.dependence.subscripts.guarded_values import guarded_values
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, assigned_scalars, constant_symbols
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.expression import Access, Call, Cast, Expression, Load, ScalarRef, Unknown, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, LoopNest, walk_statements
from warplens.analysis.ir.types import is_volatile


def same_value_stores(
    nest: LoopNest, loop: Loop, group: Iterable[Reference], kept: AbstractSet[str]
) -> Mapping[NodeId, Reduction]:
    """By write, among references to one variable, the reduction that all writes of its value are.

    `kept` are the arrays that no iteration writes, and that are the same ones in all. Writes of what the loop changes
    are in none.
    """
    writes = {r.statement: r for r in group if r.is_write}
    assigns = [s for s in walk_statements(loop.body) if isinstance(s, Assign) and s.id in writes and not s.operator]
    changing, constant = _changing(loop), constant_symbols(nest)
    alike: dict[tuple[object, ...], list[NodeId]] = {}
    for assign, value in _values(loop, assigns):
        write = writes[assign.id]
        outer = takewhile(lambda around: around.id != loop.id, write.place.loops)
        fixed = constant.union(around.iterator for around in outer) - changing
        if _is_invariant(value, changing, {*kept, write.variable}, fixed):
            alike.setdefault((_value_key(value), *_bytes(write)), []).append(assign.id)
    found: dict[NodeId, Reduction] = {}
    for first, *others in alike.values():
        write = writes[first]
        same = Reduction(write.variable, "store", first, write.access is not None, others=tuple(others))
        found |= {writes[statement].id: same for statement in (first, *others)}
    return found


def same_value_store(
    nest: LoopNest, loop: Loop, group: Sequence[Reference], kept: AbstractSet[str]
) -> tuple[Reduction, ...]:
    """The reduction of all writes to a variable in the loop, empty if there is a read or their values may differ.

    `group` are all references to it in the loop, `kept` as before.
    """
    stores = same_value_stores(nest, loop, group, kept)
    found = tuple(dict.fromkeys(stores.values()))
    return found if len(found) == 1 and all(r.is_write and r.id in stores for r in group) else ()


def store_one_value(loop: Loop, assigns: Sequence[Assign]) -> bool:
    """Whether assignments in a loop all store the same, which nothing in the loop changes and no memory holds."""
    values = [value for _, value in _values(loop, assigns)]
    changing = _changing(loop)
    if any(s.operator for s in assigns) or not all(_is_invariant(value, changing) for value in values):
        return False
    return len({expression_key(value) for value in values}) == 1


def _values(loop: Loop, assigns: Sequence[Assign]) -> list[tuple[Assign, Expression]]:
    said = guarded_values(loop.body) if any(isinstance(s.value, ScalarRef) for s in assigns) else {}
    return [(s, said.get(s.id, s.value)) for s in assigns]


def _changing(loop: Loop) -> frozenset[str]:
    """Variables that have other values in other iterations, or within one."""
    loops = (loop, *(s for s in walk_statements(loop.body) if isinstance(s, Loop)))
    stepped = {name for each in loops for name in (each.iterator, *(i.name for i in each.inductions))}
    return assigned_scalars(loop.body) | stepped


def _value_key(value: Expression) -> tuple[object, ...]:
    """Equal for expressions that give the same value, with all that it is converted to on the way."""
    converted = tuple((at, node.type) for at, node in enumerate(walk(value)) if isinstance(node, Cast))
    return expression_key(value), converted


def _bytes(write: Reference) -> tuple[object, ...]:
    """What makes equal subscripts the same bytes."""
    layout = () if write.access is None else (write.access.element_bytes, write.access.extents[1:])
    return write.first_byte, write.size_bytes, layout


def _is_invariant(
    value: Expression,
    changing: AbstractSet[str],
    kept: AbstractSet[str] = frozenset(),
    fixed: AbstractSet[str] = frozenset(),
) -> bool:
    """Whether a value is the same in all iterations; `fixed` are the symbols of subscripts that are."""
    return not any(
        isinstance(node, Unknown)
        or (isinstance(node, Call) and not (node.is_math and is_repeatable(node)))
        or (isinstance(node, Load) and not (node.access.array in kept and _is_fixed(node.access, fixed)))
        or (isinstance(node, ScalarRef) and node.name in changing)
        for node in walk(value)
    )


def _is_fixed(access: Access, fixed: AbstractSet[str]) -> bool:
    """Whether it is one element; a subscript that is no polynomial is one by what it is made of."""
    return not is_volatile(access.type) and all(index is None or index.symbols <= fixed for index in access.indices)
