"""Statements that names lead to memory apart: one text for one statement, and which pairs it says."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.ir.separation import Separation, separation, separation_parts, star


@pytest.mark.parametrize(
    ("text", "canonical", "pairs"),
    [
        ("q and p do not overlap", "p and q do not overlap", {"pq"}),
        ("q doesn't overlap p", "p and q do not overlap", {"pq"}),
        ("c, a and b do not overlap", "a, b and c do not overlap", {"ab", "ac", "bc"}),
        ("c, a, and b  don't  overlap ", "a, b and c do not overlap", {"ab", "ac", "bc"}),
        ("c does not overlap b or a", "c does not overlap a or b", {"ac", "bc"}),
        ("c does not overlap b, a, or d", "c does not overlap a, b or d", {"ac", "bc", "cd"}),
    ],
)
def test_one_text_for_one_statement(text: str, canonical: str, pairs: set[str]) -> None:
    found = separation(text)
    assert found is not None
    assert str(found) == canonical
    assert found.pairs == set(map(frozenset, pairs))


def test_members_and_rows_are_names() -> None:
    found = separation("g[].rows, s.data and p->of->data do not overlap")
    assert found is not None
    assert found.names == ("g[].rows", "p->of->data", "s.data")


@pytest.mark.parametrize(
    "text",
    [
        "a do not overlap",
        "a, b do not overlap",
        "a and a do not overlap",
        "a does not overlap a",
        "a does not overlap b and c",
        "a and b do not overlap c",
        "a and b overlap",
        "(*a) and b do not overlap",
        "a[i] and b do not overlap",
        "a + 1 and b do not overlap",
        "",
    ],
)
def test_what_is_none(text: str) -> None:
    assert separation(text) is None


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in separation_parts(text, 0, len(text))]


def test_commas_in_a_list_of_names_do_not_end_it() -> None:
    text = "n = 4, a, b and c do not overlap,x does not overlap y, z or w, y is sorted, k has no repeats"
    assert parts(text) == [
        "n = 4",
        " a, b and c do not overlap",
        "x does not overlap y, z or w",
        " y is sorted",
        " k has no repeats",
    ]


def test_a_list_begins_with_the_first_name_that_can_be_in_it() -> None:
    assert parts("a does not overlap b, c, d and e do not overlap") == [
        "a does not overlap b",
        " c, d and e do not overlap",
    ]
    assert parts("a, b does not overlap c, d or e") == ["a", " b does not overlap c, d or e"]
    assert parts("a, b, c") == ["a", " b", " c"]
    assert parts("a and b do not overlap,") == ["a and b do not overlap", ""]


names = st.lists(st.sampled_from(["a", "bb", "p->x", "q[].y", "_z1", "und"]), min_size=2, max_size=6, unique=True)


@given(names)
def test_what_is_written_is_read_again(chosen: list[str]) -> None:
    every, one = Separation(tuple(sorted(chosen))), star(chosen[0], chosen[1:])
    assert separation(str(every)) == every
    assert every.pairs == set(map(frozenset, combinations(chosen, 2)))
    assert separation(str(one)) == one
    assert one.pairs == {frozenset((chosen[0], other)) for other in chosen[1:]}


statements = st.one_of(
    names.map(lambda chosen: str(star(chosen[0], chosen[1:]))),
    names.map(lambda chosen: str(Separation(tuple(sorted(chosen))))),
)


@given(st.lists(statements, min_size=1, max_size=4))
def test_statements_between_commas_are_told_apart(said: list[str]) -> None:
    assert [part.strip() for part in parts(", ".join(said))] == said
