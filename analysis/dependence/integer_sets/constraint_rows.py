"""Integer constraints as rows of coefficients: where a reference runs, and how a pair of references is related.

Shape: a row is `(is_equality, ((column, coefficient), ..))`, the sum `= 0` or `>= 0`; `""` is the constant's column.
A system is rows, all of which hold, and choices, of each of which one conjunction of rows holds.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from warplens.analysis.dependence.subscripts.affine_condition import Disjunction
from warplens.analysis.dependence.subscripts.iteration_domain import Place
from warplens.analysis.dependence.subscripts.quasi_affine import (
    Choice,
    Definition,
    Leftover,
    Lookup,
    Partner,
    Quotient,
    Remainder,
    Share,
    Standing,
    same_remainders,
)
from warplens.analysis.ir.polynomial import Polynomial

Affine = Mapping[str, int]
Row = tuple[bool, tuple[tuple[str, int], ...]]
Rows = tuple[Row, ...]

NEVER: Row = (False, (("", -1),))
_ONE: Affine = {"": 1}


def minus(left: Affine, right: Affine, factor: int = 1) -> Affine:
    """`left - factor * right`."""
    found = dict(left)
    for column, coefficient in right.items():
        found[column] = found.get(column, 0) - factor * coefficient
    return found


def is_zero(value: Affine) -> Row:
    """The row `value = 0`."""
    return True, tuple(sorted((c, k) for c, k in value.items() if k))


def is_least(value: Affine, least: int = 0) -> Row:
    """The row `value >= least`."""
    return False, is_zero(minus(value, _ONE, least))[1]


def equals(left: Affine, right: Affine) -> Row:
    """The row `left = right`."""
    return is_zero(minus(left, right))


def exceeds(left: Affine, right: Affine, by: int = 0) -> Row:
    """The row `left >= right + by`."""
    return is_least(minus(left, right), by)


def differs(left: Affine, right: Affine) -> tuple[Rows, Rows]:
    """The two cases of `left != right`."""
    return (exceeds(left, right, 1),), (exceeds(right, left, 1),)


@dataclass(slots=True)
class System:
    """Constraints over named columns; those in `extra` have some integer value that nobody asks for."""

    rows: list[Row] = field(default_factory=list)
    choices: list[tuple[Rows, ...]] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)

    def __add__(self, other: System) -> System:
        """Both together, what they share only once."""
        return System(
            list(dict.fromkeys((*self.rows, *other.rows))),
            list(dict.fromkeys((*self.choices, *other.choices))),
            [*self.extra, *other.extra],
        )

    def add(self, *rows: Row) -> None:
        """One more constraint each."""
        self.rows += rows

    def choose(self, *alternatives: Rows) -> None:
        """One of them holds."""
        if len(alternatives) == 1:
            self.rows += alternatives[0]
        elif alternatives:
            self.choices.append(alternatives)
        else:
            self.rows.append(NEVER)

    def add_multiple(self, value: Affine, divisor: int, column: str) -> None:
        """The value is a multiple of the divisor; the column is a new one."""
        self.extra.append(column)
        self.rows.append(is_zero(minus(value, {column: 1}, divisor)))


class Symbols:
    """Columns for parameters: one per monomial of C parameters, so that `n*m` is a symbol of its own."""

    def __init__(self, fixed: Iterable[str] = ()) -> None:
        """Make a table; iterators in `fixed` have one value in the whole question: `i*n` is a symbol too."""
        self.names: dict[tuple[str, ...], str] = {}
        self.fixed = frozenset(fixed)

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self.names.values())

    def only(self, columns: Container[str]) -> Symbols:
        """Those of these columns."""
        found = Symbols(self.fixed)
        found.names = {monomial: column for monomial, column in self.names.items() if column in columns}
        return found

    def affine(self, polynomial: Polynomial, iterators: Mapping[str, str]) -> Affine | None:
        """The polynomial over columns, None where an iterator is multiplied by a symbol."""
        found: dict[str, int] = {}
        for monomial, coefficient in polynomial.terms:
            if not monomial:
                column = ""
            elif len(monomial) == 1 and monomial[0] in iterators:
                column = iterators[monomial[0]]
            elif iterators.keys().isdisjoint(monomial) or self.fixed.issuperset(iterators.keys() & set(monomial)):
                column = self.names.setdefault(monomial, f"p{len(self.names)}")
            else:
                return None
            found[column] = found.get(column, 0) + coefficient
        return found


class ReferenceRows:
    """One side of a question: the columns of its iterators and definitions, and its constraints.

    `lost_depth` is the depth of the last constraint that isn't affine and was left out (as `uncertain_depth`);
    `strict` are the constraints under which no definition is an approximation; `open` are columns that have one value
    each, but which one only data says. The side may share columns with another: its outermost iterators, and what is
    computed from them and parameters alone.
    """

    def __init__(
        self,
        place: Place,
        definitions: Iterable[Definition],
        prefix: str,
        table: Symbols,
        shared: int = 0,
        other: ReferenceRows | None = None,
    ) -> None:
        """Make the rows of one side; the `shared` outermost iterators have the columns that they have in `other`."""
        self._prefix = prefix
        self._table = table
        self.loops = place.loops
        self.names = {loop.iterator: f"{prefix}{d}" for d, loop in enumerate(place.loops)}
        if other is not None:
            inner = {loop.iterator for loop in place.loops[shared:]}
            outer = (loop.iterator for loop in place.loops[:shared] if loop.iterator not in inner)
            self.names |= {name: other.names[name] for name in outer if name in other.names}
        self.lookups: list[tuple[Lookup, str, tuple[Affine, ...]]] = []
        self.partners: list[tuple[Partner, str, Affine]] = []
        self.shares: list[tuple[Polynomial, str, Affine]] = []
        self.strict: list[Row] = []
        self.open: set[str] = set()
        self.system = System()
        own = tuple(dict.fromkeys((*place.definitions, *definitions)))
        moving = {loop.iterator for loop in place.loops[shared:]}
        for k, definition in enumerate(own):
            if isinstance(definition, Standing) and table.fixed.issuperset(definition.around):
                continue  # a parameter of this question
            if other is not None and definition.name in other.names and moving.isdisjoint(definition.symbols):
                self.names[definition.name] = other.names[definition.name]
            else:
                self.names[definition.name] = f"{prefix}q{k}"
                moving.add(definition.name)
                if isinstance(definition, Lookup | Standing | Share | Partner):
                    self.open.add(f"{prefix}q{k}")
        self.columns = tuple(self.names.values())
        self.lost_depth = 0
        self._bounds(place)
        for guard in place.guards:
            alternatives = self._guard(guard)
            if alternatives is None:
                self.lost_depth = len(place.loops)
            else:
                self.system.choose(*alternatives)
        for definition in own:
            if definition.name in self.names and not self._define(definition):
                self.lost_depth = len(place.loops)
        for one, same in same_remainders(own):
            self.system.add(equals({self.names[one]: 1}, {self.names[same]: 1}))

    def affine(self, polynomial: Polynomial) -> Affine | None:
        """The polynomial over this side's columns."""
        return self._table.affine(polynomial, self.names)

    def _bounds(self, place: Place) -> None:
        iterators = {loop.iterator for loop in place.loops}
        for depth, loop in enumerate(place.loops):
            column = self.names[loop.iterator]
            own = {column: 1}
            sign = 1 if loop.step > 0 else -1
            inner = iterators - {lp.iterator for lp in place.loops[:depth]}
            outer = {name: text for name, text in self.names.items() if name not in inner}
            start = None if loop.start is None else self._table.affine(loop.start, outer)
            if start is None:
                self.lost_depth = depth
            else:
                self.system.add(is_least(_times(minus(own, start), sign)))
                if abs(loop.step) > 1:
                    self.system.add_multiple(minus(own, start), abs(loop.step), f"{column}s")
            for limit in loop.limits:
                end = self._table.affine(limit, outer)
                if end is None:
                    self.lost_depth = depth
                else:
                    self.system.add(is_least(_times(minus(end, own), sign), 1))

    def _guard(self, guard: Disjunction) -> tuple[Rows, ...] | None:
        found = []
        for conjunction in guard:
            terms = [self.affine(polynomial) for polynomial in conjunction]
            known = [term for term in terms if term is not None]
            if len(known) != len(terms):
                return None
            found.append(tuple(map(is_least, known)))
        return tuple(found)

    def _define(self, definition: Definition) -> bool:
        """Add what the definition says of its column; False where it isn't affine."""
        column = self.names[definition.name]
        own = {column: 1}
        match definition:
            case Quotient(numerator, divisor, rounds_down):
                above = self.affine(numerator)
                if above is not None:
                    self.system.choose(*_quotient(above, divisor, rounds_down, own))
                return above is not None
            case Remainder(numerator, modulus):
                above, below = self.affine(numerator), self.affine(modulus)
                if above is None or below is None:
                    return False
                self.system.choose(*_remainder(above, below, own))
                self.strict += (is_least(above), exceeds(_times(below, 2), above, 1))
            case Share(remainder):
                above = self.affine(remainder.numerator)
                self.strict.append(NEVER)
                if above is not None:
                    left = {self.names[remainder.name]: 1}
                    self.shares.append((remainder.modulus, column, minus(above, left)))
            case Leftover(remainder):
                below = self.affine(remainder.modulus)
                self.strict.append(NEVER)
                if below is None:
                    return False
                self.system.add(is_least(own), exceeds(below, own, 1))
            case Choice(condition, negated, then, otherwise):
                sides = (self.affine(then), self.affine(otherwise))
                tests = (self._guard(condition), self._guard(negated))
                if sides[0] is None or sides[1] is None or tests[0] is None or tests[1] is None:
                    return False
                yes, no = equals(own, sides[0]), equals(own, sides[1])
                self.system.choose(*((*rows, yes) for rows in tests[0]), *((*rows, no) for rows in tests[1]))
            case Partner(value):
                partner_of = self.affine(value)
                self.strict.append(NEVER)
                if partner_of is not None:
                    self.partners.append((definition, column, partner_of))
            case Lookup(indices=indices):
                found = [self.affine(index) for index in indices]
                known = tuple(index for index in found if index is not None)
                if len(known) != len(found):
                    return False
                self.lookups.append((definition, column, known))
        return True


