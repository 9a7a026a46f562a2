"""Iterators multiplied by sizes of which nothing is known, `i*rows + j*columns`: what holds whatever the sizes are.

Where what each size is multiplied by is equal, the sums are: a meeting for all sizes. Where it can't be equal in two
iterations, nothing but the sizes decides whether these meet, and only who chose them knows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from warplens.analysis.facts.defined_values import DefinedValues
from warplens.analysis.facts.iteration_domain import Reference, same_layout
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
        strides = None if p is None or q is None else _strides((p, q), moving)
        if p is None or q is None or strides is None:
            return None
        has_product = has_product or len(strides) > 1
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
        strides = _strides((p for p in reference.positions if p is not None), moving)
        found |= {name for stride in strides or () for name in stride}
    return tuple(sorted(found))


def _moving(source: Reference, sink: Reference, level: int) -> frozenset[str]:
    """Iterators from that loop on and what is computed from them."""
    found = {loop.iterator for r in (source, sink) for loop in r.place.loops[level:]}
    definitions = tuple(d for r in (source, sink) for d in (*r.place.definitions, *r.definitions))
    values = DefinedValues(definitions)
    return frozenset(
        found | {d.name for d in definitions if not found.isdisjoint(values.basis(Polynomial.symbol(d.name)))}
    )


def _strides(positions: Iterable[Polynomial], moving: frozenset[str]) -> list[Monomial] | None:
    """What iterators are multiplied by, nothing being the first; None where two of them are multiplied."""
    found: set[Monomial] = {()}
    for position in positions:
        for monomial, _ in position.terms:
            still = tuple(name for name in monomial if name not in moving)
            if len(monomial) - len(still) > 1:
                return None
            found |= {still} if len(still) < len(monomial) else set()
    return sorted(found)


def _shares(position: Polynomial, strides: Iterable[Monomial], moving: frozenset[str]) -> list[Polynomial]:
    """What each stride is multiplied by; what stands still and is no multiple of one counts where there is none."""
    shares = {stride: Polynomial(()) for stride in strides}
    for monomial, coefficient in position.terms:
        stride = tuple(name for name in monomial if name not in moving)
        own = tuple(name for name in monomial if name in moving)
        if stride not in shares:
            stride, own = (), monomial
        shares[stride] += Polynomial.of({own: coefficient})
    return list(shares.values())
