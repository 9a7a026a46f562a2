"""Quotients that leave nothing over whatever the integers are, `i*(i + 1)/2`, and sums of them without the division.

Subscripts of packed triangles hold them. Two such sums are in the order of the same multiples of both, and those are
polynomials: what they share cancels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import gcd

from warplens.analysis.dependence.subscripts.derived_ranges import quotient_of
from warplens.analysis.dependence.subscripts.quasi_affine import Definition, Quotient
from warplens.analysis.ir.nest import DerivedSymbol
from warplens.analysis.ir.polynomial import Polynomial

_MOST_RESIDUES = 256
"""Remainders of a numerator's symbols that are tried."""

_MOST_TERMS = 60
"""Terms of a sum without divisions; with more it is left as it is."""


@dataclass(frozen=True, slots=True)
class WholeQuotient:
    """A symbol and the polynomial and the positive number whose quotient it is, without remainder."""

    name: str
    numerator: Polynomial
    divisor: int


def is_whole(numerator: Polynomial, divisor: int) -> bool:
    """Whether the divisor divides the numerator for all integer values of its symbols; False may be not knowing.

    That is so where it does for all remainders of the symbols by the divisor: integer polynomials keep congruence.

    >>> i, n = Polynomial.symbol("i"), Polynomial.symbol("n")
    >>> is_whole(i * i + i, 2), is_whole(i * (2 * n - i - 1), 2), is_whole(i * i, 2)
    (True, True, False)
    """
    if divisor < 1:
        return False
    _, left = numerator.split(divisor)
    names = sorted(left.symbols)
    if divisor ** len(names) > _MOST_RESIDUES:
        return False
    residues = product(range(divisor), repeat=len(names))
    return all(left.evaluate(dict(zip(names, values, strict=True))) % divisor == 0 for values in residues)


def whole_quotients(
    definitions: Iterable[Definition], constant: Iterable[WholeQuotient] = ()
) -> dict[str, WholeQuotient]:
    """Those among the definitions, and others that are given."""
    found = {whole.name: whole for whole in constant}
    for definition in definitions:
        if isinstance(definition, Quotient) and is_whole(definition.numerator, definition.divisor):
            found[definition.name] = WholeQuotient(definition.name, definition.numerator, definition.divisor)
    return found


def whole_constants(derived: Iterable[DerivedSymbol]) -> tuple[WholeQuotient, ...]:
    """Symbols of a nest that are such quotients of its parameters."""
    quotients = ((symbol.name, quotient_of(symbol)) for symbol in derived)
    return tuple(WholeQuotient(name, *known) for name, known in quotients if known is not None and is_whole(*known))


def without_division(sums: Iterable[Polynomial], wholes: Mapping[str, WholeQuotient]) -> tuple[Polynomial, ...]:
    """One positive multiple of all sums in which those quotients stand as what they divide.

    >>> i, j, t = map(Polynomial.symbol, "ijt")
    >>> [str(p) for p in without_division((t + j, i), {"t": WholeQuotient("t", i * i + i, 2)})]
    ['i*i + i + 2*j', '2*i']
    """
    given = found = tuple(sums)
    while names := sorted(wholes.keys() & {name for value in found for name in value.symbols}):
        # the one that holds others first: a definition only mentions what is defined before it
        name = next((n for n in names if not any(n in wholes[m].numerator.symbols for m in names)), None)
        if name is None:
            return given
        power = max(value.degree_in((name,)) for value in found)
        found = tuple(_expanded(value, wholes[name], power) for value in found)
        if max(len(value.terms) for value in found) > _MOST_TERMS:
            return given
    common = gcd(*(value.content for value in found)) or 1
    return tuple(value.split(common)[0] for value in found)


def _expanded(value: Polynomial, whole: WholeQuotient, power: int) -> Polynomial:
    """The value times that power of the divisor."""
    total = Polynomial(())
    for powers, cofactor in value.collect((whole.name,)).items():
        part = cofactor * whole.divisor ** (power - len(powers))
        for _ in powers:
            part = part * whole.numerator
        total = total + part
    return total
