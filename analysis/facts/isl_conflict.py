"""The exact dependence test: pairs of iterations of a loop that meet in one element, as an integer set.

Shape: `[n, m] -> { [x0, .., y0, ..] : x in domain, y in domain, equal outside the loop, x before y at the loop, same
element }`; isl decides emptiness exactly. No isl object leaves this file.

Source: Feautrier, Dataflow analysis of array and scalar references, IJPP 20(1), 1991; Verdoolaege, isl, ICMS 2010.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import islpy as isl
from warplens.analysis.facts.affine_condition import Disjunction
from warplens.analysis.facts.iteration_domain import Place, Reference, same_layout
from warplens.analysis.facts.verdict import Direction
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial

OPERATION_LIMIT = 3_000_000
"""isl operations for all questions about one nest: about half a second; almost every nest needs under a hundredth."""

QUESTION_LIMIT = 1000
"""Pairs asked about in one nest: building a question costs time that isl doesn't count."""


class TooComplexError(Exception):
    """The operation limit of the nest is used up."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """`source` in an earlier iteration of the loop meets `sink` in a later one.

    `is_exact` says that it happens whenever both run for the sizes; `only_for` names the parameters when it depends
    on their values beyond the loops having enough iterations. Distances are in iterations.
    """

    source: Reference
    sink: Reference
    loops: tuple[NodeId, ...]
    directions: tuple[Direction, ...]
    distances: tuple[int | None, ...]
    is_exact: bool
    only_for: tuple[str, ...] = ()


class ConflictSolver:
    """Answers for one nest, within one limit on isl's work."""

    def __init__(self) -> None:
        self._questions = 0
        self._context = isl.Context()
        self._context.set_max_operations(OPERATION_LIMIT)

    def conflict(self, source: Reference, sink: Reference, level: int) -> Conflict | None:
        """Conflict carried by loop number `level` from source to sink, None when there is none.

        Raises TooComplexError.
        """
        text = _PairText(source, sink, level)
        self._questions += 1
        if self._questions > QUESTION_LIMIT:
            raise TooComplexError
        try:
            pairs = self._set(text.pairs())
            if pairs.is_empty():
                return None
            deltas = self._set(text.deltas())
            common = text.common
            ranges = [_range(deltas, dim) for dim in range(len(common))]
            is_exact = (
                text.is_exact
                and text.lost_depth <= level
                and source.place.is_exact_for(level)
                and sink.place.is_exact_for(level)
            )
            always = not text.parameters or self._always_meets(deltas, level, ranges[level][0], text)
        except isl.Error as error:
            raise TooComplexError from error
        return Conflict(
            source,
            sink,
            tuple(loop.id for loop in common),
            tuple("=" if d < level else _direction(r) for d, r in enumerate(ranges)),
            tuple(_iterations(r, loop.step) for r, loop in zip(ranges, common, strict=True)),
            is_exact and always,
            () if always else text.parameter_names,
        )

    def holds(self, place: Place, constraint: Polynomial) -> bool:
        """Whether `constraint >= 0` at each point where the place is executed, for all parameters.

        Raises TooComplexError.
        """
        table = _Symbols()
        names = {loop.iterator: f"x{d}" for d, loop in enumerate(place.loops)}
        negated = table.text(-constraint - 1, names)
        if negated is None:
            return False
        parts = [*_domain(place, names, table)[0], f"{negated} >= 0"]
        dims = ", ".join(f"x{d}" for d in range(len(place.loops)))
        try:
            return bool(self._set(f"[{table.declared}] -> {{ [{dims}] : {' and '.join(parts)} }}").is_empty())
        except isl.Error as error:
            raise TooComplexError from error

    def is_written_before(self, read: Reference, writes: Iterable[Reference], level: int) -> bool:
        """Whether each element that `read` reads was written earlier in the same iteration of loop number `level`.

        Writes count in the same iteration of all loops they share with the read, if they stand before it. Raises
        TooComplexError.
        """
        symbols = _Symbols()
        covering = [_PairText(write, read, level, symbols) for write in writes if write.statement < read.statement]
        try:
            missing = None
            for text in covering:
                if not text.is_exact or text.source_lost_depth > level:
                    continue
                reached = self._set(text.sinks_in_same_iteration())
                whole = self._set(text.sinks()) if missing is None else missing
                missing = whole - reached
            return missing is not None and bool(missing.is_empty())
        except isl.Error as error:
            raise TooComplexError from error

    def _set(self, text: str) -> isl.Set:
        return isl.Set.read_from_str(self._context, text)

    def _always_meets(self, deltas: isl.Set, level: int, nearest: int | None, text: _PairText) -> bool:
        """Whether the conflict needs no relation between parameters beyond both statements running twice.

        It doesn't when the nearest distance is the same number for a full-dimensional set of parameters, or when each
        parameter for which both run in two iterations has a conflict.
        """
        if nearest is not None:
            near = deltas & self._set(text.delta_equals(level, nearest))
            if bool(near.params().affine_hull().is_universe()):
                return True
        return bool(self._set(text.runs_twice()).params().is_subset(deltas.params()))


