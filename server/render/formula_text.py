"""A count's formula as a C programmer would write it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm

from warplens.analysis.ir.formula import Formula

_LONGEST = 48
_BASE, _STEP = 4099, 1_000_003
_CHECKED_AT = (2_000_003, 16_000_057, 123_456_789)
_SIMPLE_DENOMINATOR = 12
_CLOSE = Fraction(1, 100)

RationalPolynomial = dict[tuple[str, ...], Fraction]


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
        return {(): formula.value} if formula.value else {}
    if formula.name is not None:
        return {(formula.name,): Fraction(1)}
    parts = [_polynomial(operand) for operand in formula.operands]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or formula.operator not in {"+", "*", "/"}:
        return None
    total = known[0]
    for part in known[1:]:
        if formula.operator == "+":
            total = _sum(total, part)
        elif formula.operator == "*":
            total = _product(total, part)
        elif set(part) == {()}:
            total = {monomial: c / part[()] for monomial, c in total.items()}
        else:
            return None
    return total


def _sum(left: RationalPolynomial, right: RationalPolynomial) -> RationalPolynomial:
    total = {m: left.get(m, Fraction(0)) + right.get(m, Fraction(0)) for m in {**left, **right}}
    return {monomial: c for monomial, c in total.items() if c}


def _product(left: RationalPolynomial, right: RationalPolynomial) -> RationalPolynomial:
    total: RationalPolynomial = {}
    for a, x in left.items():
        for b, y in right.items():
            total = _sum(total, {tuple(sorted(a + b)): x * y})
    return total


def _text(polynomial: RationalPolynomial) -> str:
    """Terms by degree, what is added before what is taken away, one denominator under all."""
    if not polynomial:
        return "0"
    denominator = lcm(*(c.denominator for c in polynomial.values()))
    terms = sorted(polynomial.items(), key=lambda term: (-len(term[0]), term[1] < 0, term[0]))
    if terms[0][1] < 0:
        terms.sort(key=lambda term: term[1] < 0)
    texts = [_term(monomial, int(c * denominator)) for monomial, c in terms]
    text = texts[0] + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in texts[1:])
    if denominator == 1:
        return text
    return f"({text})/{denominator}" if len(terms) > 1 else f"{text}/{denominator}"


def _term(monomial: tuple[str, ...], coefficient: int) -> str:
    product = "*".join(monomial)
    if not monomial or abs(coefficient) != 1:
        return f"{coefficient}*{product}" if monomial else str(coefficient)
    return product if coefficient == 1 else f"-{product}"


def _has_quotient(formula: Formula) -> bool:
    if formula.operator == "/" and formula.operands[1].value is None:
        return True
    return any(_has_quotient(operand) for operand in formula.operands)


def _structure(formula: Formula) -> str:
    polynomial = _polynomial(formula)
    if polynomial is not None:
        return _text(polynomial)
    texts = [_structure(operand) for operand in formula.operands]
    grouped = [f"({text})" if " " in text else text for text in texts]
    match formula.operator:
        case "+":
            return " + ".join(texts).replace("+ -", "- ")
        case "*":
            return "*".join(grouped)
        case "/":
            return "/".join(grouped)
        case "floor":  # integer division in C
            return grouped[0]
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
        exact: RationalPolynomial = {(name,): c for name, c in slopes.items() if c}
        if rest:
            exact[()] = rest
        if all(_linear(exact, values) == formula.evaluate(values) for values in _samples(names)):
            return f"`{_text(exact)}`"
        rounded = {name: c.limit_denominator(_SIMPLE_DENOMINATOR) for name, c in slopes.items()}
        near: RationalPolynomial = {(name,): c for name, c in rounded.items() if c}
        if not near:  # a tile's length
            near = {(): Fraction(round(formula.evaluate(_samples(names)[-1])))}
        for values in _samples(names):
            value = formula.evaluate(values)
            if abs(_linear(near, values) - value) > _CLOSE * abs(value):
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


def _linear(polynomial: RationalPolynomial, values: Mapping[str, int]) -> Fraction:
    return sum((c * (values[m[0]] if m else 1) for m, c in polynomial.items()), Fraction(0))
