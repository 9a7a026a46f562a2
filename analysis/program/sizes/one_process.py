"""What a program asks of those that run it: it is taken to run alone, as one process of one thread.

A GPU gets the work of one process, and of all its threads.
"""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.program.sizes.places import Place
from warplens.analysis.program.sizes.size_expression import Assumed
from warplens.analysis.program.sizes.size_reader import SizeReader

_PROCESS = "one process is assumed"
_STORED = {"MPI_Comm_size": Assumed(1, _PROCESS), "MPI_Comm_rank": Assumed(0, _PROCESS)}
"""By the function that stores it behind its second argument."""


def of_one_process(name: str, given: Sequence[c_ast.Node], reader: SizeReader) -> tuple[Place, Assumed] | None:
    """The place in which a call stores how many processes there are, or which one this is; None for another call."""
    value = _STORED.get(name)
    if value is None or name in reader.scope.own_functions or len(given) != 2:
        return None
    place = reader.pointed(given[1])
    return None if place is None else (place, value)