class _Symbols:
    """isl parameters: one per monomial of C parameters, so that `n*m` is a symbol of its own."""

    def __init__(self, fixed: Iterable[str] = ()) -> None:
        """Make a table; iterators in `fixed` have one value in the whole question: `i*n` is a symbol too."""
        self.names: dict[tuple[str, ...], str] = {}
        self.fixed = frozenset(fixed)

    @property
    def declared(self) -> str:
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


class _PairText:
    """isl's notation for the questions about one pair of references at one loop."""

    def __init__(self, source: Reference, sink: Reference, level: int, symbols: _Symbols | None = None) -> None:
        outer = (loop.iterator for loop in source.place.loops[:level])
        self._symbols = _Symbols(outer) if symbols is None else symbols
        first, second = source.place.loops, sink.place.loops
        self.common = tuple(a for a, b in zip(first, second, strict=False) if a.id == b.id)
        xs = {loop.iterator: f"x{d}" for d, loop in enumerate(first)}
        ys = {loop.iterator: f"y{d}" for d, loop in enumerate(second)}
        self._dims = [f"x{d}" for d in range(len(first))] + [f"y{d}" for d in range(len(second))]
        (left_parts, left_lost), (right_parts, right_lost) = (
            _domain(source.place, xs, self._symbols),
            _domain(sink.place, ys, self._symbols),
        )
        self._domain = [*left_parts, *right_parts]
        self._sink_domain = right_parts
        self._split = len(first)
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
            for p, q in zip(source.indices, sink.indices, strict=True):
                self._equate(p, q, xs, ys, "{0} = {1}")
        else:
            overlap = f"{{0}} < {{1}} + {sink.size_bytes} and {{1}} < {{0}} + {source.size_bytes}"
            self._equate(source.byte_address, sink.byte_address, xs, ys, overlap)

    def _equate(
        self, p: Polynomial | None, q: Polynomial | None, xs: dict[str, str], ys: dict[str, str], relation: str
    ) -> None:
        left = None if p is None else self._symbols.text(p, xs)
        right = None if q is None else self._symbols.text(q, ys)
        if p is None or q is None or left is None or right is None:
            self.is_exact = False
        else:
            self._same_element.append(relation.format(left, right))
            self._shifts |= (p - q).symbols

    @property
    def parameters(self) -> bool:
        return bool(self._symbols.names)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Parameters of the subscripts' differences, or all if there are none."""
        every = {name for monomial in self._symbols.names for name in monomial} - self._symbols.fixed
        return tuple(sorted(every & self._shifts or every))

    def pairs(self) -> str:
        return self._set(self._dims, [*self._domain, *self._order, *self._same_element])

    def runs_twice(self) -> str:
        return self._set(self._dims, [*self._domain, *self._order])

    def deltas(self) -> str:
        """Differences of the common iterators in the direction of each loop's step."""
        signs = [1 if loop.step > 0 else -1 for loop in self.common]
        differences = [f"d{k} = {s}*(y{k} - x{k})" for k, s in enumerate(signs)]
        body = " and ".join([*differences, *self._domain, *self._order, *self._same_element])
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
        dims = ", ".join(f"d{k}" for k in range(len(self.common)))
        return f"[{self._symbols.declared}] -> {{ [{dims}] : d{level} = {value} }}"

    def _set(self, dims: list[str], parts: list[str]) -> str:
        return f"[{self._symbols.declared}] -> {{ [{', '.join(dims)}] : {' and '.join(parts)} }}"


def _domain(place: Place, names: dict[str, str], table: _Symbols) -> tuple[list[str], int]:
    """Constraints of a place, and the depth of the last that isn't affine and was left out (as `uncertain_depth`)."""
    parts: list[str] = []
    lost = 0
    for depth, loop in enumerate(place.loops):
        own = names[loop.iterator]
        outer = {lp.iterator: names[lp.iterator] for lp in place.loops[:depth]}
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


def _guard(guard: Disjunction, names: dict[str, str], table: _Symbols) -> str | None:
    if not guard:
        return "1 = 0"
    alternatives = []
    for conjunction in guard:
        terms = [table.text(polynomial, names) for polynomial in conjunction]
        if None in terms:
            return None
        alternatives.append("(" + " and ".join([f"{term} >= 0" for term in terms] or ["0 = 0"]) + ")")
    return "(" + " or ".join(alternatives) + ")"


def _range(deltas: isl.Set, dim: int) -> tuple[int | None, int | None]:
    low, high = deltas.dim_min_val(dim), deltas.dim_max_val(dim)
    return (int(low.to_python()) if low.is_int() else None, int(high.to_python()) if high.is_int() else None)


def _iterations(bounds: tuple[int | None, int | None], step: int) -> int | None:
    low, high = bounds
    if low is None or low != high or low % step:
        return None
    return low // abs(step)


def _direction(bounds: tuple[int | None, int | None]) -> Direction:
    low, high = bounds
    if low is not None and low > 0:
        return "<"
    if high is not None and high < 0:
        return ">"
    return "=" if low == 0 and high == 0 else "*"
