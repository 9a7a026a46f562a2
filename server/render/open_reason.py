"""Why nobody can say whether a nest is worth porting, in few words that many nests share."""

from __future__ import annotations

from warplens.analysis.advice.worth import Worth
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.server.render.grounds_text import listed


def open_reason(evaluation: NestEvaluation, worth: Worth) -> str:
    """The reason without names and places of the nest, so that nests can be counted by it; empty where it is decided.

    `worth_sentence` has it with names and places.
    """
    match worth.word:
        case "not decided" if evaluation.missing_headers:
            headers = listed([f"`{header}`" for header in evaluation.missing_headers], "or")
            return f"what it uses may be declared in {headers}, not found"
        case "not decided":
            return "it uses a name that is declared nowhere"
        case "sizes unknown" if worth.grounds.absurd is not None:
            return "with the sizes that are guessed it would take too long, or too much memory"
        case "sizes unknown":
            return "nothing says its sizes"
        case "if promised":
            return "it is parallel only if you promise what its line asks for"
        case "not known":
            return next((each.reason for each in evaluation.facts.verdicts if each.kind == "unknown"), "")
        case _:
            return ""
