"""Names that the source does not have: what is made of one kind is read as that kind, and no name of C is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.source_names import c_name, stated_name
from warplens.analysis.ir.symbol import (
    OTHER_FILE_MARK,
    SymbolKind,
    added,
    address_of,
    cell_of,
    computed,
    counter_of,
    has_added,
    kind_of,
    object_of,
    source_part,
    without_address,
)

# C allows the letter of that mark in a name; that nobody writes it is why it was chosen.
NAMES = st.from_regex(r"[a-z_]\w{0,6}", fullmatch=True).filter(lambda name: OTHER_FILE_MARK not in name)


@given(NAMES)
def test_a_name_of_the_source_is_none_of_them(name: str) -> None:
    assert kind_of(name) == "source"
    assert c_name(name) == stated_name(name) == source_part(name) == without_address(name) == name
    assert object_of(name) == ""


@given(NAMES, st.integers(2, 9))
def test_what_is_added_leads_back_to_the_name(name: str, number: int) -> None:
    second, memory = added(name, str(number)), added(name)
    assert kind_of(second) == kind_of(memory) == "added"
    assert has_added(second)
    assert c_name(second) == c_name(memory) == source_part(second) == name
    assert (stated_name(second), stated_name(memory)) == (name, memory)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (computed("floor", "n - 1", 2), "computed"),
        (computed("at", added("k")), "computed"),
        (counter_of(NodeId(3)), "computed"),
        (cell_of("p->done"), "cell"),
        (address_of(added("p")), "address"),
    ],
)
def test_each_kind_is_read_from_its_name(name: str, kind: SymbolKind) -> None:
    assert kind_of(name) == kind


def test_long_names_are_told_apart_by_their_digests() -> None:
    first, second = (computed("floor", "n" * 500 + end, 2) for end in "ab")
    assert first != second
    assert kind_of(first) == "computed"
    assert len(first) < 100


@pytest.mark.parametrize(("is_start", "led_to"), [(True, "a'"), (False, "")])
def test_an_address_leads_to_the_object_whose_start_it_is(is_start: bool, led_to: str) -> None:
    assert object_of(address_of("a'", is_start=is_start)) == led_to
