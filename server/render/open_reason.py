"""Why a nest is open, or not worth it, in words that a group of nests has in common."""

from __future__ import annotations

from warplens.analysis.advice.worth import Worth
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.server.render.grounds_text import undeclared_text
from warplens.server.render.worth_sentence import promises_text


def open_reason(evaluation: NestEvaluation, worth: Worth) -> str:
    """The reason, which may hold `code` in backquotes; empty of what is worth it, or hangs on one size.

    `worth_sentence` has it with names and places.
    """
    match worth.word:
        case "not decided":
            return undeclared_text(worth.grounds.undeclared, evaluation.missing_headers)
        case "sizes unknown":
            return "more memory or time than can be meant" if worth.grounds.absurd else "several sizes are said nowhere"
        case "if promised":
            return f"parallel if you promise that {promises_text(evaluation)}"
        case "not parallel":
            return "an iteration needs what an earlier one computed"
        case "not known":
            verdicts = (evaluation.facts.verdict(loop.id) for loop in loops_of(evaluation.facts.nest))
            return next((verdict.reason for verdict in verdicts if verdict.kind == "unknown"), "")
        case "not worth it" if worth.is_too_short:
            return "too short"
        case "not worth it":
            return "slower on a GPU"
        case "little gain":
            return "about as fast on the CPU"
        case "all cores":
            return "the CPU's cores gain as much or more"
        case "on the GPU":
            return "on the GPU already"
        case "nothing to run":
            return "no iterations at its sizes"
        case _:
            return ""
