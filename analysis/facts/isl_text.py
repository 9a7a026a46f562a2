"""isl's notation for the domains of references and for the questions about a pair of them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from warplens.analysis.facts.affine_condition import Disjunction
from warplens.analysis.facts.iteration_domain import Place, Reference, same_layout
from warplens.analysis.facts.quasi_affine import Choice, Definition, Lookup, Quotient, Remainder, Share
from warplens.analysis.ir.polynomial import Polynomial


class Symbols:
    """isl parameters: one per monomial of C parameters, so that `n*m` is a symbol of its own."""

    def __init__(self, fixed: Iterable[str] = ()) -> None:
        """Make a table; iterators in `fixed` have one value in the whole question: `i*n` is a symbol too."""
        self.names: dict[tuple[str, ...], str] = {}
        self.fixed = frozenset(fixed)

    @property
    def declared(self) -> str:
        """Names for the set's parameter list."""
        return ", ".join(self.names.values())

    def text(self, polynomial: Polynomial, iterators: dict[str, str]) -> str | None:
        """Affine text, None where an iterator is multiplied by a symbol."""
        parts = []
        for monomial, coefficient in polynomial.terms:
            if not monomial:
                parts.append(str(coefficient))
            elif iterators.keys().isdisjoint(monomial):
                parts.append(f"{coefficient}*{self.names.setdefault(monomial, f'p{len(self.names)}')}")
            elif len(monomial) == 1:
                parts.append(f"{coefficient}*{iterators[monomial[0]]}")
            elif self.fixed.issuperset(iterators.keys() & set(monomial)):
                parts.append(f"{coefficient}*{self.names.setdefault(monomial, f'p{len(self.names)}')}")
            else:
                return None
        return f"({' + '.join(parts)})" if parts else "0"


class PairText:
    """isl's notation for the questions about one pair of references at one loop."""

    def __init__(self, source: Reference, sink: Reference, level: int, symbols: Symbols | None = None) -> None:
        outer = frozenset(loop.iterator for loop in source.place.loops[:level])
        self._symbols = Symbols(outer) if symbols is None else symbols
        first, second = source.place.loops, sink.place.loops
        self.common = tuple(a for a, b in zip(first, second, strict=False) if a.id == b.id)
        left, right = (
            ReferenceText(source.place, source.definitions, "x", self._symbols),
            ReferenceText(sink.place, sink.definitions, "y", self._symbols),
        )
        xs, ys = left.names, right.names
        left_lost, right_lost = left.lost_depth, right.lost_depth
        self._dims = [*left.dims, *right.dims]
        self._domain = [
            *left.parts,
            *right.parts,
            *_tables(left, right, frozenset(loop.iterator for loop in first[:level])),
        ]
        self._strict = [*left.strict, *right.strict]
        self._sink_domain = right.parts
        self._split = len(left.dims)
        self.source_lost_depth = left_lost
        self.lost_depth = max(left_lost, right_lost)
        self._order = [f"x{d} = y{d}" for d in range(level)]
        carrier = self.common[level]
        self._order.append(f"x{level} {'<' if carrier.step > 0 else '>'} y{level}")
        if carrier.start is None and abs(carrier.step) > 1:
            self._order.append(f"(y{level} - x{level}) mod {abs(carrier.step)} = 0")
        self._same_element: list[str] = []
        self._shifts: set[str] = set()
        self.is_exact = True
        if same_layout(source, sink):
            for p, q in zip(_positions(source), _positions(sink), strict=True):
                self._equate(p, q, xs, ys, "{0} = {1}")
        else:
            overlap = f"{{0}} < {{1}} + {sink.size_bytes} and {{1}} < {{0}} + {source.size_bytes}"
            self._equate(source.byte_address, sink.byte_address, xs, ys, overlap)

    def _equate(
        self, p: Polynomial | None, q: Polynomial | None, xs: dict[str, str], ys: dict[str, str], relation: str
    ) -> None:
        one = None if p is None else self._symbols.text(p, xs)
        other = None if q is None else self._symbols.text(q, ys)
        if p is None or q is None or one is None or other is None:
            self.is_exact = False
        else:
            self._same_element.append(relation.format(one, other))
            self._shifts |= (p - q).symbols
            # A product stands for itself: that n*m and n belong together is lost, so equality may be impossible.
            self.is_exact = self.is_exact and (p - q).degree <= 1

    @property
    def has_parameters(self) -> bool:
        """Whether the answer may depend on parameters."""
        return bool(self._symbols.names)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Parameters of the subscripts' differences, or all if there are none."""
        every = {name for monomial in self._symbols.names for name in monomial} - self._symbols.fixed
        return tuple(sorted(every & self._shifts or every))

    @property
    def is_approximate(self) -> bool:
        """Whether the pairs hold some that are not known to meet: a remainder whose operand may leave its range."""
        return bool(self._strict)

    def pairs(self) -> str:
        """Pairs of iterations that meet, the source's first."""
        return self._set(self._dims, [*self._domain, *self._order, *self._same_element])

    def runs_twice(self) -> str:
        """Pairs of iterations in that order, whether they meet or not."""
        return self._set(self._dims, [*self._domain, *self._order])

    def deltas(self, *, certain: bool = False) -> str:
        """Differences of the common iterators in the direction of each loop's step, all or of pairs sure to meet."""
        signs = [1 if loop.step > 0 else -1 for loop in self.common]
        differences = [f"d{k} = {s}*(y{k} - x{k})" for k, s in enumerate(signs)]
        strict = self._strict if certain else ()
        body = " and ".join([*differences, *self._domain, *self._order, *self._same_element, *strict])
        dims = ", ".join(f"d{k}" for k in range(len(self.common)))
        return f"[{self._symbols.declared}] -> {{ [{dims}] : exists {', '.join(self._dims)} : {body} }}"

    def sinks(self) -> str:
        """Iterations of the sink."""
        return self._set(self._dims[self._split :], self._sink_domain)

    def sinks_in_same_iteration(self) -> str:
        """Those in which the source, in the same iteration of the common loops, touches the same element."""
        same = [f"x{d} = y{d}" for d in range(len(self.common))]
        body = " and ".join([*self._domain, *same, *self._same_element])
        sink = ", ".join(self._dims[self._split :])
        return f"[{self._symbols.declared}] -> {{ [{sink}] : exists {', '.join(self._dims[: self._split])} : {body} }}"

    def delta_equals(self, level: int, value: int) -> str:
        """Differences with a given one at one loop."""
        dims = ", ".join(f"d{k}" for k in range(len(self.common)))
        return f"[{self._symbols.declared}] -> {{ [{dims}] : d{level} = {value} }}"

    def _set(self, dims: list[str], parts: list[str]) -> str:
        return f"[{self._symbols.declared}] -> {{ [{', '.join(dims)}] : {' and '.join(parts)} }}"


