"""Which of two polynomials of sizes is larger, if that is certain; and what has to hold for it to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.nest import LoopNest, loops_of, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import Scalar


class SizeOrder:
    """Order of polynomials over the constants of a nest.

    Sizes may be negative unless C or a guard says otherwise. Where an answer needs more, that every loop runs at least
    once, `conditions` has that afterwards: polynomials that must be >= 0.
    """

    def __init__(self, nest: LoopNest) -> None:
        self._least = least_sizes(nest)
        self._surely = sure_sizes(nest)
        self.conditions: dict[Polynomial, None] = {}

    def are_not_negative(self, polynomials: Iterable[Polynomial]) -> bool:
        """Whether all of them are 0 or more, given the `conditions` that this may add."""
        asked = [p for p in dict.fromkeys(polynomials) if not self.is_surely_at_least(p, 0)]
        if not all(is_at_least(polynomial, 0, self._least) for polynomial in asked):
            return False
        for name in sorted({name for polynomial in asked for name in polynomial.symbols}):
            self.require(Polynomial.symbol(name) - self._least[name])
        return True

    def is_surely_at_least(self, polynomial: Polynomial, bound: int) -> bool:
        """Whether the polynomial is `bound` or more without conditions."""
        return is_at_least(polynomial, bound, self._surely)

    def require(self, polynomial: Polynomial) -> None:
        """Take a polynomial to be >= 0, and say so."""
        if not self.is_surely_at_least(polynomial, 0):
            self.conditions[polynomial] = None


def strongest(conditions: Iterable[Polynomial]) -> tuple[Polynomial, ...]:
    """Polynomials that must be >= 0, without those that follow from one that differs by a constant."""
    found: dict[tuple[object, ...], Polynomial] = {}
    for polynomial in conditions:
        key = polynomial.without_constant
        if key not in found or found[key].constant_term > polynomial.constant_term:
            found[key] = polynomial
    return tuple(found.values())


def least_sizes(nest: LoopNest) -> dict[str, int]:
    """Least value of the parameters whose sign is known: every loop runs at least once, every row has an element.

    `for (i = 1; i < n; i++)` gives n >= 2, a row length `m` gives m >= 1, declared or read from `a[i*m + j]`.
    """
    least = sure_sizes(nest)
    for statement in walk_statements((nest.root,)):
        for access in accesses_of(statement):
            for extent in access.extents:
                if extent is not None:
                    _learn(nest, least, extent)
    for loop in loops_of(nest):
        for limit in loop.limits:
            if loop.start is not None:
                _learn(nest, least, (limit - loop.start) if loop.step > 0 else (loop.start - limit))
    return least


def sure_sizes(nest: LoopNest) -> dict[str, int]:
    """What C itself and guards before the nest say: unsigned numbers, rows of declared arrays, `if (n > 0)`.

    The first extent of a parameter is none of them: `double a[n]` is a pointer, and n = 0 is often given.
    """
    least = guarded_sizes(nest)
    for array in nest.arrays:
        for extent in array.extents[1:] if array.is_pointer else array.extents:
            if extent is not None:
                _learn(nest, least, extent)
    return least


def guarded_sizes(nest: LoopNest) -> dict[str, int]:
    """What types and guards before the nest say, whatever its subscripts are."""
    unsigned = {s.name for s in nest.scalars if isinstance(s.type, Scalar) and not s.type.signed}
    least = {name: 0 for name in nest.parameters if name in unsigned}
    for known in nest.known:
        _learn(nest, least, known.value + 1)
    return least


def _learn(nest: LoopNest, least: dict[str, int], positive: Polynomial) -> None:
    """Take in that a polynomial is at least 1."""
    if len(positive.symbols) == 1 and positive.degree == 1:
        (name,) = positive.symbols
        if name in nest.parameters and positive.coefficient(name).constant_term == 1:
            at_least = 1 - positive.constant_term
            least[name] = max(least.get(name, at_least), at_least)


def is_at_least(polynomial: Polynomial, bound: int, least: Mapping[str, int]) -> bool:
    """Whether the polynomial is certainly `bound` or more, given least values of its names.

    >>> n = Polynomial.symbol("n")
    >>> is_at_least(n * n - n, 0, {"n": 1}), is_at_least(n - 2, 0, {"n": 1}), is_at_least(n, 0, {})
    (True, False, False)
    """
    if not polynomial.symbols <= least.keys():
        return False
    shifted = polynomial.substitute({name: Polynomial.symbol(name) + value for name, value in least.items()})
    return all(count >= 0 for _, count in (shifted - bound).terms)
