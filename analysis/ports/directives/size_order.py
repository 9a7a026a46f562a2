"""Which of two polynomials of sizes is larger, if that is certain."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.nest import LoopNest, loops_of, walk_statements
from warplens.analysis.ir.polynomial import Polynomial


def least_sizes(nest: LoopNest) -> dict[str, int]:
    """Least value of the parameters whose sign is known: every loop runs at least once, every row has an element.

    `for (i = 1; i < n; i++)` gives n >= 2, a row length `m` gives m >= 1.
    """
    least: dict[str, int] = {}

    def learn(positive: Polynomial) -> None:
        """Take in that a polynomial is at least 1."""
        if len(positive.symbols) == 1 and positive.degree == 1:
            (name,) = positive.symbols
            if name in nest.parameters and positive.coefficient(name).constant_term == 1:
                least[name] = max(least.get(name, 0), 1 - positive.constant_term)

    for loop in loops_of(nest):
        for limit in loop.limits:
            if loop.start is not None:
                learn((limit - loop.start) if loop.step > 0 else (loop.start - limit))
    for statement in walk_statements((nest.root,)):
        for access in accesses_of(statement):
            for extent in access.extents:
                if extent is not None:
                    learn(extent)
    return least


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
