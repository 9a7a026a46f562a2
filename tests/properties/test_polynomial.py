"""Polynomials are what evaluating them says they are."""

from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.polynomial import Polynomial

NAMES = ("i", "j", "n")
MONOMIALS = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda m: tuple(sorted(m)))
POLYNOMIALS = st.dictionaries(MONOMIALS, st.integers(-9, 9), max_size=5).map(Polynomial.of)
POINTS = st.fixed_dictionaries({name: st.integers(-20, 20) for name in NAMES})


@given(POLYNOMIALS, POLYNOMIALS, POINTS)
def test_arithmetic_commutes_with_evaluation(p, q, at) -> None:
    assert (p + q).evaluate(at) == p.evaluate(at) + q.evaluate(at)
    assert (p - q).evaluate(at) == p.evaluate(at) - q.evaluate(at)
    assert (p * q).evaluate(at) == p.evaluate(at) * q.evaluate(at)


@given(POLYNOMIALS, POLYNOMIALS)
def test_equal_polynomials_are_equal_values(p, q) -> None:
    assert p + q == q + p
    assert hash((p + q) * p) == hash(p * p + p * q)
    assert (p - p).terms == ()


@given(POLYNOMIALS, POLYNOMIALS, POINTS)
def test_substitution_is_evaluation_of_the_substitute(p, q, at) -> None:
    assert p.substitute({"i": q}).evaluate(at) == p.evaluate({**at, "i": q.evaluate(at)})


@given(POLYNOMIALS, POINTS)
def test_cofactor_and_rest_make_the_whole(p, at) -> None:
    rebuilt = p.coefficient("i") * Polynomial.symbol("i") + p.without({"i"})
    assert rebuilt.evaluate(at) == p.evaluate(at)


@given(POLYNOMIALS, POINTS)
def test_formula_of_a_polynomial_has_its_value(p, at) -> None:
    formula = Formula.from_polynomial(p)
    assert formula.evaluate(at) == p.evaluate(at)
    assert formula.parameters == p.symbols


@given(POLYNOMIALS, POINTS)
def test_text_is_the_polynomial(p, at) -> None:
    assert eval(str(p), {}, at) == p.evaluate(at)
