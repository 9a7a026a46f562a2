"""What an assignment leaves of the known values: the same as when each of them is looked at."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.frontend.scopes.places import Dimension, Place
from warplens.analysis.frontend.values.values import Values
from warplens.analysis.ir.expression import Constant
from warplens.analysis.ir.nest import KnownRange
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import DOUBLE, INT

NAMES = ("i", "j", "n", "p", "q")
names = st.sampled_from(NAMES)
polynomials = st.lists(names, max_size=3).map(lambda found: sum(map(Polynomial.symbol, found), Polynomial.constant(1)))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("set"), names, polynomials),
        st.tuples(st.just("point"), names, names, polynomials),
        st.tuples(st.just("assume"), polynomials),
        st.tuples(st.just("divide"), names, polynomials),
        st.tuples(st.just("forget"), st.frozensets(names, min_size=1, max_size=2)),
        st.tuples(st.just("branch"), st.frozensets(names, max_size=2), st.frozensets(names, max_size=2)),
    ),
    max_size=14,
)


def facts(values: Values) -> tuple[object, ...]:
    """All that is known, in any order but that of the ranges."""
    return dict(values.known), dict(values.pointers), tuple(values.ranges)


def left_over(values: Values, gone: frozenset[str]) -> tuple[object, ...]:
    """What has to be left once the names are forgotten, found by looking at everything."""

    def speaks(polynomial: Polynomial | None) -> bool:
        symbols = set() if polynomial is None else set(polynomial.symbols)
        for symbol in symbols & values.derived.keys():
            formula = values.derived[symbol].formula
            symbols |= set() if formula is None else formula.parameters
        return not gone.isdisjoint(symbols)

    known = {name: value for name, value in values.known.items() if name not in gone and not speaks(value)}
    pointers = {
        name: place
        for name, place in values.pointers.items()
        if not gone & {name, place.array} and not any(speaks(d.index) for d in place.dimensions)
    }
    return known, pointers, tuple(one for one in values.ranges if not speaks(one.value))


@given(steps)
def test_forgetting_takes_what_is_said_in_terms_of_a_name_and_no_more(done: list[tuple[Any, ...]]) -> None:
    values = Values()
    for kind, *given_ in done:
        if kind == "set":
            values.known[given_[0]] = given_[1]
        elif kind == "point":
            dimension = Dimension(Constant(0, INT), given_[2], None)
            values.pointers[given_[0]] = Place(given_[1], (dimension,), DOUBLE, 8)
        elif kind == "assume":
            values.assume([KnownRange(given_[0], "text")])
        elif kind == "divide":
            quotient = values.divided_up(given_[1], Polynomial.symbol("n"))
            assert quotient is not None
            values.known[given_[0]] = quotient
        elif kind == "forget":
            expected = left_over(values, given_[0])
            values.forget(given_[0])
            assert facts(values) == expected
        else:
            branches = values.copy(), values.copy()
            for branch, gone in zip(branches, given_, strict=True):
                expected = left_over(branch, gone)
                branch.forget(gone)
                assert facts(branch) == expected
            values.merge(*branches)
        for name in NAMES:
            known, pointers, ranges = left_over(values, frozenset((name,)))
            is_said = (known, pointers, ranges) != facts(values)
            assert values.speaks_of({name}) == is_said


def test_ranges_keep_the_order_in_which_they_were_said() -> None:
    n, m = Polynomial.symbol("n"), Polynomial.symbol("m")
    values = Values()
    said = [KnownRange(n - 1, "n >= 1"), KnownRange(Polynomial.constant(1), "1 > 0"), KnownRange(n - m, "n >= m")]
    values.assume([*said, KnownRange(m, "m >= 0"), said[0]])
    assert values.ranges_of({"n"}) == tuple(said[:2])
    assert values.ranges_of({"n", "m"}) == (*said, KnownRange(m, "m >= 0"))
    values.forget({"m"})
    assert values.ranges_of({"n", "m"}) == tuple(said[:2])
