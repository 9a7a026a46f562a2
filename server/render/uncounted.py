"""What a nest's times leave out: the work of functions that are called and not known."""

from __future__ import annotations

from warplens.analysis.facts.calls.call_assumptions import uncounted_functions
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.server.render.amounts import plural


def uncounted_text(evaluation: NestEvaluation) -> str:
    """That, as the end of a line; empty where nothing is left out."""
    functions = uncounted_functions((evaluation.facts.nest.root,))
    if not functions:
        return ""
    more = f" and {plural(len(functions) - 1, 'more function')}" if functions[1:] else ""
    return f", without the work of `{functions[0]}`{more}"
