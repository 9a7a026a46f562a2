"""The questions about one pair of references at one loop, as systems of rows.

Iterators of loops in which both are in the same iteration have one column for both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from warplens.analysis.dependence.integer_sets.constraint_components import columns_of, columns_of_system, part_with
from warplens.analysis.dependence.integer_sets.constraint_rows import (
    Affine,
    ReferenceRows,
    Row,
    Rows,
    Symbols,
    System,
    differs,
    equals,
    exceeds,
    is_least,
    minus,
)
from warplens.analysis.dependence.integer_sets.partner_rows import relate_partners
from warplens.analysis.dependence.integer_sets.quick_tests import holds_part
from warplens.analysis.dependence.integer_sets.related_subscripts import as_far_as_related, positions_of
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, same_layout
from warplens.analysis.dependence.subscripts.quasi_affine import Lookup
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class Question:
    """Integer points of a system: those columns of them that are `kept`, the others projected out."""

    system: System
    kept: tuple[str, ...]
    table: Symbols


class PairRows:
    """A source and a sink in different iterations of loop number `level`, or both in one of all common loops."""

    def __init__(
        self,
        source: Reference,
        sink: Reference,
        level: int,
        symbols: Symbols | None = None,
        *,
        in_one_iteration: bool = False,
        is_filling: bool = False,
    ) -> None:
        """Relate the two; questions with the same `symbols` have the same parameters.

        They meet where the source touches some of the bytes of the sink; if it `is_filling` them, where it touches all.
        """
        outer = frozenset(loop.iterator for loop in source.place.loops[:level])
        self._table = Symbols(outer) if symbols is None else symbols
        if symbols is None and not in_one_iteration and same_layout(source, sink):
            source, sink = as_far_as_related(source, sink, outer)
        first, second = source.place.loops, sink.place.loops
        self.common = tuple(a for a, b in zip(first, second, strict=False) if a.id == b.id)
        shared = len(self.common) if in_one_iteration else level
        self._left = ReferenceRows(source.place, source.definitions, "x", self._table)
        self._right = ReferenceRows(sink.place, sink.definitions, "y", self._table, shared, self._left)
        self.source_lost_depth = self._left.lost_depth
        self.is_source_open = not self._left.open.issubset(self._right.names.values())
        """Whether data decides what the source touches, or if it runs, other data than for the sink."""
        self.lost_depth = max(self._left.lost_depth, self._right.lost_depth)
        self._domain = self._left.system + self._right.system
        alike = frozenset(loop.iterator for loop in first[:shared])
        _relate_tables(self._domain, self._left, self._right, alike)
        relate_partners(self._domain, self._left, self._right, alike)
        self._level = level
        self._strict = [*self._left.strict, *self._right.strict]
        self._order = System()
        if not in_one_iteration:
            self._distances = [f"d{k}" for k in range(level, len(self.common))]
            self._place_apart(level)
        self._meeting = System()
        self._shifts: set[str] = set()
        self._mixed = (_mixed(source, level), _mixed(sink, level))
        self.is_exact = not is_filling or not same_layout(source, sink) or holds_part(source, sink)
        if same_layout(source, sink):
            for p, q in zip(positions_of(source), positions_of(sink), strict=True):
                self._relate(p, q)
        else:
            last, before = sink.size_bytes - 1, source.size_bytes - 1
            behind = (0, last - before) if is_filling else (-last, -before)
            self._relate(source.byte_address, sink.byte_address, behind)
        self.context: Question | None = None
        """What has to hold while the loops around stand still, where the iterations have nothing to do with it."""
        if symbols is None and not in_one_iteration:
            self._leave_out_context()

    def _leave_out_context(self) -> None:
        """Ask about the iterations without what is only known of the loops around them."""
        asked = [*self._order.rows, *self._meeting.rows, *self._strict]
        self._domain, rest = part_with(self._domain, columns_of(asked))
        if rest.rows or rest.choices:
            self.context = Question(rest, (), self._table.only(columns_of_system(rest)))
            self._table = self._table.only(columns_of_system(self._domain) | columns_of(asked))

    def _place_apart(self, level: int) -> None:
        """Distances in the direction of each loop's step; the one of the loop itself is not zero."""
        for k in range(level, len(self.common)):
            step = self.common[k].step
            distance = {f"y{k}": 1, f"x{k}": -1, f"d{k}": -1 if step > 0 else 1}
            self._order.add(equals(distance, {}))
        carrier = self.common[level]
        apart = {f"d{level}": 1}
        self._order.add(is_least(apart, 1))
        if carrier.start is None and abs(carrier.step) > 1:
            self._order.add_multiple(apart, abs(carrier.step), "steps")

    def _relate(self, p: Polynomial | None, q: Polynomial | None, behind: tuple[int, int] | None = None) -> None:
        """Both at one index, or the sink at least so many bytes behind the source, and the source behind the sink."""
        one = None if p is None else self._left.affine(p)
        other = None if q is None else self._right.affine(q)
        if p is None or q is None or one is None or other is None:
            self.is_exact = False
            return
        if behind is None:
            self._meeting.add(equals(one, other))
        else:
            self._meeting.add(exceeds(other, one, behind[0]), exceeds(one, other, behind[1]))
        self._shifts |= (p - q).symbols
        # A product stands for itself: that n*m and n belong together is lost, so equality may be impossible.
        self.is_exact = self.is_exact and (p - q).degree <= 1

    @property
    def size(self) -> int:
        """How many rows it took."""
        systems = (self._left.system, self._right.system, self._domain, self._order, self._meeting)
        choices = (rows for system in systems for choice in system.choices for rows in choice)
        return sum(len(system.rows) for system in systems) + sum(map(len, choices))

    @property
    def has_parameters(self) -> bool:
        """Whether the answer may depend on parameters."""
        return bool(self._table.names)

    @property
    def parameters(self) -> tuple[tuple[str, ...], ...]:
        """Parameters in the order of their columns, each with the names whose product it is."""
        return tuple(self._table.names)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Parameters of the subscripts' differences, or all if there are none."""
        every = {name for monomial in self._table.names for name in monomial} - self._table.fixed
        return tuple(sorted(every & self._shifts or every))

    @property
    def is_approximate(self) -> bool:
        """Whether the pairs hold some that are not known to meet: a remainder whose operand may leave its range."""
        return bool(self._strict)

    def distances(self, *, certain: bool = False) -> Question:
        """Distances at this loop and those inside it, of all pairs that meet or of those sure to."""
        system = self._domain + self._order + self._meeting
        if certain:
            system.add(*self._strict)
        return Question(system, tuple(self._distances), self._table)

    def runs_twice(self) -> Question:
        """Sizes for which there are two iterations in that order, whether they meet or not."""
        return Question(self._domain + self._order, (), self._table)

    def extents(self) -> tuple[Question, tuple[bool, ...]]:
        """The same two iterations, by how far they are apart in each loop or a loop around one side has come.

        With it, per column, whether a subscript adds what its loop counts to what another one does.
        """
        system = self._domain + self._order
        shared = range(self._level, len(self.common))
        columns = list(self._distances)
        mixed = [any(self.common[depth].iterator in names for names in self._mixed) for depth in shared]
        for side, rows, names in zip("xy", (self._left, self._right), self._mixed, strict=True):
            for depth, loop in enumerate(rows.loops):
                if depth in shared or loop.start is None or (side == "y" and depth < self._level):
                    continue
                start = rows.affine(loop.start)
                if start is not None:
                    columns.append(f"{side}e{depth}")
                    mixed.append(loop.iterator in names)
                    system.add(equals({rows.names[loop.iterator]: 1, columns[-1]: -1 if loop.step > 0 else 1}, start))
        return Question(system, tuple(columns), self._table), tuple(mixed)

    def meetings(self) -> Question:
        """Sizes for which the two meet."""
        return Question(self._domain + self._order + self._meeting, (), self._table)

    def not_earlier(self, time: str, other: str, by: int = 0) -> Question:
        """Sizes for which the two meet where an iterator of the source is at least so far behind one of the sink."""
        system = self._domain + self._order + self._meeting
        system.add(exceeds({self._left.names[time]: 1}, {self._right.names[other]: 1}, by))
        return Question(system, (), self._table)

    def sinks(self) -> Question:
        """Iterations of the sink."""
        return Question(self._right.system, self._right.columns, self._table)

    def sinks_that_meet(self) -> Question:
        """Those in which it touches what the source does; for certain, unless the source is open."""
        system = self._domain + self._order + self._meeting
        system.add(*self._strict)
        return Question(system, self._right.columns, self._table)


