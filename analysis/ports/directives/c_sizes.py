"""Sizes and conditions on sizes as C text with names that are in scope above the nest."""

from __future__ import annotations

import re
from collections.abc import Collection

from warplens.analysis.c.c_types import size_bytes
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.polynomial import Monomial, Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import has_added

_PLAIN = re.compile(r"[\w\s+\-*/%().]+\Z")
_WORD = re.compile(r"[A-Za-z_]\w*")


class NotInScopeError(Exception):
    """A size can't be said above the nest; the message is the name that stands in the way."""


class SizeText:
    """C text of polynomials over what is constant in a nest, and over iterators that have a value where it stands."""

    def __init__(self, nest: LoopNest, iterators: Collection[str] = ()) -> None:
        self._constants = {*nest.parameters, *iterators} - {derived.name for derived in nest.derived}
        self._derived = {derived.name: derived for derived in nest.derived}
        self._bytes = {scalar.name: size_bytes(scalar.type) or 0 for scalar in nest.scalars}

    def text(self, polynomial: Polynomial, *, is_wide: bool = False) -> str:
        """`n*m-1`; products that may be larger than an `int` are computed in `long` where the source does (`is_wide`).

        Raises NotInScopeError.
        """
        if not polynomial.terms:
            return "0"
        terms = sorted(polynomial.terms, key=lambda term: (term[1] < 0, -len(term[0]), term[0]))
        parts = [self._term(monomial, count, is_wide=is_wide) for monomial, count in terms]
        return "".join(parts).removeprefix("+")

    def condition(self, polynomial: Polynomial) -> str:
        """`n > 2` for n - 3 >= 0, `n >= m` for n - m >= 0; products in `long`. Raises NotInScopeError."""
        is_strict = polynomial.constant_term < 0
        left, right = (polynomial + 1 if is_strict else polynomial).added_and_taken
        texts = (self.text(side, is_wide=True) for side in (left, right))
        return f" {'>' if is_strict else '>='} ".join(texts)

    def _term(self, monomial: Monomial, count: int, *, is_wide: bool) -> str:
        names = [self._name(name) for name in monomial]
        if is_wide and len(names) > 1 and all(self._bytes.get(name, 0) <= 4 for name in monomial):
            names[0] = f"(long){names[0]}"
        factors = names if abs(count) == 1 and names else [str(abs(count)), *names]
        return ("-" if count < 0 else "+") + "*".join(factors)

    def _name(self, name: str) -> str:
        if name in self._constants and not has_added(name):
            return name
        derived = self._derived.get(name)
        if derived is None or derived.read_from or not _PLAIN.match(derived.text):
            raise NotInScopeError(c_name(name))
        if not set(_WORD.findall(derived.text)) <= self._constants:
            raise NotInScopeError(c_name(name))
        return f"({''.join(derived.text.split())})"
