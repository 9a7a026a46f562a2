"""Polynomials are what evaluating them says they are, and a commutative ring, with rational coefficients too."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.algebra.summation import sum_over
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.monomial import HIGHEST_DEGREE
from warplens.analysis.ir.polynomial import LARGEST_COEFFICIENT, MOST_PRODUCTS, Polynomial
from warplens.analysis.ir.rational_polynomial import RationalPolynomial
from warplens.analysis.ir.too_complex import TooLargeError

NAMES = ("i", "j", "n")
ZERO, ONE = Polynomial(()), Polynomial.constant(1)
MONOMIALS = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda m: tuple(sorted(m)))
POLYNOMIALS = st.dictionaries(MONOMIALS, st.integers(-9, 9), max_size=5).map(Polynomial.of)
RATIONAL = st.dictionaries(MONOMIALS, st.fractions(-9, 9, max_denominator=12), max_size=5).map(RationalPolynomial.of)
POINTS = st.fixed_dictionaries({name: st.integers(-20, 20) for name in NAMES})
SUBSETS = st.sets(st.sampled_from(NAMES))


@given(POLYNOMIALS, POLYNOMIALS, POINTS)
def test_arithmetic_commutes_with_evaluation(p, q, at) -> None:
    assert (p + q).evaluate(at) == p.evaluate(at) + q.evaluate(at)
    assert (p - q).evaluate(at) == p.evaluate(at) - q.evaluate(at)
    assert (p * q).evaluate(at) == p.evaluate(at) * q.evaluate(at)


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
def test_they_are_a_commutative_ring(p, q, r) -> None:
    assert (p + q) + r == p + (q + r)
    assert (p * q) * r == p * (q * r)
    assert p + q == q + p
    assert p * q == q * p
    assert p * (q + r) == p * q + p * r
    assert p + ZERO == p * ONE == p
    assert p * ZERO == p - p == p + -p == ZERO


@given(POLYNOMIALS, POLYNOMIALS)
def test_equal_polynomials_are_equal_values(p, q) -> None:
    assert p + q == q + p
    assert hash((p + q) * p) == hash(p * p + p * q)
    assert (p - p).terms == ()


@given(POLYNOMIALS, POLYNOMIALS)
def test_the_degree_of_a_product_is_the_sum_of_degrees(p, q) -> None:
    if p.terms and q.terms:
        assert (p * q).degree == p.degree + q.degree
    assert p.degree_in(NAMES) == p.degree
    assert max((m.count("i") for m, _ in p.terms), default=0) == p.degree_in(("i",))


@given(POLYNOMIALS, POLYNOMIALS, POINTS)
def test_substitution_is_evaluation_of_the_substitute(p, q, at) -> None:
    assert p.substitute({"i": q}).evaluate(at) == p.evaluate({**at, "i": q.evaluate(at)})


@given(POLYNOMIALS, POINTS, SUBSETS)
def test_partial_values_and_then_the_others_are_the_value(p, at, known) -> None:
    rest = p.partial({name: at[name] for name in known})
    assert rest.symbols.isdisjoint(known)
    assert rest.evaluate(at) == p.evaluate(at)
    assert rest == p.substitute({name: at[name] for name in known})


@given(POLYNOMIALS, SUBSETS)
def test_the_parts_of_a_partition_make_the_whole(p, names) -> None:
    held, rest = p.partition(names)
    assert held + rest == p
    assert rest == p.without(names)
    assert all(not names.isdisjoint(monomial) for monomial, _ in held.terms)


@given(POLYNOMIALS, SUBSETS)
def test_what_is_collected_makes_the_whole(p, names) -> None:
    found = p.collect(names)
    assert sum((Polynomial.of({m: 1}) * cofactor for m, cofactor in found.items()), ZERO) == p
    assert all(names.issuperset(monomial) for monomial in found)
    assert all(cofactor.symbols.isdisjoint(names) for cofactor in found.values())


@given(POLYNOMIALS, POINTS)
def test_cofactor_and_rest_make_the_whole(p, at) -> None:
    rebuilt = p.coefficient("i") * Polynomial.symbol("i") + p.without({"i"})
    assert rebuilt.evaluate(at) == p.evaluate(at)


@given(POLYNOMIALS, POLYNOMIALS)
def test_a_product_divides_by_its_factors(p, q) -> None:
    assert (p * q).exact_div(q) == (p if q.terms else None)


@given(POLYNOMIALS, POLYNOMIALS)
def test_what_does_not_divide_has_no_quotient(p, q) -> None:
    found = p.exact_div(q)
    assert found is None or found * q == p


@given(POLYNOMIALS, POLYNOMIALS)
def test_quotient_and_remainder_make_the_whole(p, q) -> None:
    quotient, remainder = divmod(p, q)
    assert quotient * q + remainder == p


@given(POLYNOMIALS, st.integers(1, 12), POINTS)
def test_coefficients_split_by_a_number(p, number, at) -> None:
    whole, rest = p.split(number)
    assert whole * number + rest == p
    assert all(0 < c < number for _, c in rest.terms)
    assert RationalPolynomial.over(p, number).evaluate(at) == Fraction(p.evaluate(at), number)


@given(POLYNOMIALS)
def test_what_is_added_less_what_is_taken_is_the_whole(p) -> None:
    added, taken = p.added_and_taken
    assert added - taken == p
    assert added.signs <= {1}
    assert taken.signs <= {1}
    assert p.signs == {c // abs(c) for _, c in p.terms}
    assert not p.terms or p.exact_div(p.content).content == 1


@given(RATIONAL, RATIONAL, POINTS, st.fractions(-5, 5, max_denominator=7))
def test_rational_arithmetic_commutes_with_evaluation(p, q, at, factor) -> None:
    assert (p + q).evaluate(at) == p.evaluate(at) + q.evaluate(at)
    assert (p * q).evaluate(at) == p.evaluate(at) * q.evaluate(at)
    assert p.scaled(factor).evaluate(at) == p.evaluate(at) * factor
    whole, rest = p.split()
    assert whole.evaluate(at) + rest.evaluate(at) == p.evaluate(at)


@given(RATIONAL, RATIONAL, RATIONAL)
def test_equal_rational_polynomials_are_equal_values(p, q, r) -> None:
    assert p * (q + r) == p * q + p * r
    assert hash(p + q) == hash(q + p)


@given(POLYNOMIALS, st.integers(0, 6), POINTS)
def test_a_sum_over_a_counter_is_what_adding_up_gives(p, count, at) -> None:
    total = sum_over(RationalPolynomial(p), "i", Polynomial.symbol("N"))
    assert total.evaluate({**at, "N": count}) == sum(p.evaluate({**at, "i": i}) for i in range(count))


@given(POLYNOMIALS, POINTS, st.integers(1, 5))
def test_formula_of_a_polynomial_has_its_value(p, at, divisor) -> None:
    formula = Formula.from_polynomial(p)
    assert formula.evaluate(at) == p.evaluate(at)
    assert formula.parameters == p.symbols
    square = Formula.parameter("j") * Formula.parameter("j")
    replaced = Formula.from_polynomial(p, {"i": square}, divisor)
    assert replaced.evaluate(at) == Fraction(p.evaluate({**at, "i": at["j"] ** 2}), divisor)


@given(POLYNOMIALS, POINTS)
def test_text_is_the_polynomial(p, at) -> None:
    assert eval(str(p), {}, at) == p.evaluate(at)


def test_the_product_of_all_small_polynomials_is_that_of_their_values() -> None:
    small = [Polynomial.of({(): a, ("i",): b, ("i", "j"): c}) for a, b, c in product((-1, 0, 2), repeat=3)]
    points = [dict(zip(("i", "j"), at, strict=True)) for at in product(range(-3, 4), repeat=2)]
    for p, q in product(small, repeat=2):
        assert all((p * q).evaluate(at) == p.evaluate(at) * q.evaluate(at) for at in points)


def test_a_product_beyond_a_limit_is_none() -> None:
    wide = sum((Polynomial.symbol(f"s{k}") for k in range(MOST_PRODUCTS)), ZERO)
    assert len((wide * 3).terms) == MOST_PRODUCTS
    with pytest.raises(TooLargeError, match=f"more than {MOST_PRODUCTS} terms"):
        wide * (Polynomial.symbol("n") + 1)
    power = Polynomial.of({("n",) * HIGHEST_DEGREE: 1})
    with pytest.raises(TooLargeError, match=f"more than {HIGHEST_DEGREE} factors"):
        power * Polynomial.symbol("n")
    with pytest.raises(TooLargeError, match="factor"):
        power * LARGEST_COEFFICIENT
    with pytest.raises(TooLargeError):
        power.substitute({"n": Polynomial.symbol("n") * 2**20})