def _relate_tables(system: System, left: ReferenceRows, right: ReferenceRows, outer: frozenset[str]) -> None:
    """Add what the values of one array have to do with each other, and quotients by one modulus.

    `outer` are iterators that are equal on both sides.
    """
    for (modulus, q, multiple), (other_modulus, p, other_multiple) in combinations([*left.shares, *right.shares], 2):
        if modulus == other_modulus and p != q:
            # First: where the quotients have to be equal, little is left for the cases of what is divided.
            system.choices.insert(0, (*differs({q: 1}, {p: 1}), (equals(multiple, other_multiple),)))
    moving = (left.names.keys() | right.names.keys()) - outer
    sided = [(0, *known) for known in left.lookups] + [(1, *known) for known in right.lookups]
    for (side, first, v, at), (other_side, second, w, other) in combinations(sided, 2):
        if first.array != second.array or len(at) != len(other) or v == w:
            continue
        values = ({v: 1}, {w: 1})
        is_fixed = side == other_side or moving.isdisjoint(first.symbols | second.symbols)
        distances = [p - q for p, q in zip(first.indices, second.indices, strict=True)]
        if is_fixed and all(distance.is_constant for distance in distances):
            _relate_fixed(system, first, [distance.constant_term for distance in distances], *values)
        elif not (side == other_side or moving.isdisjoint(first.around | second.around)):
            continue  # other memory
        elif first.is_injective or first.is_increasing:
            # Without either, equal places hold equal values: no help where the places differ.
            _relate_moving(system, first, list(zip(at, other, strict=True)), *values)


