"""Answers that follow from each other: questions without end are left open, and leave nothing behind."""

from __future__ import annotations

import pytest
from warplens.analysis.program.sizes import fixed_points
from warplens.analysis.program.sizes.fixed_points import FixedPoints


def test_questions_without_end_are_left_open_and_others_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each leads to two new ones, as contexts of functions do that call themselves in two ways."""
    monkeypatch.setattr(fixed_points, "_MOST_ASKED", 500)
    monkeypatch.setattr(fixed_points, "_MOST_ASKED_AFTER", 50)
    answers, found = FixedPoints(), []

    def ask(number: int) -> int:
        return answers.ask(number, lambda: find(number), 0)

    def find(number: int) -> int:
        found.append(number)
        return 1 + (ask(2 * number) + ask(2 * number + 1) if number > 0 else 0)

    ask(1)
    assert answers.is_cut
    assert len(found) <= 500
    assert len(answers) == 0
    found.clear()
    ask(1)  # nobody waits as long for the next one
    assert len(found) <= 50
    assert ask(0) == 1
    assert len(answers) == 1
