"""What a program asks of those that run it: it is taken to run alone, as one process of one thread.

A GPU gets the work of one process, and of all its threads.
"""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.program.sizes.places import Place, any_element
from warplens.analysis.program.sizes.size_expression import Assumed, SizeExpression, Updated
from warplens.analysis.program.sizes.size_reader import SizeReader

_PROCESS = "one process is assumed"
_STORED = {"MPI_Comm_size": Assumed(1, _PROCESS), "MPI_Comm_rank": Assumed(0, _PROCESS)}
"""By the function that stores it behind its second argument."""
_DIVIDES = "MPI_Dims_create"
"""Stores behind its third argument how many processes there are along each dimension; the first is of how many."""


def of_one_process(name: str, given: Sequence[c_ast.Node], reader: SizeReader) -> tuple[Place, SizeExpression] | None:
    """The place in which a call stores how many processes there are, or which one this is; None for another call."""
    if name in reader.scope.own_functions:
        return None
    if name == _DIVIDES and len(given) == 3 and reader.constant(given[0]) in {None, 1}:
        first = reader.addressed(given[2])
        return None if first is None else (any_element(first), _of_dimension(first))
    value = _STORED.get(name)
    place = reader.pointed(given[1]) if value is not None and len(given) == 2 else None
    return None if value is None or place is None else (place, value)


def _of_dimension(first: Place) -> SizeExpression:
    """One, for the zero that stood there; of what a pointer leads to the functions that call know what stood there."""
    one = Assumed(1, _PROCESS)
    return one if first.kind == "target" else Updated(one)
