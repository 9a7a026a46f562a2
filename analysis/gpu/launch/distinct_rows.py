"""Rows of integer columns that occur, each once: what is computed for one of them holds for all that are equal."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


def distinct_rows(columns: Sequence[Integers]) -> tuple[Integers, Integers]:
    """Index of the first of each set of equal rows, and for each row which set it is in.

    Shape: columns of equal length, no negative entries.

    >>> first, which = distinct_rows([np.array([4, 8, 4]), np.array([1, 1, 1])])
    >>> first.tolist(), which.tolist()
    ([0, 1], [0, 1, 0])
    """
    if len(columns[0]) < 2:
        itself = np.zeros(len(columns[0]), dtype=np.int64)
        return itself, itself
    radices = [int(column.max()) + 1 for column in columns]
    if prod(radices) < 2**63:
        key = np.zeros(len(columns[0]), dtype=np.int64)
        for column, radix in zip(columns, radices, strict=True):
            key = key * radix + column
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, which = np.unique(np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True)
    return first, which.reshape(-1)
