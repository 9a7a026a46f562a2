"""Formulas evaluate as exact arithmetic does."""

from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.ir.formula import ONE, ZERO, Formula

LEAVES = st.one_of(
    st.integers(-20, 20).map(Formula.constant),
    st.fractions(-5, 5, max_denominator=6).map(Formula.constant),
    st.sampled_from(["n", "m"]).map(Formula.parameter),
)
FORMULAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        inner.map(Formula.floor),
        inner.map(Formula.ceil),
        st.tuples(inner, inner).map(lambda p: p[0].at_least(p[1])),
    ),
    max_leaves=8,
)
POINTS = st.fixed_dictionaries({"n": st.integers(-30, 30), "m": st.integers(-30, 30)})


@given(FORMULAS, FORMULAS, POINTS)
def test_operators_commute_with_evaluation(f, g, at) -> None:
    a, b = f.evaluate(at), g.evaluate(at)
    assert (f + g).evaluate(at) == a + b
    assert (f - g).evaluate(at) == a - b
    assert (f * g).evaluate(at) == a * b
    assert f.at_least(g).evaluate(at) == max(a, b)
    assert f.at_most(g).evaluate(at) == min(a, b)
    assert f.floor().evaluate(at) == floor(a)
    assert f.ceil().evaluate(at) == ceil(a)
    if b:
        assert (f / g).evaluate(at) == a / b


@given(FORMULAS)
def test_parameters_are_all_that_evaluation_needs(f) -> None:
    values = dict.fromkeys(f.parameters, 3)
    assert isinstance(f.evaluate(values), Fraction)


def test_constants_fold() -> None:
    n = Formula.parameter("n")
    assert n * 0 == ZERO
    assert n * 1 == n + 0 == n
    assert (Formula.constant(6) / 3) == Formula.constant(2)
    assert n.at_least(n) == n
    assert ONE.ceil() == ONE


def test_missing_parameter_is_named() -> None:
    with pytest.raises(KeyError, match="n"):
        Formula.parameter("n").evaluate({})


def test_division_by_zero_is_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        (Formula.parameter("n") / Formula.parameter("m")).evaluate({"n": 1, "m": 0})


def test_a_formula_that_shares_its_parts_is_looked_at_part_by_part() -> None:
    formula = Formula.parameter("n")
    for step in range(80):
        formula = formula.at_least(Formula.parameter(f"m{step}") - formula)
    assert len(formula.parameters) == 81
    assert formula.is_longer_than(10**6)
    small = Formula.parameter("n").at_least(Formula.parameter("m"))
    assert (small.is_longer_than(2), small.is_longer_than(3)) == (True, False)
