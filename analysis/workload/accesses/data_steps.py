"""How far data leads an access on per iteration of a loop, where it does so evenly: no further than its row is long.

In `x[k * pitch + j + (int)(i * t[k])]` neighbours in i are t[k] elements apart, whatever that is. As for subscripts
behind a parametric stride (delinearise.py) the row is assumed to hold all that is added: over its iterations a loop
leads the access through what the other subscripts leave of the row at most, so much per iteration as goes in there
evenly. Where there are no rows that is the array.

Assumes: at least an element per iteration, and whole ones: threads side by side share fewer sectors than they might.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.algebra.byte_strides import stride_chain
from warplens.analysis.facts.nest_facts import AccessFacts, DataStep
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.formula import ONE, ZERO, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.workload.accesses.sites import AccessSite
from warplens.analysis.workload.loops.derived_symbols import formula_of


@dataclass(frozen=True, slots=True)
class BoundedStep:
    """The symbol of a `DataStep`, the most elements that it can be, and that this was assumed."""

    symbol: str
    most: Formula
    assumption: Assumption


def data_steps(
    accesses: Iterable[AccessFacts],
    sites: Sequence[AccessSite],
    trips: Mapping[NodeId, Formula],
    derived: Mapping[str, Formula],
) -> tuple[BoundedStep, ...]:
    """Bounds of all steps of a nest's accesses, in elements of the subscript; `sites` have the loops around them.

    Equation: ceil((row - 1 - what the other iterators span in it) / (iterations - 1)), at least 1.
    """
    loops = {site.access.id: site.loops for site in sites}
    return tuple(
        bound
        for facts in accesses
        if facts.steps
        for bound in _bounds(facts, {loop.iterator: loop for loop in loops[facts.access.id]}, trips, derived)
    )


def _bounds(
    facts: AccessFacts, loops: Mapping[str, Loop], trips: Mapping[NodeId, Formula], derived: Mapping[str, Formula]
) -> Iterator[BoundedStep]:
    by_data = {*(step.symbol for step in facts.steps), *(name for name, _ in facts.unknown)}
    iterators = {loop.id: iterator for iterator, loop in loops.items()}
    for step in facts.steps:
        index = facts.address.indices[step.dimension]
        if index is None:
            continue
        known = index.without(by_data)
        slopes = {name: known.coefficient(name) for name in known.symbols & loops.keys()}
        slopes = {name: slope for name, slope in slopes.items() if slope.symbols.isdisjoint(loops)}
        row, in_row = _row(facts, step, slopes, derived)
        taken = ZERO
        for name in sorted(in_row):
            taken = taken + formula_of(_size(slopes[name]), derived) * _way(loops[name], trips)
        iterator = iterators[step.loop]
        most = ((row - 1 - taken) / _way(loops[iterator], trips).at_least(1)).ceil().at_least(1)
        array, name = c_name(facts.access.array), c_name(iterator)
        text = (
            f"Data decides by how many elements of `{array}` iterations of `{name}` are apart, which is taken "
            "to be as much as its rows have room for."
        )
        yield BoundedStep(step.symbol, most, Assumption("bounds", array, text))


def _way(loop: Loop, trips: Mapping[NodeId, Formula]) -> Formula:
    """By how much the iterator changes over the loop."""
    return (trips[loop.id] - 1) * abs(loop.step)


def _row(
    facts: AccessFacts, step: DataStep, slopes: Mapping[str, Polynomial], derived: Mapping[str, Formula]
) -> tuple[Formula, frozenset[str]]:
    """Elements of the row that a subscript is in, and the iterators that move it there."""
    access: Access = facts.address
    extent = access.extents[step.dimension]
    if step.dimension and extent is not None:
        return formula_of(extent, derived), frozenset(slopes)
    if len(access.extents) == 1:
        chain = stride_chain(slope for slope in slopes.values() if slope.terms)
        if len(chain) > 1:
            return formula_of(chain[1], derived), frozenset(n for n, slope in slopes.items() if slope.is_constant)
    elements = ONE if facts.array_bytes is None else facts.array_bytes / access.element_bytes
    return elements, frozenset(slopes)


def _size(slope: Polynomial) -> Polynomial:
    return -slope if slope.is_constant and slope.constant_term < 0 else slope
