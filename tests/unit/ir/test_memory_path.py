"""Names of objects as paths: nothing of a name is lost, and one path is below another one by whole steps alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.ir.memory_path import MemoryPath, member_steps

BASES = st.sampled_from(["p", "grid", "t'2", "p'", "&v", "(*pointer)"])
STEPS = st.lists(st.sampled_from(["->data", ".at", "[]", "[3]", "->a'"]), max_size=4).map(tuple)


@given(BASES, STEPS)
def test_a_name_is_the_text_of_its_path(base: str, steps: tuple[str, ...]) -> None:
    path = MemoryPath(base, steps)
    assert MemoryPath.of(str(path)) == path
    assert str(MemoryPath.of("".join((base, *steps)))) == "".join((base, *steps))


@given(BASES, STEPS, STEPS)
def test_what_is_below_an_object_is_reached_from_it(base: str, steps: tuple[str, ...], more: tuple[str, ...]) -> None:
    holder, path = MemoryPath(base, steps), MemoryPath(base, (*steps, *more))
    rest = path.below(holder)
    assert (rest is None) == (not more)
    assert rest is None or f"{holder}{rest}" == str(path)
    assert path.is_below(holder) == bool(more)
    assert holder.below(MemoryPath(f"{base}x", steps)) is None


@pytest.mark.parametrize(
    ("name", "holder", "member", "leads"),
    [
        ("s[].p", "s", "p", True),
        ("s->v[2].p", "s", "v[2].p", True),
        ("s->v[1].p", "s", "v[2].p", False),
        ("s[].xp", "s", "p", False),
        ("ss[].p", "s", "p", False),
        ("s[].p[].q", "s", "p", False),
        ("p", "p", "p", False),
    ],
)
def test_the_member_that_leads_to_an_object_is_the_last_one(name: str, holder: str, member: str, leads: bool) -> None:
    assert MemoryPath.of(name).leads_through(MemoryPath.of(holder), member) is leads


@pytest.mark.parametrize("member", ["a", "a.b", "v[2]", "v[2][3].b", "a.v[0].w[1]"])
def test_members_are_read_with_their_subscripts(member: str) -> None:
    steps = member_steps(member)
    assert ".".join(map(str, steps)) == member
    assert MemoryPath("s").member(member).members == tuple(map(str, steps))