def _times(value: Affine, factor: int) -> Affine:
    return {column: factor * coefficient for column, coefficient in value.items()}


def _quotient(numerator: Affine, divisor: int, rounds_down: bool, own: Affine) -> Iterator[Rows]:
    rest = minus(numerator, own, divisor)
    down = (is_least(rest), is_least(_times(rest, -1), 1 - divisor))
    if rounds_down:
        yield down
    else:
        up = (is_least(_times(rest, -1)), is_least(rest, 1 - divisor))
        yield is_least(numerator), *down
        yield is_least(_times(numerator, -1), 1), *up


def _remainder(numerator: Affine, modulus: Affine, own: Affine) -> Iterator[Rows]:
    """Exact for `0 <= numerator < 2 * modulus`, else only its sign and size."""
    twice = _times(modulus, 2)
    yield is_least(numerator), exceeds(modulus, numerator, 1), equals(own, numerator)
    yield exceeds(numerator, modulus), exceeds(twice, numerator, 1), equals(own, minus(numerator, modulus))
    yield is_least(modulus, 1), exceeds(numerator, twice), is_least(own), exceeds(modulus, own, 1)
    below = (is_least(_times(own, -1)), is_least(minus(own, _times(modulus, -1)), 1))
    yield is_least(modulus, 1), is_least(_times(numerator, -1), 1), *below
    yield (is_least(_times(modulus, -1)),)
