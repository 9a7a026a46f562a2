"""Offsets that stay in a row of constant length: `x[4*k + channel]` with `0 <= channel <= 3`.

The exact set of sizes without a conflict (`sizes_apart.py`) has remainders here (`channel % 4 != 3`), or takes too much
where there are many references. Who chose the length of a row knows that an offset lies in it.
"""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.dependence.integer_sets.sizes_apart import Alternative
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.size_relation import SizeRelation


def offsets_in_rows(references: Iterable[Reference], level: int, known: frozenset[str]) -> Alternative | None:
    """Bounds of the one number in `known` names that is an offset in the rows of loop number `level`.

    Whether they decide anything is left to ask. None where there is no such number, or where rows differ in length.
    """
    lengths: set[int] = set()
    offsets: set[str] = set()
    for reference in references:
        iterator = reference.place.loops[level].iterator
        for position in reference.positions:
            slope = Polynomial(()) if position is None else position.coefficient(iterator)
            if position is None or not slope.is_constant or not slope.constant_term:
                continue
            lengths.add(abs(slope.constant_term * reference.place.loops[level].step))
            rest = position.without((iterator,))
            offsets |= {name for name in rest.symbols & known if rest == Polynomial.symbol(name)}
    if len(lengths) != 1 or len(offsets) != 1:
        return None
    length, offset = lengths.pop(), Polynomial.symbol(offsets.pop())
    return (SizeRelation(offset), SizeRelation(length - 1 - offset)) if length > 1 else None
