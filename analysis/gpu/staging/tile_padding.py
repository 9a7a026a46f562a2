"""Elements to add to a tile's rows, so that the threads of a warp find them in different banks.

What is predicted and what the CUDA port writes both ask here.
Source: CUDA C++ Best Practices Guide, Shared Memory in Matrix Multiplication (C = AA^T): a tile of 32 + 1 columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.gpu.machine.gpu import SharedMemory
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import Tiles
from warplens.analysis.gpu.staging.bank_conflicts import Passes, StagedBox, passes_of

_MOST_PAD_ELEMENTS = 4


def padded(box: StagedBox, sized: SizedKernel, tiles: Tiles, shared: SharedMemory) -> StagedBox:
    """The box with the pads that have the fewest passes over all its accesses by a warp; the smallest of equals.

    Where all threads are in one row it gets none. Not modelled: copies that fill or empty the box, which go along rows.
    """
    iterators = {loop.iterator for loop in sized.kernel.grid}
    rows = (index for facts in box.accesses for index in facts.address.indices[:-1])
    if all(index is None or iterators.isdisjoint(index.symbols) for index in rows):
        return box
    passes = passes_of(box, sized, tiles, shared, merges=False)
    fewest, degrees = _total(passes), tuple(each.worst.copy() for each in passes)
    possible = len(box.accesses) * np.bincount(tiles.rows.shape_of_row)[tiles.shape_of_tile]
    conflicting = np.flatnonzero(fewest > possible)
    pads, fewest = box.pads.copy(), fewest[conflicting]
    some, of_some = tiles.take(conflicting), box.take(conflicting)
    for pad in range(1, _MOST_PAD_ELEMENTS + 1) if len(conflicting) else ():
        passes = passes_of(of_some.padded_by(np.full_like(of_some.pads, pad)), sized, some, shared, merges=False)
        better = _total(passes) < fewest
        pads[conflicting[better]] = pad
        fewest = np.minimum(fewest, _total(passes))
        for degree, each in zip(degrees, passes, strict=True):
            degree[conflicting[better]] = each.worst[better]
    return box.padded_by(pads, degrees)


def _total(passes: Sequence[Passes]) -> Column:
    """Over all accesses."""
    total: Column = np.sum([each.total for each in passes], axis=0)
    return total
