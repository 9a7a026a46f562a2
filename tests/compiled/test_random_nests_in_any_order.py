"""Loops of random nests that are called parallel or reductions compute the same reversed and shuffled.

The nests are C text, so that the whole way from the text to the verdict is held against what the loops do.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.examples import is_nightly
from support.iteration_order.any_order import any_order
from support.iteration_order.random_nests import random_nests
from support.iteration_order.run import run

NESTS_PER_PROGRAM = 100


@pytest.mark.parametrize("first", range(0, 300 if is_nightly() else 200, NESTS_PER_PROGRAM))
def test_no_loop_called_parallel_depends_on_its_order(first: int, tmp_path: Path) -> None:
    source = random_nests(range(first, first + NESTS_PER_PROGRAM))
    # Rows are overrun on purpose: verdicts that assume they aren't are let off. Where pointers meet, the text says so.
    changed = any_order(source, frozenset(("bounds",)))
    assert len(changed.loops) > NESTS_PER_PROGRAM // 3
    outcome = run(changed, tmp_path)
    assert len(outcome.idle) < len(changed.loops) // 2
    wrong = {loop.function: loop for loop in changed.loops if loop.line in outcome.differs}
    lines = source.splitlines()
    texts = [function_text(lines, name) for name in wrong]
    assert not wrong, "\n".join([*texts, *(f"line {loop.line}: {loop.verdict}" for loop in wrong.values())])


def function_text(lines: list[str], name: str) -> str:
    """The nest that fails, to read."""
    start = next(n for n, line in enumerate(lines) if f" {name}(" in line)
    return "\n".join(lines[start : lines.index("}", start) + 1])
