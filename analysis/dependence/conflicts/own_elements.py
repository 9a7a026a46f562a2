"""Arrays of which each iteration of a loop writes elements of its own, where values in memory decide which they are.

`row[i] = count; while (..) column[count++] = ..` writes where a prefix sum over all rows says, `u[order[i]]` where a
table says; a file rarely shows that no two iterations meet there, whoever wrote the sums does know.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from warplens.analysis.dependence.subscripts.defined_values import DefinedValues
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, has_exact_bounds
from warplens.analysis.dependence.subscripts.quasi_affine import Lookup, Remainder, Share, Standing
from warplens.analysis.facts.verdict import LoopVerdict, Reduction
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import has_added


def objects_said(nest: LoopNest, said: AbstractSet[str]) -> frozenset[str]:
    """Objects of a nest that are named, by their own names or by those of the pointers to them in the source."""
    return frozenset(a.name for a in nest.arrays if a.name in said or (_is_led_to(a) and c_name(a.name) in said))


def _is_led_to(array: ArrayObject) -> bool:
    """Whether a pointer that a comment at the loop can name leads to an object without a name of its own."""
    return bool(array.reached_by) and not has_added(array.reached_by) and not array.is_of_called


def same_values(array: str, group: Iterable[Reference]) -> dict[NodeId, Reduction]:
    """By write what all are if those that write one element write one value."""
    writes = {r.id: r.statement for r in group if r.is_write}
    first, *others = dict.fromkeys(writes.values())
    same = Reduction(array, "store", first, is_array_element=True, others=tuple(others))
    return dict.fromkeys(writes, same)


def without_data(group: Iterable[Reference], level: int) -> list[Reference]:
    """References of which the file tells what they touch in an iteration of loop number `level`, if they run."""
    return [r for r in group if not _goes_by_data(r, level)]


def without_divisions(group: Iterable[Reference], level: int) -> list[Reference]:
    """References that follow from no division by a size in an iteration of loop number `level`."""
    return [r for r in group if not _is_divided(r, level)]


def data_decides_writes(array: str, references: Iterable[Reference], level: int) -> bool:
    """Whether the file can't tell which elements an iteration of loop number `level` writes, so somebody has to."""
    writes = [r for r in references if r.is_write and r.access is not None and r.variable == array]
    return len(without_data(writes, level)) < len(writes)


def sizes_divide_writes(array: str, references: Iterable[Reference], level: int) -> bool:
    """Whether what an iteration of loop number `level` writes follows from a division by a size.

    `row = i / n + m * (i % n)` may be any order of the rows or none: that is a fact of the sizes.
    """
    return any(_is_divided(r, level) for r in references if r.is_write and r.access is not None and r.variable == array)


def are_told_apart(array: str, references: Iterable[Reference]) -> bool:
    """Whether one table decides if an element is written and which one is read: `if (k[i] != i) x[i] = x[k[i]];`."""
    mine = [r for r in references if r.access is not None and r.variable == array]
    written = {r.positions for r in mine if r.is_write}
    asked = {lookup.array for r in mine if r.is_write for lookup in r.lookups}
    others = [r for r in mine if not r.is_write and r.positions not in written]
    return bool(others) and all(
        any(isinstance(d, Lookup) and d.array in asked for d in reference.definitions) for reference in others
    )


def only_written_twice(verdict: LoopVerdict) -> tuple[str, ...]:
    """Arrays in the way only because iterations may write the same elements, in the verdict of an undecided loop."""
    read = {d.variable for d in verdict.dependences if d.kind != "output"}
    return tuple(sorted({d.variable for d in verdict.dependences} - read - set(verdict.contested)))


def _is_divided(reference: Reference, level: int) -> bool:
    moving = {loop.iterator for loop in reference.place.loops[level:]}
    values = DefinedValues((*reference.place.definitions, *reference.definitions))
    behind = {name for p in reference.positions if p is not None for name in values.basis(p)}
    return any(
        isinstance(values.known.get(name), Remainder | Share)
        and not moving.isdisjoint(values.basis(Polynomial.symbol(name)))
        for name in behind
    )


def _goes_by_data(reference: Reference, level: int) -> bool:
    """Whether values in memory decide which element it touches; that they decide whether it does is another matter."""
    loops = {loop.iterator: loop for loop in reference.place.loops[level + 1 :]}
    moving = {reference.place.loops[level].iterator, *loops}
    known = {d.name: d for d in (*reference.definitions, *reference.place.definitions)}
    met: set[str] = set()
    names = [name for position in reference.positions if position is not None for name in position.symbols]
    while names:
        name = names.pop()
        if name in met:
            continue
        met.add(name)
        if name in loops:
            bounds = (*loops[name].limits, *(() if (start := loops[name].start) is None else (start,)))
            names += [symbol for bound in bounds for symbol in bound.symbols]
        elif name in known:
            names += known[name].symbols
    if None in reference.positions or any(not has_exact_bounds(loops[name]) for name in met & loops.keys()):
        return True
    return any(isinstance(known[name], Lookup | Standing) for name in met & known.keys()) and not moving.isdisjoint(met)