class ReferenceText:
    """One side of a question: its dimensions, the names of its symbols and its constraints.

    `lost_depth` is the depth of the last constraint that isn't affine and was left out (as `uncertain_depth`);
    `strict` are the constraints under which no definition is an approximation.
    """

    def __init__(self, place: Place, definitions: Iterable[Definition], prefix: str, table: Symbols) -> None:
        self.names = {loop.iterator: f"{prefix}{d}" for d, loop in enumerate(place.loops)}
        self.lookups: list[tuple[Lookup, str, tuple[str, ...]]] = []
        self.shares: list[tuple[Polynomial, str, str]] = []
        self.strict: list[str] = []
        own = tuple(dict.fromkeys((*place.definitions, *definitions)))
        self.names |= {definition.name: f"{prefix}q{k}" for k, definition in enumerate(own)}
        self.dims = list(self.names.values())
        self.parts, self.lost_depth = _bounds_and_guards(place, self.names, table)
        for definition in own:
            self._define(definition, len(place.loops), table)

    def _define(self, definition: Definition, depth: int, table: Symbols) -> None:
        name = self.names[definition.name]
        match definition:
            case Quotient(numerator, divisor, rounds_down):
                above = table.text(numerator, self.names)
                text = None if above is None else _quotient(above, divisor, rounds_down, name)
            case Remainder(numerator, modulus):
                above, below = table.text(numerator, self.names), table.text(modulus, self.names)
                text = None
                if above is not None and below is not None:
                    text, strict = _remainder(above, below, name)
                    self.strict.append(strict)
            case Share(remainder):
                above = table.text(remainder.numerator, self.names)
                text = "0 = 0"
                self.strict.append("1 = 0")
                if above is not None:
                    self.shares.append((remainder.modulus, name, f"{above} - {self.names[remainder.name]}"))
            case Choice(condition, negated, then, otherwise):
                sides = (table.text(then, self.names), table.text(otherwise, self.names))
                tests = (_guard(condition, self.names, table), _guard(negated, self.names, table))
                text = None
                if None not in sides and None not in tests:
                    text = f"(({tests[0]} and {name} = {sides[0]}) or ({tests[1]} and {name} = {sides[1]}))"
            case Lookup(indices=indices):
                found = [table.text(index, self.names) for index in indices]
                known = tuple(index for index in found if index is not None)
                text = None
                if len(known) == len(found):
                    text = "0 = 0"
                    self.lookups.append((definition, name, known))
        if text is None:
            self.lost_depth = depth
        else:
            self.parts.append(text)


def _quotient(numerator: str, divisor: int, rounds_down: bool, name: str) -> str:
    down = f"{divisor}*{name} <= {numerator} and {numerator} <= {divisor}*{name} + {divisor - 1}"
    if rounds_down:
        return f"({down})"
    up = f"{divisor}*{name} >= {numerator} and {numerator} >= {divisor}*{name} - {divisor - 1}"
    return f"(({numerator} >= 0 and {down}) or ({numerator} < 0 and {up}))"


