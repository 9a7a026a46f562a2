"""The array section of a map clause, as C text with names that are in scope above the nest."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.advice.naming import c_name
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import ArrayObject, LoopNest, loops_of
from warplens.analysis.ir.polynomial import Polynomial


class SectionRefusedError(Exception):
    """The section can't be named; the message says why in the source's terms."""


def map_section(nest: LoopNest, array: ArrayObject, accesses: Sequence[Access]) -> str:
    """`a[0:n*m]` for a pointer, `A` for a declared array (mapped whole), `A[0:n][0:m]` for a row pointer.

    The outermost dimension runs from 0 to the largest index that any of the accesses reaches.
    Raises SectionRefusedError when that index is not a polynomial of names known above the nest.
    """
    if not array.is_pointer and array.scope != "parameter" and None not in array.extents:
        return c_name(array.name)
    if "." in array.name or "->" in array.name:
        raise SectionRefusedError(f"`{array.name}` is reached through a structure: mapping it needs a deep copy")
    if any(access.conditions for access in accesses) or not accesses:
        raise SectionRefusedError(f"how far `{array.name}` reaches depends on conditions that are not proved")
    upper = none_yet = Polynomial.constant(-1)
    for access in accesses:
        if any(coefficient < 0 for _, coefficient in _extreme(nest, access, largest=False).terms):
            raise SectionRefusedError(f"`{access.written}` may reach below the start of `{array.name}`")
        candidate = _extreme(nest, access, largest=True)
        difference = candidate - upper
        if upper == none_yet or all(coefficient > 0 for _, coefficient in difference.terms):
            upper = candidate
        elif any(coefficient > 0 for _, coefficient in difference.terms):
            raise SectionRefusedError(f"the bounds of `{array.name}` can't be compared: {upper} and {candidate}")
    inner = [_known(array, extent) for extent in accesses[0].extents[1:]]
    if len(array.extents) > 1:
        return f"{c_name(array.name)}[0:{_c(upper + 1)}]" + "".join(f"[0:{_c(extent)}]" for extent in inner)
    length = upper + 1
    for extent in inner:
        length = length * extent
    return f"{c_name(array.name)}[0:{_c(length)}]"


def _extreme(nest: LoopNest, access: Access, *, largest: bool) -> Polynomial:
    """Largest or smallest outermost index over the iteration space, in names known above the nest."""
    index = access.indices[0]
    if index is None:
        raise SectionRefusedError(f"how far `{access.written}` reaches is decided at run time")
    loops = {loop.iterator: loop for loop in reversed(loops_of(nest))}
    for name, loop in loops.items():
        coefficient = index.coefficient(name)
        if not coefficient.terms:
            continue
        if loop.start is None or len(loop.limits) != 1 or not coefficient.is_constant:
            raise SectionRefusedError(f"how far `{access.written}` reaches is not known from the bounds")
        rises = (coefficient.constant_term > 0) == (loop.step > 0)
        last = loop.limits[0] - (1 if loop.step > 0 else -1)
        index = index.substitute({name: last if rises == largest else loop.start})
    if not index.symbols <= set(nest.parameters) - {d.name for d in nest.derived}:
        raise SectionRefusedError(
            f"how far `{access.written}` reaches can't be written with names known above the loop"
        )
    return index


def _known(array: ArrayObject, extent: Polynomial | None) -> Polynomial:
    if extent is None:
        raise SectionRefusedError(f"the row length of `{array.name}` is not known")
    return extent


def _c(polynomial: Polynomial) -> str:
    return "".join(str(polynomial).split())
