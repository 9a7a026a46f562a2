"""Subscripts of a pair that integer sets can hold on both sides: only they tell anything of where the two meet.

A sum like `i % n + ld * (i / n)` fits in none. Its quotients and remainders would be asked about in many cases, for
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from warplens.analysis.dependence.integer_sets.constraint_rows import Symbols
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.quasi_affine import Definition
from warplens.analysis.ir.polynomial import Polynomial


def as_far_as_related(source: Reference, sink: Reference, fixed: frozenset[str]) -> tuple[Reference, Reference]:
    """Both without subscripts that fit in no integer set, and without the definitions that only those need.

    Such subscripts say nothing, so neither does what they are computed from: it has some value wherever that may be.
    """
    sides, table = (source, sink), Symbols(fixed)
    names = [{name: name for name in _columns(reference)} for reference in sides]
    positions = list(zip(positions_of(source), positions_of(sink), strict=True))
    related = [
        all(p is not None and table.affine(p, own) is not None for p, own in zip(pair, names, strict=True))
        for pair in positions
    ]
    if all(related):
        return source, sink
    found = []
    for reference, side in zip(sides, zip(*positions, strict=True), strict=True):
        kept = tuple(p if is_related else None for p, is_related in zip(side, related, strict=True))
        definitions = _needed(reference.definitions, filter(None, kept))
        found.append(replace(reference, positions=kept, definitions=definitions))
    return found[0], found[1]


def _columns(reference: Reference) -> tuple[str, ...]:
    """Iterators and what is computed from them."""
    definitions = (*reference.place.definitions, *reference.definitions)
    return (*(loop.iterator for loop in reference.place.loops), *(definition.name for definition in definitions))


def _needed(definitions: tuple[Definition, ...], positions: Iterable[Polynomial]) -> tuple[Definition, ...]:
    """Those that the positions are computed from; each stands after what it is computed from itself."""
    names = {name for position in positions for name in position.symbols}
    found: list[Definition] = []
    for definition in reversed(definitions):
        if definition.name in names:
            found.append(definition)
            names |= definition.symbols
    return tuple(reversed(found))


def positions_of(reference: Reference) -> tuple[Polynomial | None, ...]:
    """Subscripts, with those that follow from the iterators by more than sums and products where that is known."""
    return reference.positions or reference.indices
