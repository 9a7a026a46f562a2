"""A subscript that is affine in pieces: wraps (`%`, `&`), quotients, choices and clamps, each over its own range.

`x == 0 ? c : c - 1` is `c` where x is 0 and `c - 1` over the other x; `(i + 1) % n` is anything from 0 to n - 1, which
a loop of its own stands for. Only how far an access reaches is asked here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import product

from warplens.analysis.ir.expression import Binary, Cast, Conditional, Constant, Expression, ScalarRef, Unary
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import computed
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.ir.types import LONG, Scalar
from warplens.analysis.workload.accesses.known_part import ChangedValues
from warplens.analysis.workload.accesses.sites import AccessSite
from warplens.analysis.workload.loops.derived_symbols import formula_of
from warplens.analysis.workload.loops.ranges import polynomial_bounds

_MOST_PIECES = 32
"""Of one access: each choice doubles them."""
_DEEPEST = 40
_LARGEST_SHIFT = 62
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_NO_NODE = NodeId(-1)


@dataclass(frozen=True, slots=True)
class _Fact:
    """`value >= 0`, or, for `is_other`, `value != 0`."""

    value: Polynomial
    is_other: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    """A polynomial over the iterators of `loops`: those of the nest, perhaps shortened, and others."""

    value: Polynomial
    loops: tuple[Loop, ...]


class _NotInPiecesError(Exception):
    """Data decides, or there are too many pieces."""


def in_pieces(
    site: AccessSite, constants: Collection[str], changed: ChangedValues, derived: dict[str, Formula]
) -> tuple[AccessSite, ...] | None:
    """Sites that together reach what the site reaches, all subscripts polynomials; None where data decides.

    `constants` are the parameters. Quotients of sizes get a formula in `derived`.
    """
    access = site.access
    if None not in access.indices:
        return (site,)
    splitter = _Splitter(site.loops, frozenset(constants), changed, derived)
    try:
        dimensions = [
            [_Piece(index, site.loops)] if index is not None else splitter.split(subscript, (), 0)
            for subscript, index in zip(access.subscripts, access.indices, strict=True)
        ]
        found: list[AccessSite] = []
        for pieces in product(*dimensions):
            loops = splitter.together(pieces)
            indices = tuple(piece.value for piece in pieces)
            cut = replace(access, indices=indices)
            found.append(replace(site, access=cut, loops=loops, is_conditional=True))
            if len(found) > _MOST_PIECES:
                return None
    except (_NotInPiecesError, TooLargeError):
        return None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Splitter:
    loops: tuple[Loop, ...]
    constants: frozenset[str]
    changed: ChangedValues
    derived: dict[str, Formula]

    def split(self, expression: Expression, facts: tuple[_Fact, ...], depth: int) -> list[_Piece]:
        """Pieces of an integer expression where the facts hold; raises _NotInPiecesError."""
        if depth > _DEEPEST:
            raise _NotInPiecesError
        match expression:
            case Constant(int() as value):
                return [_Piece(Polynomial.constant(value), self.loops)]
            case ScalarRef(name, Scalar(kind="int")):
                return self._scalar(name, facts, depth)
            case Cast(operand, Scalar(kind="int")) if isinstance(operand.type, Scalar) and operand.type.kind == "int":
                return self.split(operand, facts, depth + 1)
            case Unary("-", operand):
                return [replace(p, value=-p.value) for p in self.split(operand, facts, depth + 1)]
            case Binary(operator, left, right, Scalar(kind="int")):
                lefts, rights = self.split(left, facts, depth + 1), self.split(right, facts, depth + 1)
                return [self._combined(operator, one, other) for one, other in self._pairs(lefts, rights)]
            case Conditional(condition, then, otherwise, Scalar(kind="int")):
                return [
                    self._restricted(piece, known)
                    for side, holds in ((then, True), (otherwise, False))
                    for known in ((*facts, *self._facts(condition, holds=holds, depth=depth)),)
                    for piece in self.split(side, known, depth + 1)
                ]
            case _:
                raise _NotInPiecesError

    def together(self, pieces: Sequence[_Piece]) -> tuple[Loop, ...]:
        """Loops of several pieces at once: of one that is shortened in both, the one that is shortened more."""
        found = list(pieces[0].loops)
        for piece in pieces[1:]:
            names = {loop.iterator: at for at, loop in enumerate(found)}
            for own, loop in enumerate(piece.loops):
                at = names.get(loop.iterator)
                if at is None:
                    found.append(loop)
                elif own < len(self.loops) and loop != self.loops[own] and found[at] == self.loops[own]:
                    found[at] = loop
        return tuple(found)

    def _scalar(self, name: str, facts: tuple[_Fact, ...], depth: int) -> list[_Piece]:
        if name in self.constants or any(loop.iterator == name for loop in self.loops):
            return [_Piece(Polynomial.symbol(name), self.loops)]
        if name not in self.changed.values:
            raise _NotInPiecesError
        return self.split(self.changed.values[name], facts, depth + 1)

    def _pairs(self, lefts: list[_Piece], rights: list[_Piece]) -> list[tuple[_Piece, _Piece]]:
        if len(lefts) * len(rights) > _MOST_PIECES:
            raise _NotInPiecesError
        return [*product(lefts, rights)]

    def _combined(self, operator: str, one: _Piece, other: _Piece) -> _Piece:
        loops = self.together((one, other))
        match operator:
            case "+":
                return _Piece(one.value + other.value, loops)
            case "-":
                return _Piece(one.value - other.value, loops)
            case "*":
                return _Piece(one.value * other.value, loops)
        number = other.value.constant_term if other.value.is_constant else 0
        match operator:
            case "<<" if 0 <= number <= _LARGEST_SHIFT and other.value.is_constant:
                return _Piece(one.value * (1 << number), loops)
            case "/" | "%":
                return self._divided(operator, one.value, other.value, loops)
            case ">>" if 0 <= number <= _LARGEST_SHIFT and other.value.is_constant:
                return self._divided("/", one.value, Polynomial.constant(1 << number), loops)
            case "&" if number > 0 and not number & (number + 1):
                return self._divided("%", one.value, Polynomial.constant(number + 1), loops, wraps=True)
            case _:
                raise _NotInPiecesError

    def _divided(
        self, operator: str, value: Polynomial, divisor: Polynomial, loops: tuple[Loop, ...], *, wraps: bool = False
    ) -> _Piece:
        """A quotient or remainder: the value itself where it is below the divisor, else all that it may be."""
        is_positive = divisor.constant_term > 0 if divisor.is_constant else divisor.signs == {1}
        bounds = polynomial_bounds(value, loops)
        if not is_positive or not divisor.symbols <= self.constants or bounds is None:
            raise _NotInPiecesError
        low, high = bounds
        is_from_zero = _is_never_negative(low)
        if is_from_zero and _is_never_negative(divisor - 1 - high):
            return _Piece(value if operator == "%" else Polynomial(()), loops)
        if is_from_zero and low.is_constant and high.is_constant and divisor.is_constant:
            times = low.constant_term // divisor.constant_term
            if high.constant_term // divisor.constant_term == times:
                return _Piece(value - divisor * times if operator == "%" else Polynomial.constant(times), loops)
        if operator == "%":
            first = Polynomial(()) if is_from_zero or wraps else 1 - divisor
            last = Polynomial(()) if not wraps and _is_never_negative(-high) else divisor - 1
            return self._any(f"{value}%{divisor}", first, last, loops)
        ends = [self._quotient(end, divisor) for end in (low, high)]
        return self._any(f"{value}/{divisor}", ends[0], ends[1], loops)

    def _quotient(self, value: Polynomial, divisor: Polynomial) -> Polynomial:
        whole = value.exact_div(divisor)
        if whole is not None:
            return whole
        formula = (formula_of(value, self.derived) / formula_of(divisor, self.derived)).truncated()
        if formula.value is not None:
            return Polynomial.constant(int(formula.value))
        name = computed("reach", value, divisor)
        self.derived[name] = formula
        return Polynomial.symbol(name)

    def _any(self, name: str, first: Polynomial, last: Polynomial, loops: tuple[Loop, ...]) -> _Piece:
        """Any number from the first to the last: a loop that stands for them."""
        iterator = computed("any", name, first, last)
        if all(loop.iterator != iterator for loop in loops):
            loops = (*loops, Loop(_NO_NODE, iterator, LONG, first, (last + 1,), 1, ()))
        return _Piece(Polynomial.symbol(iterator), loops)

    def _facts(self, condition: Expression, *, holds: bool, depth: int) -> tuple[_Fact, ...]:
        """What a condition, or that it fails, says of polynomials."""
        match condition:
            case Cast(operand):
                return self._facts(operand, holds=holds, depth=depth)
            case Unary("!", operand):
                return self._facts(operand, holds=not holds, depth=depth)
            case Binary("&&" | "||" as operator, left, right) if (operator == "&&") == holds:
                return (
                    *self._facts(left, holds=holds, depth=depth),
                    *self._facts(right, holds=holds, depth=depth),
                )
            case Binary(operator, left, right) if operator in _NEGATED:
                try:
                    sides = self.split(left, (), depth + 1), self.split(right, (), depth + 1)
                except _NotInPiecesError:
                    return ()
                if any(len(side) != 1 or len(side[0].loops) != len(self.loops) for side in sides):
                    return ()
                return _facts_of(operator if holds else _NEGATED[operator], sides[0][0].value - sides[1][0].value)
            case _:
                return ()

    def _restricted(self, piece: _Piece, facts: Sequence[_Fact]) -> _Piece:
        """A piece where facts hold: loops that they bound are shorter, a value that they bound has its own range."""
        loops = list(piece.loops)
        for at, loop in enumerate(loops):
            for fact in facts:
                loops[at] = _shortened(loops[at], fact, {other.iterator for other in loops} - {loop.iterator})
        iterators = {loop.iterator for loop in loops}
        bounds = polynomial_bounds(piece.value, tuple(loops))
        if piece.value.symbols.isdisjoint(iterators) or bounds is None:
            return _Piece(piece.value, tuple(loops))
        low, high = bounds
        for fact in (fact for fact in facts if not fact.is_other):
            least, most = piece.value - fact.value, piece.value + fact.value
            if least.symbols.isdisjoint(iterators):
                low = _later(low, least)
            elif most.symbols.isdisjoint(iterators):
                high = -_later(-high, -most)
        if (low, high) == bounds:
            return _Piece(piece.value, tuple(loops))
        return self._any(str(piece.value), low, high, tuple(loops))


def _facts_of(operator: str, difference: Polynomial) -> tuple[_Fact, ...]:
    """Facts from `difference operator 0` in integers."""
    match operator:
        case "<":
            return (_Fact(-difference - 1),)
        case "<=":
            return (_Fact(-difference),)
        case ">":
            return (_Fact(difference - 1),)
        case ">=":
            return (_Fact(difference),)
        case "==":
            return _Fact(difference), _Fact(-difference)
        case _:
            return (_Fact(difference, is_other=True),)


def _shortened(loop: Loop, fact: _Fact, others: Collection[str]) -> Loop:
    """The loop where a fact about its iterator alone holds; as it is where that leaves no loop of one limit."""
    slope, rest = fact.value.coefficient(loop.iterator), fact.value.without((loop.iterator,))
    is_unit = slope.is_constant and abs(slope.constant_term) == 1
    if (
        not is_unit
        or not rest.symbols.isdisjoint(others)
        or loop.step != 1
        or loop.start is None
        or len(loop.limits) != 1
    ):
        return loop
    limit = loop.limits[0]
    end = -rest if slope.constant_term > 0 else rest  # of `iterator >= end`, `iterator <= end` or `iterator != end`
    if fact.is_other:
        if end == loop.start:
            return replace(loop, start=end + 1)
        return replace(loop, limits=(end,)) if end == limit - 1 else loop
    if slope.constant_term > 0:
        return (
            replace(loop, start=_later(loop.start, end)) if (end - loop.start).is_constant or end == limit - 1 else loop
        )
    if (limit - end).is_constant or end == loop.start:
        return replace(loop, limits=(-_later(-limit, -end - 1),))
    return loop


def _later(one: Polynomial, other: Polynomial) -> Polynomial:
    """The larger of two bounds where that is known, else the second: both are bounds."""
    difference = one - other
    return one if difference.is_constant and difference.constant_term > 0 else other


def _is_never_negative(value: Polynomial) -> bool:
    """Whether a polynomial of sizes is at least 0 for all sizes from 1 on."""
    return -1 not in value.substitute({name: Polynomial.symbol(name) + 1 for name in value.symbols}).signs
