"""A number and its digits are one value, whatever is divided by what; only divisions that both sides know are used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.dependence.subscripts.folded_products import unfolded, with_divisions_of
from warplens.analysis.dependence.subscripts.iteration_domain import Place, Reference
from warplens.analysis.dependence.subscripts.quasi_affine import Definition, Remainder, Share
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT

AT, N, M, K = map(Polynomial.symbol, ("at", "n", "m", "k"))


def divided(numerator: Polynomial, modulus: Polynomial) -> tuple[Definition, ...]:
    """The definitions of a quotient and what is left."""
    remainder = Remainder(numerator, modulus)
    return remainder, Share(remainder)


def known(*definitions: Definition) -> dict[str, Definition]:
    return {d.name: d for d in definitions}


def evaluated(value: Polynomial, definitions: dict[str, Definition], sizes: dict[str, int]) -> int:
    """The value with C's division of numbers that are not negative."""
    numbers = dict(sizes)
    for name, definition in definitions.items():
        remainder = definition.remainder if isinstance(definition, Share) else definition
        assert isinstance(remainder, Remainder)
        above, below = (
            p.substitute(_constants(numbers)).constant_term for p in (remainder.numerator, remainder.modulus)
        )
        numbers[name] = above // below if isinstance(definition, Share) else above % below
    return value.substitute(_constants(numbers)).constant_term


def _constants(numbers: dict[str, int]) -> dict[str, Polynomial]:
    return {name: Polynomial.constant(number) for name, number in numbers.items()}


SHEETS = known(*divided(AT, N * M), *divided(Polynomial.symbol(Remainder(AT, N * M).name), N))


@given(st.integers(0, 500), st.integers(1, 7), st.integers(1, 7), st.integers(0, 9))
def test_digits_make_the_number(at: int, n: int, m: int, k: int) -> None:
    sizes = {"at": at, "n": n, "m": m, "k": k}
    for definitions in (SHEETS, known(*divided(AT + K, N)), known(*divided(AT, N), *divided(AT, M))):
        for value in (AT, AT * K + 3, AT * N * M - K):
            found = unfolded(value, definitions, {"at", *definitions})
            assert found != value
            assert evaluated(found, definitions, sizes) == evaluated(value, definitions, sizes)


def test_a_remainder_is_a_number_with_digits_too() -> None:
    rest = Polynomial.symbol(Remainder(AT, N * M).name)
    sheet, row, column = (
        Polynomial.symbol(d.name) for d in (Share(Remainder(AT, N * M)), Share(Remainder(rest, N)), Remainder(rest, N))
    )
    assert unfolded(AT * K, SHEETS, {"at", *SHEETS}) == (sheet * N * M + row * N + column) * K


@pytest.mark.parametrize("numerator", [AT * 2, AT * N, AT + K, AT * AT])
def test_what_is_not_one_number_stays(numerator: Polynomial) -> None:
    definitions = known(*divided(numerator, N))
    assert unfolded(AT + K, definitions, {"at", "k", *definitions}) == AT + K


def test_divisions_of_another_reference_are_known_where_the_number_is() -> None:
    loop, other = (Loop(NodeId(k), i, INT, Polynomial(()), (N,), 1, ()) for k, i in enumerate(("at", "k")))
    bare = Reference(NodeId(2), NodeId(2), "a", (AT,), True, Place((loop,)), positions=(AT,))
    inner = Reference(
        NodeId(3),
        NodeId(3),
        "a",
        (K,),
        False,
        Place((loop, other)),
        positions=(K,),
        definitions=divided(AT, M) + divided(K, M),
    )
    assert with_divisions_of(bare, inner).definitions == divided(AT, M)
    assert with_divisions_of(inner, bare) == inner
