"""What is known of variables at one point of a function, and what an assignment leaves of it."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import count

from warplens.analysis.frontend.pointers.pointer_values import PointerValues
from warplens.analysis.frontend.scopes.places import Place
from warplens.analysis.frontend.syntax.mentions import Mentions, Noted
from warplens.analysis.frontend.values.smaller_values import Smaller
from warplens.analysis.ir.expression import BinaryOperator
from warplens.analysis.ir.nest import DerivedSymbol, KnownRange
from warplens.analysis.ir.polynomial import Polynomial

_MOST_RANGES = 200
"""Ranges that hold at one point: each nest after them carries those of its parameters, and is analysed with them."""
_NO_SYMBOL = ""
"""Stands for the symbols of a range that has none."""


@dataclass(frozen=True, slots=True)
class LeftAt:
    """A counter behind its loop: `value`, but not before `bound` in the direction of the step (">=", "<="), if any."""

    value: Polynomial
    bound: tuple[str, Polynomial] | None

    @property
    def symbols(self) -> frozenset[str]:
        """Names that it is said in terms of."""
        return self.value.symbols | (frozenset() if self.bound is None else self.bound[1].symbols)


class KnownValues(PointerValues):
    """Values by variable, ranges of symbols; an assignment looks only at what may be said in terms of its variable.

    Outside of nests a variable without known value stands for itself: it is a parameter. In a nest a variable that
    the nest writes has either a known polynomial or None.
    """

    def __init__(self) -> None:
        super().__init__()
        self.known: Noted[Polynomial | None] = Noted()
        self.numbers: dict[str, int] = {}
        """The whole numbers that variables of floating types hold since their declarations: `const double one = 1;`."""
        self.ranges: dict[KnownRange, int] = {}
        """What guards and assertions say of the symbols at this point, numbered in the order in which they did."""
        self.derived: dict[str, DerivedSymbol] = {}
        self.quotients: dict[str, Polynomial] = {}
        """Symbols for `i / c` as C rounds it, with `i` and `c` summed: they cancel, or the whole is no polynomial.

        So do those for what data decides, which are the variables of the nest that hold it.
        """
        self.rounded: dict[str, tuple[BinaryOperator, Polynomial, Polynomial]] = {}
        """How to write those for `i / c` and `i >> c`."""
        self.written_memory: frozenset[str] | None = None
        """Objects that the nest writes; None outside of nests, where no load is taken for a constant."""
        self.left: dict[str, LeftAt] = {}
        """What counters of loops of the nest hold behind these, where that is no polynomial to go on with."""
        self.smaller: dict[str, Smaller] = {}
        """Variables that hold one of two values, as the end of a tile does: `end = min(start + 32, n)`."""
        self._variables: Mentions[str] = Mentions()
        self._about: Mentions[KnownRange] = Mentions()
        self._order = count()

    def take_known(self, other: KnownValues) -> None:
        """Start from the same values."""
        other.look_at_fresh()
        self.take_pointers(other)
        self.known, self.ranges = other.known.branched(), dict(other.ranges)
        self.numbers, self.left, self.smaller = dict(other.numbers), dict(other.left), dict(other.smaller)
        self.derived, self.quotients, self.written_memory = other.derived, other.quotients, other.written_memory
        self.rounded = other.rounded
        self._variables, self._about, self._order = other._variables, other._about, other._order

    def value(self, name: str) -> Polynomial | None:
        """Value of a variable."""
        return self.known[name] if name in self.known else Polynomial.symbol(name)

    def data(self, name: str) -> Polynomial:
        """The symbol for what a variable of the nest holds that data decides, and that is set once."""
        self.quotients[name] = Polynomial.symbol(f"{name}'data")
        return Polynomial.symbol(name)

    def assign(self, name: str, value: Polynomial | None) -> None:
        """Set a variable."""
        refers_to_itself = value is not None and name in self._basis(value)
        self.forget((name,))
        if value is not None and not refers_to_itself:
            self.known[name] = value

    def forget(self, names: Iterable[str], value: Polynomial | None = None) -> None:
        """Drop what is known of the names and through them."""
        gone = frozenset(names)
        if not gone:
            return
        point = self.next_point()
        self.look_at_fresh()
        for other in (*self._variables.of(gone), *(name for name in gone if name in self.pointers)):
            polynomial, place = self.known.get(other), self.pointers.get(other)
            if polynomial is not None and not self._basis(polynomial).isdisjoint(gone):
                self._reset(other)
            if place is not None and (other in gone or not self._leads_by(place).isdisjoint(gone)):
                del self.pointers[other]
                self.lose(other, point=point)
        for counter in [one for one, at in self.left.items() if one in gone or not at.symbols.isdisjoint(gone)]:
            del self.left[counter]
        for variable in [one for one, of in self.smaller.items() if one in gone or not of.symbols.isdisjoint(gone)]:
            del self.smaller[variable]
        for known in self._about.of(gone):
            if known in self.ranges and not self._basis(known.value).isdisjoint(gone):
                del self.ranges[known]
        for name in gone:
            self.numbers.pop(name, None)
            self._reset(name)
            self.lose(name, point=point)
            if value is not None:
                self.known[name] = value

    def merge(self, left: KnownValues, right: KnownValues) -> None:
        """Keep what two branches agree on."""
        names = left.known.keys() | right.known.keys()
        self.known = Noted()
        for name in names:
            a, b = left.value(name), right.value(name)
            if a == b:
                self.known[name] = a
            elif self.written_memory is not None:
                self.known[name] = None
        self.numbers = {name: left.numbers[name] for name in left.numbers.keys() & right.numbers.keys()
                        if left.numbers[name] == right.numbers[name]}  # fmt: skip
        self.left = {name: at for name, at in left.left.items() if right.left.get(name) == at}
        self.smaller = {name: held for name, held in left.smaller.items() if right.smaller.get(name) == held}
        self.merge_pointers(left, right)
        self.ranges = {known: order for known, order in left.ranges.items() if known in right.ranges}

    def assume(self, ranges: Iterable[KnownRange]) -> None:
        """Take in ranges that hold from here on."""
        for known in ranges:
            if known not in self.ranges and len(self.ranges) < _MOST_RANGES:
                self.ranges[known] = next(self._order)
                self._about.add(known, self._basis(known.value) or (_NO_SYMBOL,))

    def ranges_of(self, symbols: AbstractSet[str]) -> tuple[KnownRange, ...]:
        """Ranges that speak of these symbols alone, in their order."""
        found = (known for known in self._about.of({*symbols, _NO_SYMBOL}) if known in self.ranges)
        return tuple(sorted((known for known in found if known.value.symbols <= symbols), key=self.ranges.__getitem__))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known."""
        return not (self.known or self.pointers or self.ranges or self.numbers)

    def speaks_of(self, names: AbstractSet[str]) -> bool:
        """Whether something is known of one of the names, or in terms of it."""
        if any(not said.keys().isdisjoint(names) for said in (self.known, self.pointers, self.numbers)):
            return True
        self.look_at_fresh()
        return any(
            not frozenset().union(*self._bases_of(variable)).isdisjoint(names)
            for variable in self._variables.of(self._variables.among(names))
        ) or any(
            known in self.ranges and not self._basis(known.value).isdisjoint(names)
            for known in self._about.of(self._about.among(names))
        )

    def look_at_fresh(self) -> None:
        """Note what the values that were set since speak of."""
        for name in dict.fromkeys((*self.known.fresh, *self.pointers.fresh)):
            for names in self._bases_of(name):
                self._variables.add(name, names)
        self.known.fresh.clear()
        self.pointers.fresh.clear()

    def _bases_of(self, variable: str) -> list[frozenset[str]]:
        polynomial, place = self.known.get(variable), self.pointers.get(variable)
        found = [] if polynomial is None else [self._basis(polynomial)]
        return found if place is None else [*found, self._leads_by(place)]

    def _leads_by(self, place: Place) -> frozenset[str]:
        """Names that a pointer's place is said in terms of."""
        indices = (self._basis(d.index) for d in place.dimensions if d.index is not None)
        return frozenset((place.array,)).union(*indices)

    def _reset(self, name: str) -> None:
        if self.written_memory is None:
            self.known.pop(name, None)
        else:
            self.known[name] = None

    def _basis(self, polynomial: Polynomial) -> frozenset[str]:
        symbols = polynomial.symbols
        for name in symbols & self.quotients.keys():
            symbols |= self._basis(self.quotients[name])
        for name in symbols & self.derived.keys():
            formula = self.derived[name].formula
            if formula is not None:
                symbols |= formula.parameters
        return symbols
