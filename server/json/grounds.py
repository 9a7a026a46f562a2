"""What a nest's numbers rest on, as JSON values."""

from __future__ import annotations

from typing import Any

from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import Absurd, grounds_of
from warplens.server.render.grounds_text import work_text


def grounds_as_json(evaluation: NestEvaluation) -> dict[str, Any]:
    """Guessed sizes with their values, what nobody declares, and whether that leaves the numbers a ground."""
    grounds = grounds_of(evaluation)
    return {
        "has_ground": grounds.carry_numbers,
        "guesses": [{"name": guess.name, "value": guess.value} for guess in grounds.guesses],
        "undeclared": [{"name": one.name, "kind": one.kind} for one in grounds.undeclared],
        "missing_headers": list(evaluation.missing_headers),
        "absurd": None if grounds.absurd is None else _absurd(grounds.absurd),
        "iterations": work_text(evaluation.facts).replace("`", "") or None,
        "steady_bound": evaluation.steady_bound,
    }


def _absurd(absurd: Absurd) -> dict[str, Any]:
    """Bytes of memory, or seconds on one core."""
    return {
        "bytes" if absurd.what == "memory" else "one_core_s": absurd.amount,
        "names": [guess.name for guess in absurd.by],
    }
