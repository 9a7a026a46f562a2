"""Integer polynomials over loop iterators and parameters: subscripts, bounds, extents.

A subscript is affine when every monomial holds at most one iterator and nothing else; `i*n + j` is not, but
becomes so once delinearised. Monomials are sorted tuples of symbol names, a power is a repetition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Monomial = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Polynomial:
    """Terms sorted by monomial, no zero coefficient: equal polynomials are equal values.

    >>> i, n = Polynomial.symbol("i"), Polynomial.symbol("n")
    >>> str((i + 1) * n - n)
    'i*n'
    """

    terms: tuple[tuple[Monomial, int], ...]

    @staticmethod
    def of(terms: Mapping[Monomial, int]) -> Polynomial:
        """Build from monomial -> coefficient; zero coefficients are dropped."""
        return Polynomial(tuple(sorted((m, c) for m, c in terms.items() if c)))

    @staticmethod
    def constant(value: int) -> Polynomial:
        """Build the constant polynomial."""
        return Polynomial(((((), value)),) if value else ())

    @staticmethod
    def symbol(name: str) -> Polynomial:
        """Build the polynomial that is one symbol."""
        return Polynomial((((name,), 1),))

    def __add__(self, other: Polynomial | int) -> Polynomial:
        added = _lift(other)
        if not self.terms or not added.terms:
            return self if self.terms else added
        terms = dict(self.terms)
        for monomial, coefficient in added.terms:
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Polynomial.of(terms)

    __radd__ = __add__

    def __neg__(self) -> Polynomial:
        return Polynomial(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self + (-_lift(other))

    def __rsub__(self, other: int) -> Polynomial:
        return _lift(other) - self

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for left, a in self.terms:
            for right, b in _lift(other).terms:
                monomial = tuple(sorted(left + right))
                terms[monomial] = terms.get(monomial, 0) + a * b
        return Polynomial.of(terms)

    __rmul__ = __mul__

    @property
    def symbols(self) -> frozenset[str]:
        """Names that occur."""
        return frozenset(name for monomial, _ in self.terms for name in monomial)

    @property
    def degree(self) -> int:
        """Largest number of factors in a monomial; 0 for a constant."""
        return max((len(monomial) for monomial, _ in self.terms), default=0)

    @property
    def constant_term(self) -> int:
        """Coefficient of the empty monomial."""
        return next((c for m, c in self.terms if not m), 0)

    @property
    def without_constant(self) -> tuple[tuple[Monomial, int], ...]:
        """Terms but the constant one: equal for polynomials that differ by a constant."""
        return self.terms if not self.terms or self.terms[0][0] else self.terms[1:]

    @property
    def is_constant(self) -> bool:
        """Whether no symbol occurs."""
        return self.degree == 0

    def coefficient(self, name: str) -> Polynomial:
        """Cofactor of a symbol: the sum of the monomials that hold it, with one occurrence removed."""
        terms: dict[Monomial, int] = {}
        for monomial, c in self.terms:
            if name in monomial:
                at = monomial.index(name)
                terms[monomial[:at] + monomial[at + 1 :]] = c
        return Polynomial.of(terms)

    def without(self, names: Iterable[str]) -> Polynomial:
        """Sum of the monomials that hold none of the names."""
        dropped = frozenset(names)
        return Polynomial(tuple((m, c) for m, c in self.terms if dropped.isdisjoint(m)))

    def substitute(self, values: Mapping[str, Polynomial | int]) -> Polynomial:
        """Replace symbols by polynomials or integers."""
        if self.symbols.isdisjoint(values):
            return self
        total = Polynomial(())
        for monomial, c in self.terms:
            product = Polynomial.constant(c)
            for name in monomial:
                product = product * (values[name] if name in values else Polynomial.symbol(name))
            total = total + product
        return total

    def evaluate(self, values: Mapping[str, int]) -> int:
        """Value at a point; raises KeyError for a symbol without value."""
        total = 0
        for monomial, c in self.terms:
            product = c
            for name in monomial:
                product *= values[name]
            total += product
        return total

    def is_affine_in(self, names: Iterable[str]) -> bool:
        """Whether every monomial that holds one of the names is that name alone (constant coefficients)."""
        inside = frozenset(names)
        return all(len(m) == 1 or inside.isdisjoint(m) for m, _ in self.terms)

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        parts = [_term(m, c) for m, c in sorted(self.terms, key=lambda t: (-len(t[0]), t[0]))]
        text = parts[0]
        for part in parts[1:]:
            text += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
        return text


def _lift(value: Polynomial | int) -> Polynomial:
    return value if isinstance(value, Polynomial) else Polynomial.constant(value)


def _term(monomial: Monomial, coefficient: int) -> str:
    if not monomial:
        return str(coefficient)
    product = "*".join(monomial)
    if coefficient == 1:
        return product
    return f"-{product}" if coefficient == -1 else f"{coefficient}*{product}"
