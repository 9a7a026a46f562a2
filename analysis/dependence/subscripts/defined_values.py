"""Values at another iteration: what polynomials become when an iterator is replaced, in their definitions too."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.dependence.subscripts.quasi_affine import Choice, Definition, Quotient, Remainder, Share
from warplens.analysis.ir.polynomial import Polynomial

Terms = tuple[Polynomial, ...]


class DefinedValues:
    """The definitions behind symbols, those that arise when an iterator is replaced among them."""

    def __init__(self, definitions: tuple[Definition, ...]) -> None:
        self.known = {definition.name: definition for definition in definitions}

    def basis(self, polynomial: Polynomial) -> frozenset[str]:
        """Its symbols, and what they are computed from."""
        found: set[str] = set()
        stack = list(polynomial.symbols)
        while stack:
            name = stack.pop()
            if name not in found:
                found.add(name)
                stack += self.known[name].symbols if name in self.known else ()
        return frozenset(found)

    def replaced(self, polynomial: Polynomial, name: str, by: Polynomial) -> Polynomial | None:
        """The polynomial with another value for an iterator, None where that is not known."""
        values = {name: by}
        for symbol in polynomial.symbols & self.known.keys():
            definition = self.known[symbol]
            if name in self.basis(Polynomial.symbol(symbol)):
                other = self._redefined(definition, name, by)
                if other is None:
                    return None
                self.known.setdefault(other.name, other)
                values[symbol] = Polynomial.symbol(other.name)
        return polynomial.substitute(values)

    def _redefined(self, definition: Definition, name: str, by: Polynomial) -> Definition | None:
        match definition:
            case Quotient(numerator, divisor, rounds_down):
                above = self.replaced(numerator, name, by)
                return None if above is None else Quotient(above, divisor, rounds_down)
            case Remainder(numerator, modulus):
                above, below = self.replaced(numerator, name, by), self.replaced(modulus, name, by)
                return None if above is None or below is None else Remainder(above, below)
            case Share(remainder):
                other = self._redefined(remainder, name, by)
                return Share(other) if isinstance(other, Remainder) else None
            case _:
                return None

    def cases(self, terms: Terms, conditions: Terms = ()) -> Iterator[tuple[Terms, Terms]]:
        """The terms without choices and the conditions (all >= 0) under which they are these."""
        names = sorted({name for term in (*terms, *conditions) for name in term.symbols})
        choices = [d for d in map(self.known.get, names) if isinstance(d, Choice)]
        if not choices:
            yield terms, conditions
            return
        chosen = choices[0]
        alike = [d for d in choices if (d.condition, d.negated) == (chosen.condition, chosen.negated)]
        for test, values in (
            (chosen.condition, {d.name: d.then for d in alike}),
            (chosen.negated, {d.name: d.otherwise for d in alike}),
        ):
            below = tuple(term.substitute(values) for term in terms)
            rest = tuple(condition.substitute(values) for condition in conditions)
            for conjunction in test:
                yield from self.cases(below, (*rest, *conjunction))
