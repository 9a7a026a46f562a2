"""Arrays with one copy per iteration that the function wants after the loop: whether the last copy holds what is left.

It does where all iterations write the same elements, whatever values: then each element's last writer is the last
iteration.

Source: OpenMP 5.2, 5.4.5 (`lastprivate` of a list item that the last iteration does not assign is unspecified).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from warplens.analysis.dependence.conflicts.dependence import Finding
from warplens.analysis.dependence.scalars.privatization import are_elements_live_in
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, has_exact_bounds
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.source_names import c_name


def is_wanted_after(nest: LoopNest, name: str) -> bool:
    """Whether the file shows that what the nest leaves in an array is used."""
    return any(array.name == name and array.used_after for array in nest.arrays)


def is_read_behind(nest: LoopNest, loop: Loop, name: str, references: Iterable[Reference]) -> bool:
    """Whether statements of the nest read what a loop leaves in an array: not what was written there since."""
    outside = (r for r in references if r.variable == name and all(around.id != loop.id for around in r.place.loops))
    reads = [r.access for r in outside if r.access is not None and not r.is_write]
    return are_elements_live_in(nest, loop.id, reads)


def with_last_copy(finding: Finding, group: Iterable[Reference], level: int) -> Finding:
    """What copies of an array that is wanted after the loop come to."""
    writes = [r for r in group if r.is_write]
    if finding.kind != "private" or all(_is_same_in_all(write, level) for write in writes):
        return finding
    name = c_name(finding.variable)
    reason = f"`{name}` is used after the loop, and it is not known that its iterations write the same elements of it"
    return replace(finding, kind="unknown", reason=reason, blockers=tuple(dict.fromkeys(w.id for w in writes)))


def _is_same_in_all(write: Reference, level: int) -> bool:
    """Whether a write happens in all iterations of loop number `level`, to the same elements."""
    place, around = write.place, write.place.loops[level]
    inner = place.loops[level + 1 :]
    if not place.is_exact_for(level) or write.is_decided_by_data(level) or not all(map(has_exact_bounds, inner)):
        return False
    known = {d.name: d for d in (*write.definitions, *place.definitions)}
    bounds = [bound for loop in inner for bound in (*loop.limits, *(() if loop.start is None else (loop.start,)))]
    guards = [part for guard in place.guards for conjunction in guard for part in conjunction]
    names: list[str] = []
    for polynomial in (*write.positions, *bounds, *guards):
        if polynomial is None:
            return False
        names += polynomial.symbols
    met: set[str] = set()
    while names:
        name = names.pop()
        if name == around.iterator:
            return False
        if name not in met:
            met.add(name)
            names += known[name].symbols if name in known else ()
    return True
