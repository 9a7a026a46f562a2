"""Threads of a warp as iterator values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.placement.grid_extents import loops_in_thread_order

Lanes = NDArray[np.int64]

_FAR_ELEMENTS = tuple(2**12 * (2 ** (16 + 12 * axis) + 1) for axis in range(3))
"""Along x, y and z: whole lines whatever an element's size is, and no sum of coordinates in a block meets another."""


def iterator_values(kernel: Kernel, iterations: Lanes, sizes: Mapping[str, int]) -> dict[str, Lanes]:
    """Values of the grid iterators for coordinates in the grid (`WarpRows.iterations`).

    What data adds to a subscript has one too, where grid loops change it: a number of lines, far from that of any other
    coordinate along those loops (Resios ch. 6: an unknown stride is one transaction per thread).
    """
    loops = loops_in_thread_order(kernel)
    values = {
        loop.iterator: wrapped(loop.start.evaluate(_known(loop.start.symbols, sizes))) + loop.step * iterations[axis]
        for axis, loop in enumerate(loops)
    }
    for name, moved_by in (unknown for facts in kernel.accesses for unknown in facts.unknown):
        axes = [axis for axis, loop in enumerate(loops) if loop.loop in moved_by]
        if axes:
            values[name] = sum(_FAR_ELEMENTS[axis] * iterations[axis] for axis in axes)
    axis_of = {loop.loop: axis for axis, loop in enumerate(loops)}
    for part in (part for facts in kernel.accesses for part in facts.parts if part.loop in axis_of):
        counted = iterations[axis_of[part.loop]]
        counted = counted % part.until if part.until else counted
        values[part.symbol] = counted * part.per // part.every
    return values


def wrapped(value: int) -> int:
    """Value modulo 2^64 as a signed number: distances and alignment of addresses stay right for any problem size."""
    return (value + 2**63) % 2**64 - 2**63


def _known(symbols: frozenset[str], sizes: Mapping[str, int]) -> dict[str, int]:
    """Values of the symbols; iterators of loops around the kernel and of other grid loops stand at 0."""
    return {name: sizes.get(name, 0) for name in symbols}
