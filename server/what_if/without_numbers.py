"""The shape of an answer, empty but for what could not be applied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

VERSION = 1
"""Counts up when a field is renamed, removed or changes its meaning; new fields leave it."""


def without_numbers(problems: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Every field, none of them known; `problems` are (change, message), the change "" for the question itself."""
    return {
        "version": VERSION,
        "nest": None,
        "choices": None,
        "base": None,
        "result": None,
        "differences": [],
        "problems": [{"change": change, "message": message} for change, message in problems],
    }


def unanswered(message: str) -> dict[str, Any]:
    """An answer without numbers, and why."""
    return without_numbers((("", message),))
