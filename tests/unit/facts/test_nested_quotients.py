"""Digits of one chain are the digits that a nest computes, however it divides."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.iteration_order.labels import judged
from warplens.analysis.dependence.subscripts.iteration_domain import Place, Reference
from warplens.analysis.dependence.subscripts.nested_quotients import in_one_chain
from warplens.analysis.dependence.subscripts.quasi_affine import Definition, Remainder, Share
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT

AT, L, M, Q = map(Polynomial.symbol, ("at", "l", "m", "q"))


class Digits:
    """Quotients and remainders as a nest defines them."""

    def __init__(self) -> None:
        self.definitions: list[Definition] = []

    def __call__(self, numerator: Polynomial, modulus: Polynomial, *, is_quotient: bool) -> Polynomial:
        remainder = Remainder(numerator, modulus)
        found = (remainder, Share(remainder)) if is_quotient else (remainder,)
        self.definitions += [d for d in found if d not in self.definitions]
        return Polynomial.symbol(found[-1].name)


def by_products(digits: Digits) -> tuple[Polynomial, ...]:
    i = digits(AT, M * L * Q, is_quotient=True)
    j = digits(digits(AT, L * Q, is_quotient=True), M, is_quotient=False)
    k = digits(digits(AT, Q, is_quotient=True), L, is_quotient=False)
    return i, j, k, digits(AT, Q, is_quotient=False)


def by_steps(digits: Digits) -> tuple[Polynomial, ...]:
    p, rest = digits(AT, Q, is_quotient=False), digits(AT, Q, is_quotient=True)
    k, more = digits(rest, L, is_quotient=False), digits(rest, L, is_quotient=True)
    return digits(more, M, is_quotient=True), digits(more, M, is_quotient=False), k, p


def reference(positions: tuple[Polynomial, ...], definitions: tuple[Definition, ...]) -> Reference:
    loop = Loop(NodeId(0), "at", INT, Polynomial(()), (L * M * Q,), 1, ())
    guard = ((positions[0] - positions[-1],),)
    place = Place((loop,), (guard,), definitions=definitions)
    return Reference(NodeId(1), NodeId(1), "a", (None,), True, place, positions=positions, definitions=definitions)


def evaluated(value: Polynomial, definitions: tuple[Definition, ...], numbers: dict[str, int]) -> int:
    """The value with C's division."""
    known = dict(numbers)
    for definition in definitions:
        remainder = definition.remainder if isinstance(definition, Share) else definition
        assert isinstance(remainder, Remainder)
        above, below = (_number(p, known) for p in (remainder.numerator, remainder.modulus))
        quotient = abs(above) // abs(below) * (1 if (above < 0) == (below < 0) else -1)
        known[definition.name] = quotient if isinstance(definition, Share) else int(math.fmod(above, below))
    return _number(value, known)


def _number(value: Polynomial, known: dict[str, int]) -> int:
    assert value.symbols <= known.keys()
    return value.substitute({name: Polynomial.constant(number) for name, number in known.items()}).constant_term


LENGTH = st.integers(-7, 7).filter(bool)


@pytest.mark.parametrize("decode", [by_products, by_steps])
@given(at=st.integers(-400, 400), m=LENGTH, n=LENGTH, q=LENGTH)
def test_values_stay_what_they_are(decode: type, at: int, m: int, n: int, q: int) -> None:
    numbers = {"at": at, "l": n, "m": m, "q": q}
    digits = Digits()
    before = reference(decode(digits), tuple(digits.definitions))
    after = in_one_chain(before)
    for old, new in zip(before.positions, after.positions, strict=True):
        assert old is not None
        assert new is not None
        assert evaluated(old, before.definitions, numbers) == evaluated(new, after.definitions, numbers)
    ((guard,),) = before.place.guards[0]
    ((chained,),) = after.place.guards[0]
    assert evaluated(guard, before.definitions, numbers) == evaluated(chained, after.place.definitions, numbers)


def test_both_ways_to_divide_are_one() -> None:
    found = []
    for decode in (by_products, by_steps):
        digits = Digits()
        found.append(in_one_chain(reference(decode(digits), tuple(digits.definitions))).positions)
    assert found[0] == found[1]


def test_one_division_stays() -> None:
    digits = Digits()
    plain = reference((digits(AT, L, is_quotient=True), digits(AT, L, is_quotient=False)), tuple(digits.definitions))
    assert in_one_chain(plain) is plain


@pytest.mark.parametrize(
    ("digits", "kind"),
    [
        ("i = at / (m*l*q), j = at / (l*q) % m, k = at / q % l, p = at % q", "parallel"),
        ("p = at % q, a = at / q, k = a % l, b = a / l, j = b % m, i = b / m", "parallel"),
        ("i = at / (m*l*q), a = at % (m*l*q), j = a / (l*q), b = a % (l*q), k = b / q, p = b % q", "parallel"),
        ("i = at / (m*l*q), j = at / (l*q) % m, k = at / q % m, p = at % q", "unknown"),
        ("i = at / (m*l*q), j = at / (l*q) % l, k = at / q % l, p = at % q", "unknown"),
        ("p = at % q, a = at / q, k = a % l, b = at / l, j = b % m, i = b / m", "unknown"),
    ],
)
def test_four_digits_in_another_order_are_four_digits(digits: str, kind: str) -> None:
    source = (
        "void f(int n, int m, int l, int q, double *x) { for (int at = 0; at < n*m*l*q; at++) "
        f"{{ int {digits}; x[((p*l + k)*m + j)*n + i] = at; }} }}"
    )
    ((found, *_),) = (nest.verdicts for nest in judged(source))
    assert found.kind == kind
