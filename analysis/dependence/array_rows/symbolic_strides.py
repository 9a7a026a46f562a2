"""Iterators multiplied by sizes of which nothing is known, `i*rows + j*columns`: what holds whatever the sizes are.

Where what each size is multiplied by is equal, the sums are: a meeting for all sizes. Where it can't be equal in two
iterations, nothing but the sizes decides whether these meet, and only who chose them knows. A size that is added
(`i*rows + part`) is one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from warplens.analysis.dependence.subscripts.defined_values import DefinedValues
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, same_layout
from warplens.analysis.ir.polynomial import Monomial, Polynomial

_Pair = tuple[Reference, Reference]


def by_strides(source: Reference, sink: Reference, level: int) -> _Pair | None:
    """The pair with a subscript for each product of sizes; None where no subscript has such a product.

    Equal subscripts name one element, different ones may do so too. Sizes are all that stands still while loop number
    `level` runs.
    """
    if not same_layout(source, sink) or source.access is None:
        return None
    sides: tuple[list[Polynomial], list[Polynomial]] = ([], [])
    moving = _moving(source, sink, level)
    has_product = False
    for p, q in zip(source.positions, sink.positions, strict=True):
        if p is None or q is None or any(_is_curved(position, moving) for position in (p, q)):
            return None
        strides = sorted(_strides(p, moving) | _strides(q, moving))
        has_product = has_product or not p.is_affine_in(moving) or not q.is_affine_in(moving)
        for side, position in zip(sides, (p, q), strict=True):
            side.extend(_shares(position, strides, moving))
    if not has_product:
        return None
    first, second = (
        replace(r, indices=tuple(side), positions=tuple(side)) for r, side in zip((source, sink), sides, strict=True)
    )
    return first, second


def stride_names(references: Iterable[Reference], level: int) -> tuple[str, ...]:
    """Sizes that iterators are multiplied by in their subscripts."""
    found: set[str] = set()
    for reference in references:
        moving = _moving(reference, reference, level)
        for position in reference.positions:
            found |= {name for stride in _strides(position or Polynomial(()), moving) for name in stride}
    return tuple(sorted(found))


def _moving(source: Reference, sink: Reference, level: int) -> frozenset[str]:
    """Iterators from that loop on and what is computed from them."""
    found = {loop.iterator for r in (source, sink) for loop in r.place.loops[level:]}
    definitions = tuple(d for r in (source, sink) for d in (*r.place.definitions, *r.definitions))
    values = DefinedValues(definitions)
    return frozenset(
        found | {d.name for d in definitions if not found.isdisjoint(values.basis(Polynomial.symbol(d.name)))}
    )


def _is_curved(position: Polynomial, moving: frozenset[str]) -> bool:
    """Whether it multiplies iterators with each other."""
    return position.degree_in(moving) > 1


def _strides(position: Polynomial, moving: frozenset[str]) -> set[Monomial]:
    """Products of sizes that are multiplied by something, the empty one among them."""
    return {(), *position.collect(position.symbols - moving)}


def _shares(position: Polynomial, strides: Iterable[Monomial], moving: frozenset[str]) -> list[Polynomial]:
    """What each of them is multiplied by."""
    shares = position.collect(position.symbols - moving)
    return [shares.get(stride, Polynomial(())) for stride in strides]
