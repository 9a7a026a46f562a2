"""isl's notation for the domains of references and for the questions about a pair of them."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.facts.affine_condition import Disjunction
from warplens.analysis.facts.iteration_domain import Place, Reference, same_layout
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
        outer = (loop.iterator for loop in source.place.loops[:level])
        self._symbols = Symbols(outer) if symbols is None else symbols
        first, second = source.place.loops, sink.place.loops
        self.common = tuple(a for a, b in zip(first, second, strict=False) if a.id == b.id)
        xs = {loop.iterator: f"x{d}" for d, loop in enumerate(first)}
        ys = {loop.iterator: f"y{d}" for d, loop in enumerate(second)}
        self._dims = [f"x{d}" for d in range(len(first))] + [f"y{d}" for d in range(len(second))]
        (left_parts, left_lost), (right_parts, right_lost) = (
            domain_text(source.place, xs, self._symbols),
            domain_text(sink.place, ys, self._symbols),
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

    def pairs(self) -> str:
        """Pairs of iterations that meet, the source's first."""
        return self._set(self._dims, [*self._domain, *self._order, *self._same_element])

    def runs_twice(self) -> str:
        """Pairs of iterations in that order, whether they meet or not."""
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
        """Differences with a given one at one loop."""
        dims = ", ".join(f"d{k}" for k in range(len(self.common)))
        return f"[{self._symbols.declared}] -> {{ [{dims}] : d{level} = {value} }}"

    def _set(self, dims: list[str], parts: list[str]) -> str:
        return f"[{self._symbols.declared}] -> {{ [{', '.join(dims)}] : {' and '.join(parts)} }}"


def domain_text(place: Place, names: dict[str, str], table: Symbols) -> tuple[list[str], int]:
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
