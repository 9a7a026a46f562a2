"""A written profile reads back as the same entries."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st
from warplens.hwprofiles.calibrate.written_profile import profile_text
from warplens.hwprofiles.entry import Entry

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1)
VALUES = st.one_of(st.integers(0, 2**62), st.floats(0, 1e18), TEXTS, st.booleans(), st.tuples(st.integers(0, 99)))


@given(VALUES, TEXTS, TEXTS)
def test_any_value_and_text_reads_back(value: float | str | tuple[int], name: str, note: str) -> None:
    entry = Entry(value, "-", "measured", name, note=note)
    text = profile_text(
        id="mine", name=name, vendor="NVIDIA", aliases=[name], extends="a100", comment=name, entries={"l2.x": entry}
    )
    read = tomllib.loads(text)
    assert (read["name"], read["aliases"], read["l2"]["x"]["note"]) == (name, [name], note)
    found = read["l2"]["x"]["value"]
    if isinstance(value, float):
        assert abs(found - value) <= 1e-14 * value
    else:
        assert found == (list(value) if isinstance(value, tuple) else value)
