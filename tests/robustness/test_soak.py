"""A shorter day in an editor than `make soak`: memory that leaks and answers that drift show here too."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.fuzzing.soak import SETTINGS, soak
from support.wire import Wire

pytestmark = pytest.mark.cold_start
"""Memory is counted, which forks share."""

EDITS = 400


def test_answers_stay_those_of_a_fresh_analysis_and_memory_stays_flat(tmp_path: Path) -> None:
    with Wire(tmp_path, settings=SETTINGS) as wire:
        wire.initialize()
        result = soak(wire, EDITS, seed=7, sessions=3, comparisons=8)
        assert wire.shut_down() == 0
    print(f"memory: {', '.join(f'{size_bytes / 1e6:.0f} MB' for _, size_bytes in result.memory)}")
    assert (result.edits, result.compared, result.sessions) == (EDITS, 8, 4)
    assert result.differences == []
    assert result.growth < 1.5
