"""A number by the digits that a nest computes from it: with `i = ij / n` and `j = ij % n`, `ij` is `n*i + j`.

A sum of digits is folded to the number that they come from as soon as it is seen; next to the same digits in another
order, `a[j*n + i] = a[ij]`, they are wanted again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.quasi_affine import Definition, Remainder, Share
from warplens.analysis.ir.polynomial import Polynomial


def unfolded(value: Polynomial, known: Mapping[str, Definition], moving: Collection[str]) -> Polynomial:
    """The same value with digits for each number that moves and is divided, and for remainders that are themselves."""
    shares = [d for d in known.values() if isinstance(d, Share)]
    while shares:
        share = next((s for s in shares if _number(s, moving) in value.symbols), None)
        if share is None:
            break
        shares.remove(share)
        number = _number(share, moving)
        remainder = share.remainder
        digits = remainder.modulus * Polynomial.symbol(share.name) + Polynomial.symbol(remainder.name)
        value = value.substitute({number: digits - (remainder.numerator - Polynomial.symbol(number))})
    return value


def with_divisions_of(reference: Reference, other: Reference) -> Reference:
    """A reference with those divisions of another one that can be made of what it knows itself."""
    every = {d.name: d for r in (reference, other) for d in (*r.place.definitions, *r.definitions)}
    own = {d.name for d in (*reference.place.definitions, *reference.definitions)}
    missing = {*every, *(loop.iterator for loop in other.place.loops)} - own
    missing -= {loop.iterator for loop in reference.place.loops}
    added = []
    for name, definition in every.items():
        if name in missing and isinstance(definition, Remainder | Share) and missing.isdisjoint(definition.symbols):
            missing.discard(name)
            added.append(definition)
    return replace(reference, definitions=(*reference.definitions, *added)) if added else reference


def _number(share: Share, moving: Collection[str]) -> str:
    """What is divided if that is one thing that moves and what stands still, empty if not."""
    numerator = share.remainder.numerator
    names = [name for name in numerator.symbols if name in moving]
    return names[0] if len(names) == 1 and numerator.coefficient(names[0]) == Polynomial.constant(1) else ""