def _relate_moving(system: System, lookup: Lookup, places: list[tuple[Affine, Affine]], v: Affine, w: Affine) -> None:
    """Two values of one array at places that may be the same."""
    elsewhere = [case for a, b in places for case in differs(a, b)]
    same_place = tuple(equals(a, b) for a, b in places)
    same_value: Rows = (equals(v, w),)
    if lookup.is_increasing:
        a, b = places[0]
        not_below: Row = exceeds(v, w)
        not_above: Row = exceeds(w, v)
        apart = ((exceeds(a, b, 1), not_below), (exceeds(b, a, 1), not_above))
        if lookup.is_injective:
            apart = ((exceeds(a, b, 1), exceeds(v, w, 1)), (exceeds(b, a, 1), exceeds(w, v, 1)))
        system.choose((*same_place, *same_value), *apart)
    else:
        different = differs(v, w)
        system.choose((*same_place, *same_value), *((*at, *value) for at in elsewhere for value in different))


def _relate_fixed(system: System, lookup: Lookup, distances: list[int], v: Affine, w: Affine) -> None:
    """Two values of one array at places a known distance apart."""
    if not any(distances):
        system.add(equals(v, w))
        return
    if lookup.is_increasing:
        ahead, behind = (v, w) if distances[0] > 0 else (w, v)
        system.add(is_least(minus(ahead, behind), int(lookup.is_injective)))
    elif lookup.is_injective:
        system.choose(*differs(v, w))


def _mixed(reference: Reference, level: int) -> frozenset[str]:
    """Iterators of loops from number `level` on that share one subscript with another of them."""
    moving = {loop.iterator for loop in reference.place.loops[level:]}
    behind = {d.name: d.symbols for d in (*reference.place.definitions, *reference.definitions)}
    found: set[str] = set()
    for position in positions_of(reference):
        names, todo = set[str](), [] if position is None else list(position.symbols)
        while todo:
            name = todo.pop()
            if name not in names:
                names.add(name)
                todo += behind.get(name, ())
        if len(names & moving) > 1:
            found |= names & moving
    return frozenset(found)
