"""Which elements one reference of a nest touches: the first and the last, as polynomials that the host can compute.

The iterators are eliminated from the innermost outwards (Fourier and Motzkin), with the affine conditions around the
reference, so that the range is attained at both ends: copying it reads nothing that the C program does not touch.
Source: Schrijver, Theory of Linear and Integer Programming, 12.2; exact over the integers for coefficients of 1 and -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from warplens.analysis.dependence.subscripts.affine_condition import Conjunction
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ports.sections.size_order import is_at_least

_MOST_BOUNDS = 8
"""Bounds of one iterator that are looked at; a reference with more has no range here."""


@dataclass(frozen=True, slots=True)
class HostValue:
    """A number that the host computes before anything else: `last` of a loop with a step, the `min` or `max` of bounds.

    `operands` are `min(a, b)` and `max(a, b)`'s, or start, end (inclusive) and step of the loop; a `quotient` has a
    numerator that is not negative and a positive divisor.
    """

    name: str
    kind: str
    operands: tuple[Polynomial, ...]


@dataclass(frozen=True, slots=True)
class TouchedRange:
    """Elements from the smallest of `firsts` to the largest of `lasts`.

    All `conditions` are >= 0 where any element is touched at all. `is_exact` says that the loops lead to both ends
    then, `is_guarded` that a condition which is not part of the range decides too.
    """

    firsts: tuple[Polynomial, ...]
    lasts: tuple[Polynomial, ...]
    conditions: frozenset[Polynomial]
    is_exact: bool
    is_guarded: bool = False


@dataclass(slots=True)
class HostValues:
    """Numbers that ranges are made of besides the nest's own symbols, by name; equal ones are one."""

    names: dict[str, HostValue] = field(default_factory=dict)

    def symbol(self, wanted: str, kind: str, operands: tuple[Polynomial, ...]) -> Polynomial:
        """The symbol of such a number, named `wanted` or with a number after it."""
        number = 1
        while True:
            name = f"{wanted}'{number}" if number > 1 else f"{wanted}'"  # no C identifier: the nest may have such a one
            known = self.names.setdefault(name, HostValue(name, kind, operands))
            if (known.kind, known.operands) == (kind, operands):
                return Polynomial.symbol(name)
            number += 1


class NeverTouchedError(Exception):
    """The conditions around the reference never hold."""


class RangeUnknownError(Exception):
    """The range is not known from the bounds of the loop over `iterator`."""

    def __init__(self, iterator: str) -> None:
        super().__init__(iterator)
        self.iterator = iterator


def touched_range(
    index: Polynomial, loops: Sequence[Loop], guards: Iterable[Conjunction], known: frozenset[str], values: HostValues
) -> TouchedRange:
    """Range of an index over the loops (outer first) where all guards (each of it >= 0) hold.

    `known` are the symbols whose value the host has. Guards that are not affine with coefficients of 1 and -1 are left
    out, which makes the range a guarded one.
    Raises RangeUnknownError, or NeverTouchedError.
    """
    space = _Space(tuple(loops), known, values)
    for conjunction in guards:
        for value in conjunction:
            space.is_guarded |= not space.require(value)
    conditions = space.eliminated()
    least = least_values(conditions)
    firsts = space.extremes(index, least, largest=False)
    lasts = space.extremes(index, least, largest=True)
    return TouchedRange(firsts, lasts, conditions, space.is_exact, space.is_guarded)