def _remainder(numerator: str, modulus: str, name: str) -> tuple[str, str]:
    """Constraint, and the condition under which it is exact: `0 <= numerator < 2 * modulus`."""
    once = f"0 <= {numerator} and {numerator} < {modulus} and {name} = {numerator}"
    twice = f"{modulus} <= {numerator} and {numerator} < 2*{modulus} and {name} = {numerator} - {modulus}"
    more = f"{modulus} >= 1 and {numerator} >= 2*{modulus} and 0 <= {name} and {name} < {modulus}"
    below = f"{modulus} >= 1 and {numerator} < 0 and -{modulus} < {name} and {name} <= 0"
    return (
        f"(({once}) or ({twice}) or ({more}) or ({below}) or {modulus} < 1)",
        f"0 <= {numerator} and {numerator} < 2*{modulus}",
    )


def _tables(left: ReferenceText, right: ReferenceText, outer: frozenset[str]) -> list[str]:
    """What the values of one array have to do with each other, and quotients by one modulus.

    `outer` are iterators that are equal on both sides.
    """
    parts = []
    for (modulus, q, multiple), (other_modulus, p, other_multiple) in combinations([*left.shares, *right.shares], 2):
        if modulus == other_modulus:
            parts.append(f"({q} != {p} or {multiple} = {other_multiple})")
    moving = (left.names.keys() | right.names.keys()) - outer
    sided = [(0, *known) for known in left.lookups] + [(1, *known) for known in right.lookups]
    for (side, first, v, at), (other_side, second, w, other) in combinations(sided, 2):
        if first.array != second.array or len(at) != len(other):
            continue
        is_fixed = side == other_side or moving.isdisjoint(first.symbols | second.symbols)
        distances = [p - q for p, q in zip(first.indices, second.indices, strict=True)]
        if is_fixed and all(distance.is_constant for distance in distances):
            parts += _fixed_pair(first, [distance.constant_term for distance in distances], v, w)
            continue
        if not first.is_injective and not first.is_increasing:
            continue  # equal places hold equal values: no help where the places differ
        equal = " and ".join(f"{a} = {b}" for a, b in zip(at, other, strict=True))
        unequal = " or ".join(f"{a} != {b}" for a, b in zip(at, other, strict=True))
        parts.append(f"({unequal} or {v} = {w})")
        if first.is_injective:
            parts.append(f"({v} != {w} or ({equal}))")
        if first.is_increasing:
            parts.append(f"({at[0]} > {other[0]} or {v} <= {w})")
            parts.append(f"({at[0]} < {other[0]} or {v} >= {w})")
    return parts


def _fixed_pair(lookup: Lookup, distances: list[int], v: str, w: str) -> list[str]:
    """The same for two elements a known distance apart."""
    if not any(distances):
        return [f"{v} = {w}"]
    parts = [f"{v} != {w}"] if lookup.is_injective else []
    if lookup.is_increasing:
        parts.append(f"{v} {'>=' if distances[0] > 0 else '<='} {w}")
    return parts


def _positions(reference: Reference) -> tuple[Polynomial | None, ...]:
    return reference.positions or reference.indices


def _bounds_and_guards(place: Place, names: dict[str, str], table: Symbols) -> tuple[list[str], int]:
    """Constraints of a place, and the depth of the last that isn't affine and was left out (as `uncertain_depth`)."""
    parts: list[str] = []
    lost = 0
    iterators = {loop.iterator for loop in place.loops}
    for depth, loop in enumerate(place.loops):
        own = names[loop.iterator]
        inner = iterators - {lp.iterator for lp in place.loops[:depth]}
        outer = {name: text for name, text in names.items() if name not in inner}
        start = None if loop.start is None else table.text(loop.start, outer)
        if start is None:
            lost = depth
        else:
            parts.append(f"{own} {'>=' if loop.step > 0 else '<='} {start}")
            if abs(loop.step) > 1:
                parts.append(f"({own} - {start}) mod {abs(loop.step)} = 0")
        for limit in loop.limits:
            text = table.text(limit, outer)
            if text is None:
                lost = depth
            else:
                parts.append(f"{own} {'<' if loop.step > 0 else '>'} {text}")
    for guard in place.guards:
        text = _guard(guard, names, table)
        if text is None:
            lost = len(place.loops)
        else:
            parts.append(text)
    return parts or ["0 = 0"], lost


def _guard(guard: Disjunction, names: dict[str, str], table: Symbols) -> str | None:
    if not guard:
        return "1 = 0"
    alternatives = []
    for conjunction in guard:
        terms = [table.text(polynomial, names) for polynomial in conjunction]
        if None in terms:
            return None
        alternatives.append("(" + " and ".join([f"{term} >= 0" for term in terms] or ["0 = 0"]) + ")")
    return "(" + " or ".join(alternatives) + ")"
