"""Two subscripts that count in one mixed radix, `(i*m + j)*n + k`, compared digit by digit.

A product of an iterator and a size fits in no integer set. But two such sums are equal exactly where all their digits
are, if each digit but the first stays in a row as long as its radix. Other than in `delinearise` the digits may be
values that follow from iterators (`i = ij / n`, `j = ij % n`) or that are looked up, and each pair has a radix of its
own. A sum taken modulo the length of all rows (`(x + shift) % (m*n)`) names the same element only where the sum does.

Assumes: that a modulus is at least 1 where the proof of the rows needs it (an assumption of the verdict).
Source: Knuth, The Art of Computer Programming 2, 3rd edition, section 4.1 (numbers have one representation each).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from warplens.analysis.algebra.byte_strides import split_index, widest_chain
from warplens.analysis.dependence.array_rows.row_bounds import extreme, in_row
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver
from warplens.analysis.dependence.subscripts.defined_values import DefinedValues
from warplens.analysis.dependence.subscripts.folded_products import unfolded, with_divisions_of
from warplens.analysis.dependence.subscripts.iteration_domain import Place, Reference, same_layout
from warplens.analysis.dependence.subscripts.nested_quotients import in_one_chain
from warplens.analysis.dependence.subscripts.quasi_affine import Definition, Disjunction, Leftover, Remainder, Share
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial

_FIRST = (0, 1, -1)
"""First elements of a row that are tried."""

_Sides = tuple[Polynomial, Polynomial]


@dataclass(frozen=True, slots=True)
class Split:
    """References with a subscript per digit, and the sizes that are assumed to be at least 1."""

    source: Reference
    sink: Reference
    positive: tuple[Polynomial, ...]


def in_mixed_radix(source: Reference, sink: Reference, level: int, solver: ConflictSolver) -> Split | None:
    """References that touch one element exactly where these do, in iterations equal outside of loop number `level`.

    None where no subscript has digits whose rows are proved.
    """
    if not same_layout(source, sink) or source.access is None:
        return None
    source, sink = in_one_chain(source), in_one_chain(sink)
    pair = _Pair(with_divisions_of(source, sink), with_divisions_of(sink, source), level, solver)
    if not any(p is not None and q is not None and pair.is_product(p, q) for p, q in pair.positions):
        return None
    found = pair.split(None)
    return found or next(filter(None, map(pair.split, pair.assumptions())), None)


def modulus_assumptions(loop: NodeId, solver: ConflictSolver) -> tuple[Assumption, ...]:
    """What answers about the loop take for granted of what they divide by."""
    text = "`{}` is assumed to be at least 1: the rows of `{}` have that length."
    taken = sorted((name, str(modulus)) for at, name, modulus in solver.taken_positive if at == loop)
    return tuple(Assumption("bounds", name, text.format(modulus, name)) for name, modulus in taken)


class _Pair:
    """What is known of the symbols in two references' subscripts."""

    def __init__(self, source: Reference, sink: Reference, level: int, solver: ConflictSolver) -> None:
        self._sides = (source, sink)
        self._solver = solver
        self.positions = list(zip(source.positions, sink.positions, strict=True))
        places = (source.place, sink.place)
        definitions = [d for r in self._sides for d in (*r.place.definitions, *r.definitions)]
        self._values = DefinedValues(tuple(definitions))
        iterators = {loop.iterator for place in places for loop in place.loops}
        moving = {loop.iterator for place in places for loop in place.loops[level:]}
        for definition in definitions:  # each stands after those that it is computed from
            if not moving.isdisjoint(definition.symbols):
                moving.add(definition.name)
        self._moving = frozenset(moving)
        self._computed = self._moving | self._values.known.keys()
        behind = self._values.basis(sum((p for pair in self.positions for p in pair if p is not None), Polynomial(())))
        divided = (d.modulus for d in definitions if isinstance(d, Remainder) and d.name in behind)
        variable = iterators | self._values.known.keys()
        self._moduli = tuple(dict.fromkeys(m for m in divided if m.symbols and variable.isdisjoint(m.symbols)))

    def is_product(self, *positions: Polynomial) -> bool:
        """Whether one of them is more than a sum of iterators and of what is computed from them."""
        moduli = {name for name, d in self._values.known.items() if isinstance(d, Remainder)} & self._moving
        return any(
            (len(monomial) > 1 and not self._computed.isdisjoint(monomial)) or not moduli.isdisjoint(monomial)
            for position in positions
            for monomial, _ in position.terms
        )

    def assumptions(self) -> list[tuple[Polynomial, ...]]:
        """Sizes or moduli to take for at least 1 where that is not proved, what is taken first before the rest."""
        unproved = [m for m in self._moduli if not all(self._is_positive(m, r.place) for r in self._sides)]
        sizes = dict.fromkeys(size for m in unproved for size in _factors(m) or (m,))
        missing = (size for size in sizes if not all(self._is_positive(size, r.place) for r in self._sides))
        return list(dict.fromkeys((tuple(missing), tuple(unproved))))

    def _is_positive(self, value: Polynomial, place: Place, assumed: tuple[Polynomial, ...] = ()) -> bool:
        """Whether it is at least 1 where something runs, or all its factors are."""
        if value in assumed:
            return True
        factors = _factors(value)
        if len(factors) > 1:
            return all(self._is_positive(factor, place, assumed) for factor in factors)
        question = ("positive", place, value)
        proved = self._solver.proved
        if question not in proved:
            proved[question] = self._solver.holds(place, value - 1)
        return proved[question]

    def split(self, assumed: tuple[Polynomial, ...] | None) -> Split | None:
        """Both with digits if what is assumed is at least 1; None: only without what stands still."""
        ends: tuple[list[Polynomial | None], list[Polynomial | None]] = ([], [])
        is_split = False
        for p, q in self.positions:
            digits = None
            if p is not None and q is not None and self.is_product(p, q):
                digits = self._digits((p, q), assumed) or self._digits(self._unfolded((p, q)), assumed)
            is_split = is_split or digits is not None
            for end, kept, found in zip(ends, (p, q), digits or ((p,), (q,)), strict=True):
                end.extend((kept,) if digits is None else found)
        if not is_split:
            return None
        first, second = (
            replace(
                r,
                indices=tuple(end),
                positions=tuple(end),
                place=r.place if assumed is None else self._place(r, assumed),
                definitions=r.definitions if assumed is None else self._definitions(r, assumed),
            )
            for r, end in zip(self._sides, ends, strict=True)
        )
        return Split(first, second, assumed or ())

    def _digits(
        self, sides: _Sides, assumed: tuple[Polynomial, ...] | None
    ) -> tuple[list[Polynomial], list[Polynomial]] | None:
        sides, length = self._unwrapped(sides)
        for rest in dict.fromkeys(side.without(self._moving) for side in reversed(sides)):
            found = self._split((sides[0] - rest, sides[1] - rest), length, assumed, was_whole=not rest.terms)
            if found is not None:
                return found
        return None

    def _unfolded(self, sides: _Sides) -> _Sides:
        first, second = (
            unfolded(side, {d.name: d for d in (*r.place.definitions, *r.definitions)}, self._moving)
            for side, r in zip(sides, self._sides, strict=True)
        )
        return first, second

    def _split(
        self, sides: _Sides, length: Polynomial | None, assumed: tuple[Polynomial, ...] | None, *, was_whole: bool
    ) -> tuple[list[Polynomial], list[Polynomial]] | None:
        """Digits of sums, what stands still in one of them left out on both sides; `length` is that of all rows."""
        slopes = [side.coefficient(name) for side in sides for name in self._moving & side.symbols]
        if any(not self._moving.isdisjoint(slope.symbols) for slope in slopes):
            return None
        chain = widest_chain(slopes)
        first, second = (split_index(side, self._moving, chain) for side in sides)
        if first is None or second is None:
            return None
        extents = [divmod(outer, inner)[0] for inner, outer in pairwise(chain)][::-1]
        top = None
        if length is not None:
            top, left = divmod(length, chain[-1])
            if left.terms:
                return None
        if assumed is None:
            return None if was_whole or len(chain) > 1 or top is not None else (first, second)
        if len(chain) == 1 and top is None:
            return None
        for one, other, extent in zip(first, second, (top, *extents), strict=True):
            if extent is not None and not self._share_a_row((one, other), extent, assumed):
                return None
        return first, second

    def _unwrapped(self, sides: _Sides) -> tuple[_Sides, Polynomial | None]:
        """What both are taken modulo of, and that."""
        remainders = [self._remainder(side) for side in sides]
        one, other = remainders
        if one is None or other is None or one.modulus != other.modulus:
            return sides, None
        length = one.modulus
        found = []
        for remainder in (one, other):
            inner: Remainder | None = remainder
            value = remainder.numerator
            while inner is not None and inner.modulus == length:
                value = divmod(inner.numerator, length)[1]
                inner = self._remainder(value)
            found.append(value)
        return (found[0], found[1]), length

    def _remainder(self, value: Polynomial) -> Remainder | None:
        """The remainder that the value is."""
        match value.terms:
            case (((name,), 1),):
                known = self._values.known.get(name)
                return known if isinstance(known, Remainder) else None
            case _:
                return None

    def _share_a_row(self, digits: _Sides, extent: Polynomial, assumed: tuple[Polynomial, ...]) -> bool:
        return any(
            all(
                self._is_in_row(reference, digit - first, extent, assumed)
                for reference, digit in zip(self._sides, digits, strict=True)
            )
            for first in _FIRST
        )

    def _is_in_row(
        self, reference: Reference, digit: Polynomial, extent: Polynomial, assumed: tuple[Polynomial, ...]
    ) -> bool:
        question = ("row", reference.place, reference.definitions, digit, extent, assumed)
        proved = self._solver.proved
        if question not in proved:
            place = self._place(reference, assumed)
            proved[question] = in_row(digit, extent, place, self._solver)
        return proved[question]

    def _place(self, reference: Reference, assumed: tuple[Polynomial, ...]) -> Place:
        """Where it runs, with bounds of quotients by sizes."""
        place = reference.place
        known = self._definitions(reference, assumed)
        positive = (*assumed, *(m for m in self._moduli if self._is_positive(m, place, assumed)))
        guards = [self._range(share, place) for share in known if isinstance(share, Share)]
        return replace(
            place,
            definitions=known,
            guards=(
                *place.guards,
                *(((value - 1,),) for value in dict.fromkeys(positive)),
                *(guard for guard in guards if guard is not None),
            ),
        )

    def _definitions(self, reference: Reference, assumed: tuple[Polynomial, ...]) -> tuple[Definition, ...]:
        """Of all that decides where it runs and what it touches; remainders without cases where that is enough."""
        place = reference.place
        return tuple(
            Leftover(d)
            if isinstance(d, Remainder)
            and d.modulus in self._moduli
            and self._is_positive(d.modulus, place, assumed)
            and self._is_nonnegative(d.numerator, place)
            else d
            for d in dict.fromkeys((*place.definitions, *reference.definitions))
        )

    def _range(self, share: Share, place: Place) -> Disjunction | None:
        """`0 <= numerator / n <= m - 1` where the numerator is below m*n, or a modulus is not positive."""
        numerator, modulus = share.remainder.numerator, share.remainder.modulus
        inner = self._remainder(numerator)
        highest = extreme(numerator, place, 1) if inner is None else inner.modulus - 1
        if highest is None or not highest.symbols.isdisjoint(self._values.known):
            return None
        if not self._is_nonnegative(numerator, place):
            return None
        most, rest = divmod(highest, modulus)
        if not rest.is_constant:
            return None
        most = most + (rest.constant_term if rest.constant_term >= 0 else -1)
        own = Polynomial.symbol(share.name)
        other = () if inner is None else ((-inner.modulus,),)
        return (modulus - 1, own, most - own), (-modulus,), *other

    def _is_nonnegative(self, value: Polynomial, place: Place) -> bool:
        """Of what is not negative itself or the remainder of that."""
        while (remainder := self._remainder(value)) is not None:
            value = remainder.numerator
        lowest = extreme(value, place, -1)
        return lowest is not None and lowest.is_constant and lowest.constant_term >= 0


def _factors(value: Polynomial) -> tuple[Polynomial, ...]:
    """Symbols of a product with a positive coefficient, none of any other value."""
    if len(value.terms) != 1 or value.terms[0][1] < 1:
        return ()
    return tuple(map(Polynomial.symbol, dict.fromkeys(value.terms[0][0])))