def least_values(conditions: Iterable[Polynomial]) -> dict[str, int]:
    """Least value of the symbols that conditions (each >= 0) bound from below on their own.

    >>> n = Polynomial.symbol("n")
    >>> least_values([n - 2, n * n - 7])
    {'n': 2}
    """
    least: dict[str, int] = {}
    for condition in conditions:
        if len(condition.symbols) == 1 and condition.degree == 1:
            (name,) = condition.symbols
            slope = condition.coefficient(name).constant_term
            if slope > 0:
                least[name] = max(least.get(name, -(2**63)), -(condition.constant_term // slope))
    return least


class _Space:
    """The iterations of a reference: for each iterator what bounds it from below and from above (inclusive)."""

    def __init__(self, loops: tuple[Loop, ...], known: frozenset[str], values: HostValues) -> None:
        self._iterators = [loop.iterator for loop in loops]
        self._known = known
        self._values = values
        self._loops = {loop.iterator: loop for loop in loops}
        self._bounds: dict[str, tuple[list[Polynomial], list[Polynomial]]] = {}
        self._conditions: dict[Polynomial, None] = {}
        self._ends: dict[str, tuple[Polynomial, Polynomial]] = {}
        self._inexact: set[str] = set()
        self._tiled: dict[str, frozenset[str]] = {}
        """Iterators whose end is that of the last tile, with those of the tiles."""
        self.is_exact = True
        self.is_guarded = False
        for loop in loops:
            self._bounds[loop.iterator] = self._header(loop)

    def _header(self, loop: Loop) -> tuple[list[Polynomial], list[Polynomial]]:
        if loop.start is None or not loop.limits or loop.step == 0 or loop.bound_reads or loop.bound_reason:
            return [], []
        sign = 1 if loop.step > 0 else -1
        ends = [limit - (loop.step if loop.exact_end else sign) for limit in loop.limits]
        return ([loop.start], ends) if sign > 0 else (ends, [loop.start])

    def require(self, value: Polynomial) -> bool:
        """Take in that a polynomial is at least 0; False where that can't be said by bounds of iterators."""
        if not value.symbols <= self._known | set(self._iterators):
            return False
        inside = [name for name in self._iterators if name in value.symbols]
        if not inside:
            if value.is_constant and value.constant_term < 0:
                raise NeverTouchedError
            if not value.is_constant:
                self._conditions[value] = None
            return True
        name = inside[-1]
        slope = value.coefficient(name)
        if not slope.is_constant or abs(slope.constant_term) != 1:
            return False
        is_lower = slope.constant_term > 0
        bounds = self._bounds[name][0 if is_lower else 1]
        bound = Polynomial.symbol(name) - value if is_lower else value + Polynomial.symbol(name)
        slack = [other - bound if is_lower else bound - other for other in bounds]
        if any(one.is_constant and one.constant_term >= 0 for one in slack):
            return True
        bounds.append(bound)
        loop = self._loops[name]
        # The last iteration up to a bound is found by steps from the first; the first from a bound on is not.
        return abs(loop.step) == 1 or (is_lower == (loop.step < 0) and not loop.exact_end)

    def eliminated(self) -> frozenset[Polynomial]:
        """Ends of all iterators, and what must be >= 0 so that there is any iteration."""
        for name in reversed(self._iterators):
            at_least, at_most = (list(dict.fromkeys(bounds)) for bounds in self._bounds[name])
            if len(at_least) + len(at_most) > _MOST_BOUNDS:
                raise RangeUnknownError(name)
            for low in at_least:
                for high in at_most:
                    self.is_exact &= self.require(high - low)
        for name in reversed(self._iterators):
            at_least, at_most = (list(dict.fromkeys(bounds)) for bounds in self._bounds[name])
            if at_least and at_most:
                self._ends[name] = self._end(name, at_least, "max"), self._end(name, at_most, "min")
        return frozenset(self._conditions)

    def _end(self, name: str, bounds: list[Polynomial], kind: str) -> Polynomial:
        """The one bound that decides; of several that the host knows their largest (lowest of the upper ones)."""
        sign = 1 if kind == "max" else -1
        tight: list[Polynomial] = []
        for bound in bounds:
            rest = [other for other in tight if not (bound - other).is_constant]
            near = [other for other in tight if (bound - other).is_constant]
            tight = [*rest, max([bound, *near], key=lambda b: sign * b.constant_term)]
        end = tight[0]
        if len(tight) > 1:
            if any(not bound.symbols <= self._known for bound in tight):
                whole, tiles = self._end_of_tiles(tight, kind)
                if whole is not None:
                    self._tiled[name] = tiles
                    return whole
                self._inexact.add(name)
            else:
                wanted = f"{name}_{'first' if kind == 'max' else 'last'}"
                end = self._values.symbol(wanted, kind, tuple(tight))
        return self._stepped(name, end, kind)

    def _end_of_tiles(self, bounds: Sequence[Polynomial], kind: str) -> tuple[Polynomial | None, frozenset[str]]:
        """The bound that ends the last tile where the others end all tiles before it; and the iterators of the tiles.

        In `for (t = 0; t < n; t += 32)` around `for (i = t; i < min(t + 32, n); i++)` the last tile begins less than a
        step before `n`, and is at least a step long.
        """
        whole = [bound for bound in bounds if bound.symbols <= self._known]
        tiles = frozenset[str]()
        if len(whole) != 1:
            return None, tiles
        sign = 1 if kind == "min" else -1
        for bound in bounds:
            if bound == whole[0]:
                continue
            moving = [name for name in self._iterators if name in bound.symbols]
            if len(moving) != 1:  # none where a symbol is one that the host does not know
                return None, tiles
            length = bound - Polynomial.symbol(moving[0])
            loop = self._loops[moving[0]]
            if loop.step * sign <= 0 or loop.exact_end or not length.is_constant:
                return None, tiles
            ends = self._bounds[moving[0]][1 if sign > 0 else 0]
            beyond = [(length + end - whole[0]) * sign for end in ends]
            if any(not one.is_constant or one.constant_term < abs(loop.step) - 1 for one in beyond):
                return None, tiles
            tiles |= {moving[0]}
        return whole[0], tiles

    def _stepped(self, name: str, end: Polynomial, kind: str) -> Polynomial:
        """The end of a loop with a step that lies in it: where the last iteration is."""
        loop = self._loops[name]
        is_last = (kind == "min") == (loop.step > 0)
        if abs(loop.step) == 1 or not is_last or loop.start is None or loop.exact_end:
            return end
        sign = 1 if loop.step > 0 else -1
        distance = (end - loop.start) * sign
        if distance.is_constant:
            return loop.start + loop.step * (max(0, distance.constant_term) // abs(loop.step))
        if not (end.symbols | loop.start.symbols) <= self._known | self._values.names.keys():
            self._inexact.add(name)
            return end
        return self._values.symbol(f"{name}_last", "last", (loop.start, end, Polynomial.constant(loop.step)))

    def extremes(self, index: Polynomial, least: Mapping[str, int], *, largest: bool) -> tuple[Polynomial, ...]:
        """Values of the index of which the largest (smallest) is its largest (smallest) value."""
        found = [index]
        for name in reversed(self._iterators):
            found = list(dict.fromkeys(end for value in found for end in self._at_end(value, name, least, largest)))
        for value in found:
            unknown = value.symbols - self._known - self._values.names.keys()
            if unknown:
                raise RangeUnknownError(min(unknown))
        return tuple(found)

    def _at_end(self, value: Polynomial, name: str, least: Mapping[str, int], largest: bool) -> tuple[Polynomial, ...]:
        slope = value.coefficient(name)
        if not slope.terms:
            return (value,)
        if name not in self._ends or name in slope.symbols:
            raise RangeUnknownError(name)
        self.is_exact &= name not in self._inexact and self._tiled.get(name, frozenset()).isdisjoint(value.symbols)
        first, last = self._ends[name]
        ends: tuple[Polynomial, ...] = (first, last)
        if is_at_least(slope, 0, least):
            ends = (last,) if largest else (first,)
        elif is_at_least(-slope, 0, least):
            ends = (first,) if largest else (last,)
        return tuple(value.substitute({name: end}) for end in ends)
