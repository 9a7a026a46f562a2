"""Headers of sequential loops, and the conditions under which an iteration exists.

A limit `n - 1` of an unsigned iterator is asked as `i + 1 < n`: the nest speaks of numbers, where C's `n - 1` may wrap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from warplens.analysis.ir.counted_loops import is_counted
from warplens.analysis.ir.expression import Expression
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import INT, CType, Scalar
from warplens.analysis.ports.cuda.expression_text import Text
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.polynomial_text import PolynomialText
from warplens.analysis.ports.cuda.types_text import scalar_text

_RELATION = 11
"""What binds stronger than a comparison."""


_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=="}


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of integers."""

    left: str
    operator: str
    right: str

    @property
    def text(self) -> str:
        """As it stands in a test."""
        return f"{self.left} {self.operator} {self.right}"

    @property
    def negated(self) -> str:
        """What holds where it doesn't."""
        return f"{self.left} {_NEGATED[self.operator]} {self.right}"


@dataclass(frozen=True, slots=True)
class LoopText:
    """Prints headers and conditions."""

    name: Callable[[str], str]
    polynomials: PolynomialText
    expression: Callable[[Expression], Text]

    def header(self, loop: Loop, *, declares: bool, start: str | None = None, end: str | None = None) -> str:
        """`for (int k = 0; k < n; k++)`; raises PortRefusedError where the bounds are not understood.

        `start` and `end` (exclusive) replace the loop's own for a part of its iterations.
        """
        iterator = self.name(loop.iterator)
        if not is_counted(loop):
            why = f": {loop.bound_reason}" if loop.bound_reason else ""
            raise PortRefusedError(f"how often the loop over `{c_name(loop.iterator)}` runs is not understood{why}")
        word = f"{scalar_text(counting_type(loop.iterator_type))} " if declares else ""
        if start is None and counts_to_zero(loop) and loop.start is not None:
            return f"for ({word}{iterator} = {self.polynomials.text(loop.start + 1)}; {iterator}-- > 0;)"
        if start is None:
            start = self.start(loop)
        if end is not None:
            condition = f"{iterator} {'<' if loop.step > 0 else '>'} {end}"
        else:
            condition = " && ".join(one.text for one in self.conditions(loop))
        return f"for ({word}{iterator} = {start}; {condition}; {step_text(iterator, loop.step)})"

    def start(self, loop: Loop) -> str:
        """Where the loop starts."""
        if loop.start is not None:
            return self.polynomials.text(loop.start)
        assert loop.start_read is not None  # is_counted
        return self.expression(loop.start_read).text

    def conditions(self, loop: Loop) -> list[Condition]:
        """What must hold of the iterator, one comparison for each limit."""
        found = [self.comparison(loop, limit) for limit in loop.limits]
        for read, added in loop.limit_reads:
            found.append(self._read_limit(loop, read, added))
        return found

    def comparison(self, loop: Loop, limit: Polynomial) -> Condition:
        """`i < n`, `i <= n` for a limit of n + 1, `i + 1 < n` where `n - 1` might wrap."""
        iterator = self.name(loop.iterator)
        ascends = loop.step > 0
        if counts_to_zero(loop) and limit == Polynomial.constant(-1):
            raise PortRefusedError(f"the loop over `{c_name(loop.iterator)}` ends where an unsigned number wraps")
        if loop.exact_end:
            return Condition(iterator, "!=", self.polynomials.piece(limit).within(_RELATION))
        offset = limit.constant_term
        if offset == (1 if ascends else -1) and (limit.without_constant or not ascends):
            operator, limit = ("<=" if ascends else ">="), limit - offset
        else:
            operator = "<" if ascends else ">"
        added, taken = limit.added_and_taken
        if added.terms and taken.terms and self._may_wrap(loop, limit):
            left = self.polynomials.piece(Polynomial.symbol(loop.iterator) + taken)
            right = self.polynomials.piece(added)
            return Condition(left.within(_RELATION), operator, right.within(_RELATION))
        return Condition(iterator, operator, self.polynomials.piece(limit, wide=may_pass_int(limit)).within(_RELATION))

    def _read_limit(self, loop: Loop, read: Expression, added: Polynomial) -> Condition:
        iterator, limit = self.name(loop.iterator), self.expression(read)
        ascends = loop.step > 0
        if added == Polynomial.constant(1 if ascends else -1):
            return Condition(iterator, "<=" if ascends else ">=", limit.within(_RELATION))
        operator = "<" if ascends else ">"
        if not added.terms:
            return Condition(iterator, operator, limit.within(_RELATION))
        moved = self.polynomials.piece(Polynomial.symbol(loop.iterator) - added)
        return Condition(moved.within(_RELATION), operator, limit.within(_RELATION))

    def _may_wrap(self, loop: Loop, limit: Polynomial) -> bool:
        types = [self.polynomials.types.get(symbol) for symbol in (loop.iterator, *limit.symbols)]
        return any(isinstance(ctype, Scalar) and not ctype.signed for ctype in types)


def may_pass_int(bound: Polynomial) -> bool:
    """Whether a sum may be larger on the way than C's was: `n + m - k` of `n - k + m`."""
    rising = [coefficient > 0 for monomial, coefficient in bound.terms if monomial]
    return rising.count(True) > 1 and not all(rising)


def step_text(iterator: str, step: int) -> str:
    """How the iterator moves on."""
    if abs(step) == 1:
        return f"{iterator}{'++' if step > 0 else '--'}"
    return f"{iterator} {'+=' if step > 0 else '-='} {abs(step)}"


def counting_type(ctype: CType) -> Scalar:
    """Type of an iterator in the text: C computes with a `char` or `short` as with an `int`."""
    if not isinstance(ctype, Scalar) or ctype.kind != "int":
        raise PortRefusedError("a loop counts with something else than an integer")
    return INT if ctype.size_bytes < 4 else ctype


def counts_to_zero(loop: Loop) -> bool:
    """Whether an unsigned iterator counts down to 0, below which it has no values."""
    ctype = counting_type(loop.iterator_type)
    return not ctype.signed and loop.step == -1 and loop.limits == (Polynomial.constant(-1),) and not loop.limit_reads
