"""Polynomials over iterators and parameters as expressions of C and CUDA C++, and the values that have no polynomial.

Width of the arithmetic: a polynomial is printed in the types of its symbols where C computed in those too. Where C
computed an address (rows of arrays) or where a number of iterations is counted on the host, products are made in `long`
(64 bits under System V x86-64), by a cast of the first factor: an array may have more than 2**31 elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.nest import DerivedSymbol
from warplens.analysis.ir.polynomial import Monomial, Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import CType, Scalar
from warplens.analysis.ports.cuda.expression_text import PRODUCT, SUM, UNARY, Text
from warplens.analysis.ports.cuda.plan import PortRefusedError

_PLAIN = re.compile(r"[\w\s+\-*/%()]+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CALLED = re.compile(r"\w\s*\(")


@dataclass(frozen=True, slots=True)
class PolynomialText:
    """Prints polynomials; `name` gives a symbol's identifier (and notes that the text uses it), `types` its type.

    Symbols stand in the order of `types`, which is the source's. `derived` are the values that polynomials can't hold:
    written out where they can be, or else a parameter.
    """

    name: Callable[[str], str]
    types: Mapping[str, CType]
    derived: Mapping[str, DerivedSymbol]

    def piece(self, polynomial: Polynomial, *, wide: bool = False) -> Text:
        """The polynomial; `wide` makes every product and sum in `long`."""
        rank = {name: number for number, name in enumerate(self.types)}
        ranked = [
            (tuple(sorted(m, key=lambda name: (rank.get(name, len(rank)), name))), c) for m, c in polynomial.terms
        ]
        terms = sorted(ranked, key=lambda t: (t[1] < 0, -len(t[0]), [(rank.get(n, len(rank)), n) for n in t[0]]))
        constants = [term for term in terms if not term[0]]
        terms = [*(term for term in terms if term[0]), *constants]
        if not terms:
            return Text("0")
        first, *rest = terms
        text = self._term(*first, wide=wide, keeps_sign=True)
        for monomial, coefficient in rest:
            needs_cast = wide and bool(monomial) and not self._follows_long(monomial, coefficient)
            other = self._term(monomial, abs(coefficient), wide=needs_cast)
            text = Text(f"{text.text} {'-' if coefficient < 0 else '+'} {other.within(SUM + 1)}", SUM)
        return text

    def text(self, polynomial: Polynomial, *, wide: bool = False) -> str:
        """The same as text alone."""
        return self.piece(polynomial, wide=wide).text

    def is_wide(self, polynomial: Polynomial) -> bool:
        """Whether a sum or product of it is made in 64 bits by itself: all its terms have a factor that is."""
        return bool(polynomial.terms) and all(any(map(self._is_long, m)) for m, _ in polynomial.terms if m)

    def _follows_long(self, monomial: Monomial, coefficient: int) -> bool:
        """Whether a term becomes `long` by standing behind one."""
        ctype = self.types.get(monomial[0])
        return len(monomial) == 1 and abs(coefficient) == 1 and isinstance(ctype, Scalar) and ctype.size_bytes <= 4

    def _is_long(self, symbol: str) -> bool:
        ctype = self.types.get(symbol)
        return isinstance(ctype, Scalar) and ctype.size_bytes == 8 and ctype.signed

    def _term(self, monomial: Monomial, coefficient: int, *, wide: bool, keeps_sign: bool = False) -> Text:
        if not monomial:
            suffix = "L" if wide or abs(coefficient) >= 2**31 else ""
            return Text(f"{coefficient}{suffix}", UNARY if coefficient < 0 else 16)
        factors = [self._symbol(symbol) for symbol in monomial]
        if wide and not self._is_long(monomial[0]):
            factors[0] = Text(f"(long){factors[0].within(UNARY)}", UNARY)
        size = abs(coefficient)
        if size != 1:
            factors = [*factors, Text(str(size))] if wide else [Text(str(size)), *factors]
        pieces = factors
        if len(pieces) == 1:
            text = pieces[0]
        else:
            first, *others = pieces
            text = Text(" * ".join([first.within(PRODUCT), *(p.within(PRODUCT + 1) for p in others)]), PRODUCT)
        return Text(f"-{text.within(UNARY)}", UNARY) if keeps_sign and coefficient < 0 else text

    def _symbol(self, symbol: str) -> Text:
        derived = self.derived.get(symbol)
        if derived is None or derived.formula is None:
            return Text(self.name(symbol))
        if _PLAIN.fullmatch(derived.text) and not _CALLED.search(derived.text):
            is_product = "*" in derived.text
            text = _NAME.sub(lambda m: f"(long){self.name(m[0])}" if is_product else self.name(m[0]), derived.text)
            outside = re.sub(r"\(.*?\)", "", derived.text)
            return Text(re.sub(r"\s*([+\-*/%])\s*", r" \1 ", text), 0 if re.search("[+-]", outside) else PRODUCT)
        return self.formula(derived.formula)

    def formula(self, formula: Formula) -> Text:
        """A formula whose value is an integer at every step but inside of `floor`, `ceil` and `trunc`."""
        if formula.value is not None:
            if formula.value.denominator != 1:
                raise PortRefusedError(f"a bound is computed as {formula}")
            value = int(formula.value)
            return Text(str(value), UNARY if value < 0 else 16)
        if formula.name is not None:
            return Text(f"(long){self.name(formula.name)}", UNARY)
        if formula.operator == "+":
            return self._sum(formula.operands)
        if formula.operator == "*":
            first, *rest = formula.operands
            if first.value == -1:
                return Text(f"-{self.formula(formula * -1).within(UNARY)}", UNARY)
            pieces = (self.formula(first).within(PRODUCT), *(self.formula(one).within(PRODUCT + 1) for one in rest))
            return Text(" * ".join(pieces), PRODUCT)
        if formula.operator in {"min", "max"}:
            one, other = (self.formula(operand).within(SUM) for operand in formula.operands)
            return Text(f"({one} {'<' if formula.operator == 'min' else '>'} {other} ? {one} : {other})")
        inner = formula.operands[0]
        if formula.operator in {"floor", "ceil", "trunc"} and inner.operator == "/":
            above, below = (self.formula(operand) for operand in inner.operands)
            top, bottom = above.within(SUM), below.within(PRODUCT + 1)
            if formula.operator == "trunc":
                return Text(f"{above.within(PRODUCT)} / {bottom}", PRODUCT)
            if formula.operator == "ceil":
                return Text(f"({top} > 0 ? ({top} + {bottom} - 1) / {bottom} : {above.within(PRODUCT)} / {bottom})")
            below_zero = f"-((-{above.within(UNARY)} + {bottom} - 1) / {bottom})"
            return Text(f"({top} >= 0 ? {above.within(PRODUCT)} / {bottom} : {below_zero})")
        raise PortRefusedError(f"a bound is computed as {formula}")

    def _sum(self, operands: Sequence[Formula]) -> Text:
        """`n - m - 1`: what is added first, what is taken away after it, numbers last."""
        signed = sorted(map(_signed, operands), key=lambda part: (part[1].value is not None, part[0]))
        if signed[0][0]:  # nothing to take it from
            signed.sort(key=lambda part: part[0])
        text = ""
        for is_negative, part in signed:
            piece = self.formula(part).within(SUM + 1)
            if text:
                text += f" {'-' if is_negative else '+'} {piece}"
            else:
                text = f"-{self.formula(part).within(UNARY)}" if is_negative else piece
        return Text(text, SUM)


def _signed(formula: Formula) -> tuple[bool, Formula]:
    """Whether it is taken away, and what."""
    if formula.value is not None:
        return formula.value < 0, Formula.constant(abs(formula.value))
    if formula.operator == "*" and any(one.value is not None and one.value < 0 for one in formula.operands):
        return True, formula * -1
    return False, formula


def no_symbol(symbol: str) -> PortRefusedError:
    """What to say of a symbol that no variable of the text stands for."""
    return PortRefusedError(f"`{c_name(symbol)}` is computed on the way and has no variable of its own")
