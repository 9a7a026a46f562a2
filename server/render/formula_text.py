"""A count's formula as a C programmer would write it."""

from __future__ import annotations

from fractions import Fraction

from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.monomial import Monomial, sum_text
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rational_polynomial import RationalPolynomial
from warplens.analysis.ir.symbol import as_operand
from warplens.analysis.ir.too_complex import TooLargeError

_LONGEST = 48
_BASE, _STEP = 4099, 1_000_003
_CHECKED_AT = (2_000_003, 16_000_057, 123_456_789)
_SIMPLE_DENOMINATOR = 12
_CLOSE = Fraction(1, 100)


def formula_text(formula: Formula) -> str:
    """Short text of a count, for sizes that are not tiny; empty when there is none.

    A clamp at 0 is left out. What is no polynomial but behaves like one in large sizes is `about` that.

    >>> n = Formula.parameter("n")
    >>> formula_text((n - 2).at_least(0)), formula_text((n * Fraction(1, 2) - Fraction(1, 2)).at_least(0))
    ('`n - 2`', '`(n - 1)/2`')
    >>> formula_text((n * n * n - n) / (n * n + n).at_least(1)), formula_text((n / 3).ceil())
    ('`n - 1`', '`ceil(n/3)`')
    >>> formula_text((n * n + 7) / (n * 2).at_least(1))
    'about `n/2`'
    >>> formula_text(n / (n / 16).ceil())
    'about `16`'
    """
    plain = _unclamped(formula)
    polynomial = _polynomial(plain)
    if polynomial is not None:
        return f"`{_text(polynomial)}`"
    if _has(plain, "mean"):
        return ""
    if _has_quotient(plain):
        return _fitted(formula)
    text = _structure(plain)
    return f"`{text}`" if len(text) <= _LONGEST else _fitted(formula)


def _unclamped(formula: Formula) -> Formula:
    operands = tuple(_unclamped(operand) for operand in formula.operands)
    if formula.operator == "max":
        counts = [each for each in operands if each.value is None or each.value > 1]
        if len(counts) == 1:
            return counts[0]
    return Formula(formula.value, formula.name, formula.operator, operands)


def _polynomial(formula: Formula) -> RationalPolynomial | None:
    if formula.value is not None:
        return RationalPolynomial.of({(): formula.value})
    if formula.name is not None:
        return RationalPolynomial(Polynomial.symbol(formula.name))
    parts = [_polynomial(operand) for operand in formula.operands]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or formula.operator not in {"+", "*", "/"}:
        return None
    total = known[0]
    try:
        for part in known[1:]:
            if formula.operator == "+":
                total = total + part
            elif formula.operator == "*":
                total = total * part
            elif part.numerator.is_constant and part.numerator.terms:
                total = total.scaled(Fraction(part.divisor, part.numerator.constant_term))
            else:
                return None
    except TooLargeError:
        return None
    return total


def _text(polynomial: RationalPolynomial) -> str:
    """Terms by degree, what is added before what is taken away, one denominator under all."""
    terms = sorted(polynomial.numerator.terms, key=lambda term: (-len(term[0]), term[1] < 0, term[0]))
    if terms and terms[0][1] < 0:
        terms.sort(key=lambda term: term[1] < 0)
    text = sum_text(terms)
    if polynomial.divisor == 1:
        return text
    return f"({text})/{polynomial.divisor}" if len(terms) > 1 else f"{text}/{polynomial.divisor}"


def _has(formula: Formula, operator: str) -> bool:
    return formula.operator == operator or any(_has(operand, operator) for operand in formula.operands)


def _has_quotient(formula: Formula) -> bool:
    if formula.operator == "/" and formula.operands[1].value is None:
        return True
    return any(_has_quotient(operand) for operand in formula.operands)


def _structure(formula: Formula) -> str:
    polynomial = _polynomial(formula)
    if polynomial is not None:
        return _text(polynomial)
    texts = [_structure(operand) for operand in formula.operands]
    if formula.operator == "+":
        names = [operand.name for operand in formula.operands]
        texts = [text if name is None else as_operand(text) for text, name in zip(texts, names, strict=True)]
    grouped = [f"({text})" if " " in text else text for text in texts]
    match formula.operator:
        case "+":
            return " + ".join(sorted(texts, key=lambda text: text.startswith("-"))).replace("+ -", "- ")
        case "*":  # what C divides is rounded before it is multiplied
            return "*".join(f"({text})" if " " in text or "/" in text else text for text in texts)
        case "/":
            return "/".join(grouped)
        case "floor" | "trunc":  # integer division in C
            return grouped[0]
        case "root":
            return f"sqrt({texts[0]})"
        case "power":
            return "^".join(grouped)
        case "digits":
            return f"log{texts[1]}({texts[0]}) + 1"
        case _:
            return f"{formula.operator}({', '.join(texts)})"


def _fitted(formula: Formula) -> str:
    """The linear polynomial that the formula equals, or nears, at large sizes."""
    names = sorted(formula.parameters)
    base = {name: _BASE + 2 * at for at, name in enumerate(names)}
    try:
        at_base = formula.evaluate(base)
        slopes = {n: (formula.evaluate({**base, n: base[n] + _STEP}) - at_base) / _STEP for n in names}
        rest = at_base - sum((slopes[n] * base[n] for n in names), Fraction(0))
        linear: dict[Monomial, Fraction] = {(name,): c for name, c in slopes.items()}
        exact = RationalPolynomial.of({**linear, (): rest})
        if all(exact.evaluate(values) == formula.evaluate(values) for values in _samples(names)):
            return f"`{_text(exact)}`"
        rounded = {name: c.limit_denominator(_SIMPLE_DENOMINATOR) for name, c in slopes.items()}
        near = RationalPolynomial.of({(name,): c for name, c in rounded.items()})
        if not near.numerator.terms:  # a tile's length
            near = RationalPolynomial(Polynomial.constant(round(formula.evaluate(_samples(names)[-1]))))
        for values in _samples(names):
            value = formula.evaluate(values)
            if abs(near.evaluate(values) - value) > _CLOSE * abs(value):
                return ""
    except ZeroDivisionError:
        return ""
    return f"about `{_text(near)}`"


def _samples(names: list[str]) -> list[dict[str, int]]:
    return [
        {name: size + 1009 * at for at, name in enumerate(order)}
        for size in _CHECKED_AT
        for order in (names, names[::-1])
    ]
