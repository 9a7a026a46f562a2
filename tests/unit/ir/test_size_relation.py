"""Relations between sizes: what is read, what is not, and that the one text of a relation means what was written."""

from __future__ import annotations

import operator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.ir.size_relation import size_relation

HOLDS = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
TERMS = st.sampled_from(["n", "m", "2*n", "n*m", "3", "0", "m*2*m", "17"])
SIDES = st.lists(st.tuples(st.sampled_from("+-"), TERMS), min_size=1, max_size=4).map(
    lambda terms: " ".join(f"{sign} {term}" for sign, term in terms)
)


@given(SIDES, st.sampled_from(sorted(HOLDS)), SIDES)
def test_the_cases_and_the_text_mean_what_was_written(left: str, sign: str, right: str) -> None:
    relation = size_relation(f" {left}{sign}{right} ")
    values = [{"n": n, "m": m} for n, m in product(range(-6, 7), repeat=2)]
    written = [HOLDS[sign](eval(left, None, at), eval(right, None, at)) for at in values]
    if relation is None:
        assert len(set(written)) == 1  # no name is left in it
        return
    again = size_relation(str(relation))
    assert again is not None
    assert str(again) == str(relation)
    for read in (relation, again):
        holds = [any(all(p.evaluate(at) >= 0 for p in case) for case in read.cases) for at in values]
        assert holds == written


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ld>=n", "ld >= n"),
        ("n > 0", "n >= 1"),
        ("0 < p->n", "p->n >= 1"),
        ("n - 1 < b.ld[0]", "b.ld[0] >= n"),
        ("n < m", "m > n"),
        ("- n >= 3", "n <= -3"),
        ("0 != k", "k != 0"),
        ("k == 2 * n + 1", "k == 2*n + 1"),
        ("m*r >= n", "m*r >= n"),
    ],
)
def test_one_text_for_one_relation(text: str, shown: str) -> None:
    assert str(size_relation(text)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "n = 4096", "n", "n >=", ">= n", "n >= m >= 1", "n >= m / 2", "n >= (m)", "f(n) >= 1", "2 > 1", "n >= n",
        "n >= 1.5", "n >= 0x10", "n => m", "n >= 1" + "0" * 18, "n >= m % 2", "a[i + 1] >= 2", "n'2 >= 1", "",
    ],
)  # fmt: skip
def test_what_is_no_relation(text: str) -> None:
    assert size_relation(text) is None
