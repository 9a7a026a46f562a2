"""A read of all elements of an array, in place of one that data decides about: what holds for it holds for any of them.

An access stays in its array, as C demands (ISO C17 6.5.6): what an iteration gathers is among the elements there are.
"""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.dependence.subscripts.iteration_domain import Reference, constant_symbols
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import computed
from warplens.analysis.ir.types import LONG

_NO_NODE = -1


def whole_array(read: Reference, nest: LoopNest) -> Reference | None:
    """The read in loops over all elements; None where it is not known how many the array has.

    Shape: one loop for each dimension, inside of those around the read, which stands in them as before.
    """
    access = read.access
    if access is None or not access.extents:
        return None
    array = nest.array(read.variable)
    first = array.elements if access.extents[0] is None and len(access.extents) == 1 else access.extents[0]
    constant = constant_symbols(nest)
    extents = [extent for extent in (first, *access.extents[1:]) if extent is not None and extent.symbols <= constant]
    if len(extents) < len(access.extents) or len(extents) != len(read.positions):
        return None
    if access.element_bytes != array.element_bytes:
        return None
    loops = tuple(
        Loop(NodeId(_NO_NODE - depth), computed("element", depth), LONG, Polynomial(()), (extent,), 1, ())
        for depth, extent in enumerate(extents)
    )
    every = tuple(Polynomial.symbol(loop.iterator) for loop in loops)
    place = replace(read.place, loops=(*read.place.loops, *loops))
    return replace(read, indices=every, positions=every, definitions=(), place=place)
