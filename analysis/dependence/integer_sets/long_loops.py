"""Whether two statements meet for all sizes, or only for some: what a loop that is *carried* has to show.

A shift by ten, `a[i] = a[i - 10]`, meets nowhere in a loop of ten iterations, and still the loop is called carried:
all that its conflict needs is a loop that is long enough. `a[i] = a[i + m]` needs more, a relation between `m` and the
loop's size, and is not. The two are told apart by the sizes that have no conflict: there is a number K such that in
each of them some loop around the two statements runs at most K times. Where sizes without a conflict leave all loops
free to run as often as they like, no such number exists.

Where one subscript adds what two loops count, `b[64 * i + j]`, a row that ends before the next one begins is nothing
out of the ordinary: there K is one.

Loops of a constant number of iterations are as long as they get: none of them excuses sizes without a conflict.

Shape: `[n, m] -> { [d0, .., e] : x, y in domain, x before y at the loop }`, how far apart two iterations may be.
No isl object leaves this file but to the solvers that gave it one.
"""

from __future__ import annotations

import islpy as isl
from warplens.analysis.dependence.integer_sets.bounded_sets import BoundedSets
from warplens.analysis.dependence.integer_sets.pair_rows import PairRows


def meets_for_all_long_loops(meeting: isl.Set, rows: PairRows, sets: BoundedSets) -> bool:
    """Whether there is a conflict for all parameters with which both run in two iterations and each loop runs long.

    `meeting` are the points that meet, over the parameters. Raises TooComplexError, isl.Error.
    """
    sets.charge(meeting, 2)
    having = meeting.params()
    runs_twice = sets.points(rows.runs_twice()).params()
    sets.charge(runs_twice)
    if runs_twice.is_subset(having):
        return True
    question, mixed = rows.extents()
    extents = sets.points(question)
    dims = extents.dim(isl.dim_type.set)
    sets.charge(extents, 2 * dims)
    growing = [dim for dim in range(dims) if not _is_bounded(extents, dim)]
    if not growing:
        return False
    sets.charge(having)
    lacking = runs_twice.subtract(having)
    for sizes in lacking.get_basic_sets():
        part = extents.intersect_params(sizes.to_set())
        sets.charge(part, 2 * len(growing))
        if not any(_runs_once(part, dim) if mixed[dim] else _is_bounded(part, dim) for dim in growing):
            return False
    return True


def _is_bounded(extents: isl.Set, dim: int) -> bool:
    return bool(extents.dim_max_val(dim).is_int() and extents.dim_min_val(dim).is_int())


def _runs_once(extents: isl.Set, dim: int) -> bool:
    return bool(extents.dim_max_val(dim).is_zero() and extents.dim_min_val(dim).is_zero())
