"""Some hundred of the inputs that `make fuzz` has ten thousand of, with and without a compiler."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.fuzzing.fuzz_c import Outcome, fuzz, prepare

pytestmark = pytest.mark.cold_start
"""Memory is counted, which forks share."""

SEED = int(os.environ.get("WARPLENS_FUZZ_SEED", "50000"))
INPUTS = int(os.environ.get("WARPLENS_FUZZ_INPUTS", "40"))
MOST_MEMORY_BYTES = 1 << 30


@pytest.mark.asyncio
@pytest.mark.parametrize("trusted", [True, False], ids=["compiler", "no compiler"])
async def test_mutated_c_is_survived(tmp_path: Path, trusted: bool) -> None:
    print(f"seeds from {SEED} (WARPLENS_FUZZ_SEED), {INPUTS} inputs (WARPLENS_FUZZ_INPUTS)")
    prepare(tmp_path)
    outcome = Outcome()
    first = SEED if trusted else SEED + INPUTS
    await fuzz(range(first, first + INPUTS), tmp_path, 20, outcome, trusted=trusted)
    print(outcome)
    assert outcome.defects == []
    assert outcome.inputs == INPUTS
    assert outcome.nests > INPUTS / 2
    assert outcome.most_memory_bytes < MOST_MEMORY_BYTES
