"""Elements in a row that loops touch as a matrix, `t[i*m + j]`, as one range: a row of as many may read them then.

A product of sizes says how many there are only where no size is negative: two of them would have a product too. Where
one of them is below one nothing is written: of memory in which nothing was before the nest there is nothing to read.

Source: Creusillet, Irigoin, Interprocedural array region analyses, LCPC 1995 (exact regions, their union here).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from warplens.analysis.dependence.conflicts.whole_array import whole_array
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, constant_symbols, has_exact_bounds
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import stated_name
from warplens.analysis.ir.symbol import computed
from warplens.analysis.ir.types import LONG

_NO_NODE = -100


@dataclass(frozen=True, slots=True)
class _Range:
    """A reference in one loop over all elements that it touches, and how often each loop that this replaces runs."""

    reference: Reference
    lengths: frozenset[Polynomial]


def is_written_as_range(
    read: Reference, writes: Sequence[Reference], solver: ConflictSolver, level: int, nest: LoopNest
) -> bool:
    """Whether each element that a read touches is written before in its iteration, seen as ranges.

    `writes` are all of the array in the loop. Raises TooComplexError.
    """
    if not writes or not all(write.place.is_exact_for(level) for write in writes):
        return False
    if stated_name(read.variable) not in nest.work:
        return False
    constant = constant_symbols(nest)
    keep = max(level + 1, *(_shared_loops(read, write) for write in writes))
    written = [_range(write, keep, constant) for write in writes]
    ranges = [one for one in written if one is not None]
    if len(ranges) < len(writes) or len({one.lengths for one in ranges}) != 1:
        return False
    asked = _asked(read, keep, constant, nest)
    if asked is None:
        return False
    at_least_one = tuple(((length - 1,),) for length in sorted(ranges[0].lengths, key=str))
    place = replace(asked.place, guards=(*asked.place.guards, *at_least_one))
    return solver.is_written_before(replace(asked, place=place), [one.reference for one in ranges], level)


def _asked(read: Reference, keep: int, constant: frozenset[str], nest: LoopNest) -> Reference | None:
    """The read as a range; one that data decides about as the whole array."""
    if None in read.positions or read.definitions:
        whole = whole_array(read, nest)
        return None if whole is None or len(whole.positions) != 1 else _in_one_row(whole, whole.positions[0])
    found = _range(read, keep, constant)
    return None if found is None else found.reference


def _range(reference: Reference, keep: int, constant: frozenset[str]) -> _Range | None:
    """The reference with one loop in place of those inside of the `keep` outermost; None where gaps may be left."""
    access, place = reference.access, reference.place
    if access is None or access.member or reference.definitions or place.guards or None in reference.positions:
        return None
    linear = access.linear_index
    loops = place.loops[keep:]
    names = frozenset(loop.iterator for loop in loops)
    if linear is None or linear.degree_in(names) > 1 or reference.size_bytes != access.element_bytes:
        return None
    around = constant | {loop.iterator for loop in place.loops[:keep]}
    lengths: dict[str, Polynomial] = {}
    for loop in loops:
        if loop.start is None or len(loop.limits) != 1 or loop.step != 1 or not has_exact_bounds(loop):
            return None
        length = loop.limits[0] - loop.start
        if not length.symbols <= constant or not loop.start.symbols <= around:
            return None
        lengths[loop.iterator] = length
    steps = {name: linear.coefficient(name) for name in names}
    total = Polynomial.constant(1)
    left = {name for name in names if steps[name].terms}
    while left:
        following = next((name for name in sorted(left) if steps[name] == total), None)
        if following is None:
            return None
        total = total * lengths[following]
        left.discard(following)
    first = linear.substitute({loop.iterator: loop.start for loop in loops if loop.start is not None})
    number = NodeId(_NO_NODE - 2 * reference.id - reference.is_write)
    over = Loop(number, computed("range", reference.id), LONG, Polynomial(()), (total,), 1, ())
    at_least_one = tuple(((length - 1,),) for length in lengths.values())
    inside = replace(place, loops=(*place.loops[:keep], over), guards=at_least_one)
    row = _in_one_row(replace(reference, place=inside), first + Polynomial.symbol(over.iterator))
    return _Range(row, frozenset(lengths.values()))


def _in_one_row(reference: Reference, index: Polynomial | None) -> Reference:
    access = reference.access
    row = (
        None if access is None else replace(access, indices=(index,), subscripts=access.subscripts[:1], extents=(None,))
    )
    return replace(reference, indices=(index,), positions=(index,), access=row)


def _shared_loops(first: Reference, second: Reference) -> int:
    both = zip(first.place.loops, second.place.loops, strict=False)
    ends = min(len(first.place.loops), len(second.place.loops))
    return next((depth for depth, (a, b) in enumerate(both) if a.id != b.id), ends)
