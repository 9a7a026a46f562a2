"""Which arrays of a nest may overlap, and what is assumed of those that may.

Not modelled: pointers stored in memory that the nest changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Assign, Loop, LoopNest, ScalarObject, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.type_aliasing import types_may_alias
from warplens.analysis.ir.types import CType, PointerTo, Scalar, StructOf


def alias_assumptions(nest: LoopNest, accessed: Iterable[str], written: Iterable[str]) -> tuple[Assumption, ...]:
    """One assumption per pair of accessed arrays that C allows to overlap, at least one of them written."""
    objects = {array.name: array for array in nest.arrays}
    changed = frozenset(written)
    found = []
    for left, right in combinations(sorted(frozenset(accessed) & objects.keys()), 2):
        if (left in changed or right in changed) and may_overlap(objects[left], objects[right]):
            found.append(overlap_assumption(objects[left], objects[right]))
    return tuple(found)


def may_overlap(left: ArrayObject, right: ArrayObject) -> bool:
    """Whether C lets the two objects share memory.

    Source: ISO C17 6.7.3.1 (restrict), 6.5 paragraph 7 (an object is accessed through its effective type or char).
    """
    pointers = [array for array in (left, right) if array.is_pointer]
    if not pointers or any(array.restrict for array in pointers):
        return False
    if left.is_allocated or right.is_allocated:
        return False
    for pointer, other in ((left, right), (right, left)):
        # What a caller passed can't point to this function's own objects.
        if not other.is_pointer and other.scope != "global" and pointer.scope == "parameter":
            return False
    return types_may_alias(left.element, right.element)


def shared_pairs(used: Iterable[ArrayObject], written: Iterable[str]) -> Iterator[tuple[ArrayObject, ArrayObject]]:
    """Objects of which one's pointer may have been set to lead into the other, at least one of them written."""
    changed = frozenset(written)
    for left, right in combinations(used, 2):
        is_met = right.name in left.may_point_into and (left.name in changed or right.name in changed)
        if is_met and types_may_alias(left.element, right.element):
            yield left, right


def scalars_in_memory(
    nest: LoopNest, assigned: Iterable[str], accessed: Iterable[str], written: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Scalars whose address is taken, each with an object of the nest that may be the scalar itself.

    `assigned` are the scalars that the loop sets, `accessed` the objects it reads or writes, `written` those it
    writes. A scalar that is also accessed as memory (`*p` with `p = &t`) is one, whoever sets it; else it is set here
    and a pointer of this function has its type, or a pointer that was set to its address is written through. A pointer
    that is older than the variable leads elsewhere.
    """
    changed, objects, stored = frozenset(assigned), frozenset(accessed), frozenset(written)
    found = []
    for scalar in nest.scalars:
        if not scalar.address_taken:
            continue
        for array in nest.arrays:
            if array.name not in objects:
                continue
            is_itself = array.name == scalar.name and not _is_behind(array, scalar)
            is_free = array.is_pointer and not (array.restrict or array.is_allocated)
            may_point = is_free and array.scope not in {"parameter", "body"} and not _is_older(array, scalar)
            is_changed = scalar.name in changed or (array.name in stored and scalar.name in array.may_point_into)
            if is_itself or (may_point and is_changed and _may_be(scalar.type, array.element)):
                found.append((scalar.name, array.name))
    return tuple(found)


def _may_be(variable: CType, target: CType) -> bool:
    """Whether a pointer to one type may lead to a variable of another: one to a struct leads to a whole struct."""
    if isinstance(target, StructOf) and not target.is_union and isinstance(variable, Scalar | PointerTo):
        return False
    return types_may_alias(variable, target)


def _is_behind(array: ArrayObject, scalar: ScalarObject) -> bool:
    """Whether the memory is what a pointer variable of that name leads to."""
    return isinstance(scalar.type, PointerTo) and array.is_pointer and bool(array.extents)


def _is_older(array: ArrayObject, scalar: ScalarObject) -> bool:
    """Whether a pointer of the function was set before the scalar came to life, in a loop, and stays as it was."""
    is_variable = array.scope == "local" and array.name.isidentifier() and array.declared_in is None
    stands = array.chosen_in is None and scalar.name not in array.may_point_into
    return is_variable and stands and scalar.declared_in is not None


def overlap_assumption(left: ArrayObject, right: ArrayObject) -> Assumption:
    """That two objects share no memory, said of their pointers."""
    why = "neither is `restrict`"
    if not (left.is_pointer and right.is_pointer):
        pointer = left if left.is_pointer else right
        why = f"`{c_name(pointer.name)}` is not `restrict`"
    one, other = c_name(left.name), c_name(right.name)
    if one == other:  # one name for two pointers, or for one at two places
        text = f"`{one}` is assumed to lead to other memory wherever else it is set or declared ({why})."
        return Assumption("alias", one, text)
    text = f"`{one}` and `{other}` are assumed not to overlap ({why})."
    return Assumption("alias", f"{one}, {other}", text, names=(one, other))


def row_assumptions(nest: LoopNest, written: Iterable[str]) -> tuple[Assumption, ...]:
    """One assumption per written array of pointers: `double **a` may hold the same row twice."""
    changed = frozenset(written)
    return tuple(
        Assumption(
            "alias", a.name, f"The rows of `{c_name(a.name)}` are assumed not to overlap (it is an array of pointers)."
        )
        for a in nest.arrays
        if a.name in changed and not a.rows_from and any(extent is None for extent in a.extents[1:])
    )


def overlapping_rows(nest: LoopNest, loop: Loop) -> Iterator[tuple[ArrayObject, NodeId]]:
    """Arrays of pointers, with a statement of each, of which the loop writes rows that are known to overlap.

    One row is no matter: where all accesses have the same subscripts before it, in all iterations.
    """
    rows: dict[str, set[tuple[Polynomial | None, ...]]] = {}
    nodes: dict[str, NodeId] = {}
    tables = {a.name: a for a in nest.arrays if a.rows_from}
    written = set()
    for statement in walk_statements((loop,)) if tables else ():
        for access in accesses_of(statement):
            if access.array in tables:
                extents = tables[access.array].extents
                row = max(at for at, extent in enumerate(extents) if extent is None)
                rows.setdefault(access.array, set()).add(access.indices[:row])
                nodes.setdefault(access.array, statement.id)
        if isinstance(statement, Assign) and isinstance(statement.target, Access):
            written.add(statement.target.array)
    fixed = frozenset(nest.parameters) | _iterators_around(nest, loop)
    for name, indices in rows.items():
        is_one = len(indices) == 1 and all(i is not None and i.symbols <= fixed for i in next(iter(indices)))
        if name in written and not is_one:
            yield tables[name], nodes[name]


def _iterators_around(nest: LoopNest, loop: Loop) -> frozenset[str]:
    inside = {one.iterator for one in walk_statements((loop,)) if isinstance(one, Loop)}
    everywhere = {one.iterator for one in walk_statements((nest.root,)) if isinstance(one, Loop)}
    return frozenset(everywhere - inside)
