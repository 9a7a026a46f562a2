"""Pointers that only hand on among themselves what they held before the nest: `t = a; a = b; b = t` between time steps.

Where such a pointer leads differs from iteration to iteration, but what all of them lead to together is the same memory
in each: for caches they stand still, and what one of them is written through is written in all of that memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from warplens.analysis.ir.addresses import object_led_to
from warplens.analysis.ir.expression import (
    Access,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unknown,
)
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import ArrayObject, Assign, LoopNest, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import PointerTo


def circulating_objects(nest: LoopNest) -> tuple[frozenset[str], ...]:
    """Objects whose pointers change in the nest but lead to one of a few fixed places; together those that share them.

    Each setting of such a pointer, a variable or a member of one structure, gives it what a pointer of that kind holds,
    or one that the nest leaves alone; no step, no other value from memory, no call.
    """
    given = _values_given(nest)
    circulating = {name for name, values in given.items() if None not in values}
    while outside := {name for name in circulating if any(v in given and v not in circulating for v in given[name])}:
        circulating -= outside
    groups: list[set[str | None]] = []
    for name in sorted(circulating):
        joined = {name, *given[name]}
        joined.update(*(group for group in groups if group & joined))
        groups = [*(group for group in groups if not group & joined), joined]
    led_to = (frozenset(a.name for a in nest.arrays if _pointer(a) in group & circulating) for group in groups)
    return tuple(objects for objects in led_to if objects)


def _values_given(nest: LoopNest) -> dict[str, set[str | None]]:
    """Pointers that the nest sets, each with the pointers whose values it gets; None for any other value."""
    arrays = {array.name: array for array in nest.arrays}
    given: dict[str, set[str | None]] = {}
    for statement in walk_statements((nest.root,)):
        if isinstance(statement, Assign) and isinstance(statement.target.type, PointerTo):
            target = statement.target
            name = target.name if isinstance(target, ScalarRef) else _member(target)
            values = {None} if statement.operator else set(_copied(statement.value, arrays))
            if name is not None:
                given.setdefault(name, set()).update(values)
    return given


def _copied(value: Expression, arrays: Mapping[str, ArrayObject]) -> Iterator[str | None]:
    match value:
        case ScalarRef(name):
            yield name
        case Load(access):
            yield _member(access)
            if access.array in arrays:
                yield _pointer(arrays[access.array])
        case Cast(operand) | Unknown(reads=(operand,), is_pure=True):
            yield from _copied(operand, arrays)
        case Conditional(_, then, otherwise):
            yield from _copied(then, arrays)
            yield from _copied(otherwise, arrays)
        case Constant():  # a null pointer leads nowhere
            pass
        case Call(arguments=sources) if name := object_led_to(value):
            array = arrays.get(name)
            if array is not None:
                yield _pointer(array) if array.declared_in is None else None
            elif sources and c_name(name).isidentifier():  # nothing is reached through it
                for source in sources:
                    yield from _copied(source, arrays)
            else:
                yield None
        case _:
            yield None


def _member(access: Access) -> str | None:
    """A member of one structure, as its path; None for another place in memory."""
    is_one = all(index is not None and not index.terms for index in access.indices)
    return str(MemoryPath.of(access.array).member(access.member)) if is_one and access.member else None


def _pointer(array: ArrayObject) -> str:
    """The pointer that leads to an object: a variable, or the path of a member."""
    return str(MemoryPath.of(array.reached_by or array.name).without_arrows())
