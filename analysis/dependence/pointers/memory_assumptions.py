"""What an answer about a loop takes for granted of the memory that the loop touches."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from warplens.analysis.dependence.pointers.aliasing import alias_assumptions, row_assumptions
from warplens.analysis.dependence.pointers.value_aliasing import value_assumptions
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, constant_symbols
from warplens.analysis.facts.calls.call_assumptions import call_assumptions
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import told


def memory_assumptions(
    nest: LoopNest, loop: Loop, inside: Iterable[Reference], tables: Collection[str] = ()
) -> tuple[Assumption, ...]:
    """Of aliases, of calls and of subscripts that stay in their rows; `inside` are the references in the loop.

    `tables` are arrays whose elements are told apart by what is said of their values.
    """
    accesses = [(r, r.access) for r in inside if r.access is not None]
    written = {reference.variable for reference, _ in accesses if reference.is_write}
    accessed = {reference.variable for reference, _ in accesses}
    found = [
        *alias_assumptions(nest, accessed, written),
        *value_assumptions(nest, loop, accessed, written),
        *row_assumptions(nest, written),
        *call_assumptions(loop),
    ]
    for name in sorted(written | accessed.intersection(tables)):
        group = [reference for reference, _ in accesses if reference.variable == name]
        conditions = [
            condition
            for reference, access in accesses
            if reference.variable == name
            for condition in (*access.conditions, *access.row_conditions)
        ]
        if conditions and not _moves_in_one_dimension(nest, loop, group):
            text = "The subscripts of `{}` are assumed to stay in their rows: {}."
            found += (
                Assumption("bounds", name, text.format(c_name(name), told(condition))) for condition in conditions
            )
    return tuple(dict.fromkeys(found))


def _moves_in_one_dimension(nest: LoopNest, loop: Loop, group: list[Reference]) -> bool:
    """Whether equal elements have equal subscripts, rows left or not: all but one are the same in all iterations."""
    first = group[0].access
    if first is None or len({(r.first_byte, r.access.extents[1:]) for r in group if r.access is not None}) != 1:
        return False
    fixed = constant_symbols(nest) | _around(loop, group[0])
    moving = []
    for dimension, positions in enumerate(zip(*(r.indices for r in group), strict=True)):
        position = positions[0]
        if len(set(positions)) > 1 or position is None or not position.symbols <= fixed:
            moving.append(dimension)
    extents = first.extents[moving[0] + 1 :] if len(moving) == 1 else ()
    return len(moving) <= 1 and all(e is not None and e.is_constant and e.constant_term > 0 for e in extents)


def _around(loop: Loop, reference: Reference) -> frozenset[str]:
    """Iterators of the loops around this one."""
    loops = reference.place.loops
    level = next((depth for depth, lp in enumerate(loops) if lp.id == loop.id), 0)
    return frozenset(lp.iterator for lp in loops[:level]) - {lp.iterator for lp in loops[level:]}


def copy_assumptions(nest: LoopNest, private: Iterable[str]) -> tuple[Assumption, ...]:
    """What has to be true of an array of the function, and done, if each iteration has a copy of its own.

    That nobody wants it after the loop, or only what the last iteration writes; that pointers set before the loop are
    led into the copies.
    """
    local = {array.name: array for array in nest.arrays if array.scope in {"local", "parameter"}}
    found = []
    for name in sorted(local.keys() & frozenset(private)):
        older = [f"`{c_name(pointer)}`" for pointer, array in nest.older_pointers if array == name]
        led = f"{', '.join(older)} must lead into it, and " if older else ""
        after = "what it holds after the loop is assumed not to be used."
        if local[name].used_after:
            after = "as it is used after the loop, what the last one writes must be kept."
        text = f"`{c_name(name)}` gets one copy per iteration: {led}{after}"
        found.append(Assumption("context", name, text))
    return tuple(found)
