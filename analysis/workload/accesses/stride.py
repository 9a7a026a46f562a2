"""How far an access moves in memory per iteration of a loop."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from warplens.analysis.ir.expression import Access, ScalarRef, walk
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial


def stride_bytes(access: Access, loop: Loop, constants: Collection[str] = ()) -> Polynomial | None:
    """Byte distance between the addresses of neighbouring iterations, other iterators held.

    Units: bytes, a polynomial in parameters and, for `a[i*j]`, other iterators. None where it is not constant along the
    loop (`a[i*i]`) or not known (`a[idx[i]]`); zero where the address does not depend on the loop. `constants` are the
    symbols that do not change along this loop (parameters, other iterators): with them, a gathered subscript that names
    nothing else has stride zero.
    """
    linear = access.linear_index
    if linear is None:
        if _is_held(access, loop.iterator, constants):
            return Polynomial(())
        linear = _index_in_row(access, loop.iterator)
    if linear is None:
        return None
    slope = linear.coefficient(loop.iterator)
    if loop.iterator in slope.symbols:
        return None
    return slope * (loop.step * access.element_bytes)


def _index_in_row(access: Access, iterator: str) -> Polynomial | None:
    """Index in a row that is reached through a pointer and stays the same one along a loop; None where it doesn't."""
    rows = max((at for at, extent in enumerate(access.extents) if at and extent is None), default=0)
    outer = replace(access, subscripts=access.subscripts[:rows], indices=access.indices[:rows])
    if not rows or iterator in subscript_names(outer):
        return None
    return replace(access, indices=access.indices[rows:], extents=access.extents[rows:]).linear_index


def is_gathered(access: Access) -> bool:
    """Whether a subscript depends on memory or is not a polynomial."""
    return any(index is None for index in access.indices)


def _is_held(access: Access, iterator: str, constants: Collection[str]) -> bool:
    """Whether no symbol of the address can change along the loop."""
    names = subscript_names(access)
    return iterator not in names and all(name in constants for name in names)


def subscript_names(access: Access) -> frozenset[str]:
    """Scalars and iterators that the address depends on, loads in subscripts included."""
    written = (n.name for subscript in access.subscripts for n in walk(subscript) if isinstance(n, ScalarRef))
    return frozenset(written).union(*(index.symbols for index in access.indices if index is not None))
