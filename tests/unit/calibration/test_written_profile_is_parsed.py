"""A written profile goes through the parser that reads all profiles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from warplens.hwprofiles.calibrate.written_profile import profile_text
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.profile import parse_profile
from warplens.hwprofiles.schema import GPU_SCHEMA


@given(st.integers(1, 500), st.integers(100, 1000))
def test_the_parser_gives_the_same_entries(sm_count: int, latency_cycles: int) -> None:
    source = 'warplens calibrate gpu, synthetic "GPU" \\ 2026'
    entries = {
        "device.sm_count": Entry(sm_count, "SMs", "measured", source, note="synthetic"),
        "l2.latency_cycles": Entry(latency_cycles, "cycles", "measured", source, clock_mhz=1410.5),
    }
    text = profile_text(
        id="mine", name="Synthetic", vendor="NVIDIA", aliases=[], extends="a100", comment="Synthetic.", entries=entries
    )
    assert parse_profile(text, "mine.toml", GPU_SCHEMA).entries == entries
