"""What the models' equations are written over: a number of one launch, or a column with one per launch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.launch.launches import Column, Table

Quantity = float | Column


def quotient(numerator: Quantity, denominator: Quantity, otherwise: Quantity = 0.0) -> Column:
    """Return numerator / denominator, `otherwise` where the denominator is not above zero.

    >>> quotient(6.0, np.array([3.0, 0.0]), np.inf).tolist()
    [2.0, inf]
    """
    is_positive = np.greater(denominator, 0)
    return np.where(is_positive, numerator / np.where(is_positive, denominator, 1.0), otherwise)


def weighted(table: Table, weights: Column) -> Column:
    """Return the weighted sum of each row.

    Not `@`: that starts the threads of a matrix library, which takes longer than the product.
    """
    total: Column = np.einsum("ij,j->i", table, weights)
    return total


def only(quantity: Quantity | NDArray[np.int64]) -> float:
    """Return the value of the only launch."""
    return float(np.ravel(quantity)[0])
