"""The strides behind a linear subscript, 1, n, n*m, and its digits in that mixed radix.

Source: Grosser, Ramanujam, Pouchet, Sadayappan, Pop, Optimistic delinearization of parametrically sized arrays,
ICS 2015, section 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from warplens.analysis.ir.monomial import order
from warplens.analysis.ir.polynomial import Polynomial

_ONE = Polynomial.constant(1)


def stride_chain(slopes: Iterable[Polynomial]) -> list[Polynomial]:
    """1 and the strides that divide each other, smallest first; others must be sums of them (a diagonal's n + 1)."""
    return _chain(_primitive(slope) for slope in slopes if not slope.is_constant)


def widest_chain(slopes: Iterable[Polynomial]) -> list[Polynomial]:
    """The same with the constants that all slopes of one stride share: 3*n for `6*i*n + 3*k*n`."""
    contents: dict[Polynomial, int] = {}
    for slope in slopes:
        if not slope.is_constant:
            stride = _primitive(slope)
            contents[stride] = gcd(contents.get(stride, 0), slope.content)
    return _chain(stride * content for stride, content in contents.items())


def _chain(strides: Iterable[Polynomial]) -> list[Polynomial]:
    chain = [_ONE]
    for stride in sorted(set(strides), key=lambda s: (s.degree, len(s.terms), s.terms)):
        quotient, remainder = divmod(stride, chain[-1])
        if not remainder.terms and not quotient.is_constant:
            chain.append(stride)
    return chain


def _primitive(polynomial: Polynomial) -> Polynomial:
    """The polynomial without its integer content, leading term positive."""
    leading = max(polynomial.terms, key=order)[1]
    primitive = polynomial.exact_div(polynomial.content if leading > 0 else -polynomial.content)
    assert primitive is not None
    return primitive


def split_index(index: Polynomial, iterators: frozenset[str], chain: list[Polynomial]) -> list[Polynomial] | None:
    """Subscript per dimension, outer first; None where an iterator would get a symbolic coefficient."""
    dimensions = _digits(index.without(iterators), chain)
    for name in sorted(iterators & index.symbols):
        slope = _digits(index.coefficient(name), chain)
        if not all(digit.is_constant for digit in slope):
            return None
        symbol = Polynomial.symbol(name)
        dimensions = [d + digit * symbol for d, digit in zip(dimensions, slope, strict=True)]
    return dimensions


def _digits(value: Polynomial, chain: list[Polynomial]) -> list[Polynomial]:
    digits = []
    for stride in reversed(chain[1:]):
        quotient, value = divmod(value, stride)
        digits.append(quotient)
    return [*digits, value]
