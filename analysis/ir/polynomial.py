"""Integer polynomials over loop iterators and parameters: subscripts, bounds, extents.

A subscript is affine when every monomial holds at most one iterator and nothing else; `i*n + j` is not, but
becomes so once delinearised.

Products grow exponentially with the source's length (`x = x*x + y; y = y*y + x;` over and over). So they are bounded:
beyond the limits below they raise TooLargeError, and so does what multiplies (substitution, division).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import gcd, prod

from warplens.analysis.ir.monomial import Monomial, Term, order, product, quotient, sum_text
from warplens.analysis.ir.too_complex import TooLargeError

__all__ = ["Monomial", "Polynomial"]

MOST_PRODUCTS = 1024
"""Products of terms in one product: nobody writes a subscript with a hundredth of them."""
LARGEST_COEFFICIENT = 1 << 256
"""No integer of C has half of its digits."""

_LARGEST_PLAIN = 1 << 64
"""Numbers that a type holds: multiplying by them adds no more than so many digits."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """Terms sorted by monomial, no zero coefficient: equal polynomials are equal values.

    >>> i, n = Polynomial.symbol("i"), Polynomial.symbol("n")
    >>> str((i + 1) * n - n)
    'i*n'
    """

    terms: tuple[Term, ...]

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
        if isinstance(other, int) and -_LARGEST_PLAIN < other < _LARGEST_PLAIN:
            return Polynomial(tuple((m, c * other) for m, c in self.terms) if other else ())
        factors = _lift(other).terms
        if len(self.terms) * len(factors) > MOST_PRODUCTS and len(self.terms) > 1 < len(factors):
            raise TooLargeError(f"more than {MOST_PRODUCTS} terms")
        terms: dict[Monomial, int] = {}
        for left, a in self.terms:
            for right, b in factors:
                monomial = product(left, right) if left and right else left or right
                c = a * b
                if not -LARGEST_COEFFICIENT < c < LARGEST_COEFFICIENT:
                    raise TooLargeError("a factor that no type holds")
                terms[monomial] = terms.get(monomial, 0) + c
        return Polynomial.of(terms)

    __rmul__ = __mul__

    def __divmod__(self, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Quotient and remainder: `self == quotient * divisor + remainder`, in the graded lexicographic order.

        Terms that the leading monomial of the divisor doesn't divide, or not by an integer, stay in the remainder.

        >>> n, m = Polynomial.symbol("n"), Polynomial.symbol("m")
        >>> [str(p) for p in divmod((m + 2) * (n + 2) + n, n + 2)]
        ['m + 3', '-2']
        """
        whole = remainder = Polynomial(())
        if not divisor.terms:
            return whole, self
        lead, scale = max(divisor.terms, key=order)
        rest = self
        while rest.terms:
            monomial, coefficient = max(rest.terms, key=order)
            factor = quotient(monomial, lead)
            if factor is None or coefficient % scale:
                term = Polynomial.of({monomial: coefficient})
                remainder, rest = remainder + term, rest - term
            else:
                term = Polynomial.of({factor: coefficient // scale})
                whole, rest = whole + term, rest - term * divisor
        return whole, remainder

    def exact_div(self, divisor: Polynomial | int) -> Polynomial | None:
        """The polynomial whose product with the divisor this is, None where there is none.

        >>> i, n = Polynomial.symbol("i"), Polynomial.symbol("n")
        >>> str((4 * i * n + 8 * n).exact_div(4 * n)), (i + n).exact_div(n), (2 * i + 1).exact_div(2)
        ('i + 2', None, None)
        """
        by = _lift(divisor)
        if len(by.terms) != 1:
            whole, remainder = divmod(self, by)
            return None if remainder.terms or not by.terms else whole
        ((factor, scale),) = by.terms
        terms: dict[Monomial, int] = {}
        for monomial, c in self.terms:
            rest = quotient(monomial, factor)
            if rest is None or c % scale:
                return None
            terms[rest] = c // scale
        return Polynomial.of(terms)

    def split(self, number: int) -> tuple[Polynomial, Polynomial]:
        """`whole, rest` with `self == whole * number + rest`, the coefficients of the rest from 0 to below the number.

        >>> whole, rest = (5 * Polynomial.symbol("n") - 1).split(2)
        >>> str(whole), str(rest)
        ('2*n - 1', 'n + 1')
        """
        whole = Polynomial.of({m: c // number for m, c in self.terms})
        return whole, Polynomial.of({m: c % number for m, c in self.terms})

    @property
    def symbols(self) -> frozenset[str]:
        """Names that occur."""
        return frozenset(name for monomial, _ in self.terms for name in monomial)

    @property
    def degree(self) -> int:
        """Largest number of factors in a monomial; 0 for a constant."""
        return max((len(monomial) for monomial, _ in self.terms), default=0)

    def degree_in(self, names: Iterable[str]) -> int:
        """Largest number of factors among the names in a monomial."""
        inside = frozenset(names)
        return max((sum(name in inside for name in monomial) for monomial, _ in self.terms), default=0)

    @property
    def constant_term(self) -> int:
        """Coefficient of the empty monomial."""
        return next((c for m, c in self.terms if not m), 0)

    @property
    def without_constant(self) -> tuple[Term, ...]:
        """Terms but the constant one: equal for polynomials that differ by a constant."""
        return self.terms if not self.terms or self.terms[0][0] else self.terms[1:]

    @property
    def is_constant(self) -> bool:
        """Whether no symbol occurs."""
        return self.degree == 0

    @property
    def is_bounded(self) -> bool:
        """Whether no coefficient is beyond the limit, to which sums may grow, too."""
        return all(-LARGEST_COEFFICIENT < c < LARGEST_COEFFICIENT for _, c in self.terms)

    @property
    def content(self) -> int:
        """Greatest common divisor of the coefficients; 0 for zero."""
        return gcd(*(c for _, c in self.terms))

    @property
    def signs(self) -> frozenset[int]:
        """Signs of the coefficients: 1, -1."""
        return frozenset(1 if c > 0 else -1 for _, c in self.terms)

    @property
    def added_and_taken(self) -> tuple[Polynomial, Polynomial]:
        """The terms that are added, and those that are taken away with their signs turned: this is the difference."""
        added = tuple((m, c) for m, c in self.terms if c > 0)
        return Polynomial(added), Polynomial(tuple((m, -c) for m, c in self.terms if c < 0))

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

    def partition(self, names: Iterable[str]) -> tuple[Polynomial, Polynomial]:
        """Sum of the monomials that hold one of the names, and of those that hold none."""
        inside = frozenset(names)
        held = tuple(term for term in self.terms if not inside.isdisjoint(term[0]))
        return Polynomial(held), Polynomial(tuple(term for term in self.terms if inside.isdisjoint(term[0])))

    def collect(self, names: Iterable[str]) -> dict[Monomial, Polynomial]:
        """The same as a polynomial in the names alone: monomial -> cofactor, without any of them.

        >>> i, n = Polynomial.symbol("i"), Polynomial.symbol("n")
        >>> {"*".join(m): str(p) for m, p in (i * n + i + n).collect("i").items()}
        {'i': 'n + 1', '': 'n'}
        """
        inside = frozenset(names)
        found: dict[Monomial, dict[Monomial, int]] = {}
        for monomial, c in self.terms:
            own = tuple(name for name in monomial if name in inside)
            found.setdefault(own, {})[tuple(name for name in monomial if name not in inside)] = c
        return {own: Polynomial.of(terms) for own, terms in found.items()}

    def substitute(self, values: Mapping[str, Polynomial | int]) -> Polynomial:
        """Replace symbols by polynomials or integers."""
        if self.symbols.isdisjoint(values):
            return self
        total = Polynomial(())
        for monomial, c in self.terms:
            term = Polynomial.constant(c)
            for name in monomial:
                term = term * (values[name] if name in values else Polynomial.symbol(name))
            total = total + term
        return total

    def partial(self, values: Mapping[str, int]) -> Polynomial:
        """Replace symbols by numbers: the polynomial over the symbols that have no value."""
        terms: dict[Monomial, int] = {}
        for monomial, c in self.terms:
            rest = tuple(name for name in monomial if name not in values)
            known = c * prod(values[name] for name in monomial if name in values)
            terms[rest] = terms.get(rest, 0) + known
        return Polynomial.of(terms)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """Value at a point; raises KeyError for a symbol without value."""
        total = 0
        for monomial, c in self.terms:
            value = c
            for name in monomial:
                value *= values[name]
            total += value
        return total

    def is_affine_in(self, names: Iterable[str]) -> bool:
        """Whether every monomial that holds one of the names is that name alone (constant coefficients)."""
        inside = frozenset(names)
        return all(len(m) == 1 or inside.isdisjoint(m) for m, _ in self.terms)

    def __str__(self) -> str:
        return sum_text(sorted(self.terms, key=lambda t: (-len(t[0]), t[0])))


def _lift(value: Polynomial | int) -> Polynomial:
    return value if isinstance(value, Polynomial) else Polynomial.constant(value)
