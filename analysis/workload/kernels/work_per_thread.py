"""How a thread's registers and requests grow with the outputs that it has along each grid loop."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import mul
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Variation, blocks
from warplens.analysis.ir.ids import NodeId

Number = TypeVar("Number", float, NDArray[np.float64])
"""Outputs along an axis: of one launch, or of several as a column."""


def registers_needed(kernel: Kernel, outputs: Sequence[int]) -> int:
    """Registers alive together in a thread with so many outputs along x, y, z, in source order; at least 1.

    Equation: the largest sum, over the rows of `Kernel.live_by_axes`, of a count times the outputs along its axes.
    """
    if all(each == 1 for each in outputs) or not kernel.live_by_axes:
        return max(1, kernel.register_pressure)
    return _largest(kernel.live_by_axes, outputs)


def registers_in_flight(kernel: Kernel, outputs: Sequence[int]) -> int:
    """The same where a block's loads, or those of all copies of an unrolled loop, are issued together; at least 1."""
    return _largest(kernel.live_together_by_axes, outputs)


def registers_hoisted(kernel: Kernel, outputs: Sequence[int]) -> int:
    """The same where the loads of a loop's body, as it is in the source, are issued before the rest; at least 1."""
    return _largest(kernel.live_hoisted_by_axes, outputs)


def _largest(rows: Sequence[Sequence[int]], outputs: Sequence[int]) -> int:
    # Outputs along each set of axes: the same for all rows.
    along = [
        prod(each for axis, each in enumerate(outputs) if axes >> axis & 1)
        for axes in range(max(map(len, rows), default=0))
    ]
    return max(1, *(sum(map(mul, row, along)) for row in rows)) if rows else 1


def times_run(variation: Variation, axes: Sequence[NodeId], outputs: Sequence[Number], one: Number) -> Number:
    """How often a thread with so many outputs along each of `axes` runs an instruction that varies so.

    Equation: the product, over the axes along which it varies, of F outputs, or F - shared · max(0, F - apart) where
    there is a window. On numbers and on columns alike; `one` is 1 of their kind.
    Source: windows.py. Assumes, of average outputs that are no whole numbers: the same equation.
    """
    total = one
    windows = {window.axis: window for window in variation.windows}
    for axis, along in zip(axes, outputs, strict=False):
        if axis in windows:
            beyond = along - windows[axis].apart
            total = total * (along - windows[axis].shared * (beyond + abs(beyond)) / 2)
        elif axis in variation.varies:
            total = total * along
    return total


def varying_accesses(kernel: Kernel) -> dict[NodeId, Variation]:
    """How each access varies along the grid loops: where several instructions make it, as all of them together do."""
    found: dict[NodeId, Variation] = {}
    for block, _ in blocks(kernel.program):
        for instruction in block.instructions:
            if instruction.access is not None:
                known = found.get(instruction.access, instruction.variation)
                kept = tuple(window for window in known.windows if window in instruction.windows)
                found[instruction.access] = Variation(known.varies | instruction.varies, kept)
    return found
