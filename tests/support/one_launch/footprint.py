"""How many sectors or lines a set of threads and iterations touches through one array reference."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, inf, isinf, prod

from warplens.analysis.gpu.placement.walk import Counts, WalkGroup


def granules_touched(walk: Iterable[tuple[int, float]], span_bytes: int, granule_bytes: int) -> float:
    """Distinct granules (sectors or lines) of the addresses span + Σ stride·i, 0 <= i < count.

    `walk` holds (stride in bytes, count) per iterator. Strides are taken in increasing order: one that is no longer
    than the run so far (or than a granule) prolongs the run, a longer one repeats it in rows. A multiple of the rows'
    distance adds rows where it begins no later than they end: two loops that walk the same rows, as those of an image
    and of a filter, touch the rows of one after those of the other.
    Units: bytes; granules, an average over alignments where runs are not aligned to granules.
    Exact for rectangular walks through an array (row strides at least as long as the rows); an upper bound where
    repeated runs overlap otherwise.

    >>> granules_touched([(4, 32), (4096, 8)], 4, 32)
    32.0
    >>> granules_touched([(4, 32), (4096, 8), (4096, 3)], 4, 32)
    40.0
    """
    run, distance, rows, repeats, aligned = float(span_bytes), 0, 1.0, 1.0, True
    for stride, count in sorted((abs(stride), count) for stride, count in walk):
        if stride == 0 or count <= 1:
            continue
        if not distance and stride <= max(run, granule_bytes):
            run += stride * (count - 1)
        elif distance and stride % distance == 0 and stride // distance <= rows:
            rows += stride // distance * (count - 1)
        else:
            distance, rows, repeats = stride, count, repeats * rows
            aligned = aligned and stride % granule_bytes == 0
    if aligned:
        return ceil(run / granule_bytes) * repeats * rows
    return (run + granule_bytes - min(span_bytes, granule_bytes)) / granule_bytes * repeats * rows


def group_granules(group: WalkGroup, counts: Counts, granule_bytes: int) -> float:
    """Distinct sectors or lines that a group touches while the loops in `counts` run.

    Those of the box around all accesses, or of each for itself where these are fewer (copies of a loop's body that
    are an iteration of another loop's length apart). Iterations of a loop whose stride is not known touch different
    ones.
    """
    array_bytes = group.walks[0].whole_bytes
    whole = max(1.0, array_bytes if isinf(array_bytes) else -(-array_bytes // granule_bytes))
    levels = dict(group.levels)
    known = [
        (loop, stride, counts.get(loop, 1)) for loop, stride in group.strides.items() if stride and loop not in levels
    ]
    for loop, of_loop in levels.items():
        for level in of_loop:
            taken = min(counts.get(loop, 1), level.until or inf)
            known.append((loop, level.stride_bytes, max(1, ceil(taken / level.every))))
    box = [(stride, count + group.spread.get(loop, 0)) for loop, stride, count in known]
    touched = granules_touched(box, group.span_bytes, granule_bytes)
    if group.starts > 1:
        alone = granules_touched([(stride, count) for _, stride, count in known], group.size_bytes, granule_bytes)
        touched = min(touched, group.starts * alone)
    scattered = prod(counts.get(loop, 1) for loop, stride in group.strides.items() if stride is None)
    return min(whole, scattered * touched)
