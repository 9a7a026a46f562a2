"""What a nest's numbers rest on, in words: guesses that are marked, and what is said where no number has a ground."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.ir.undeclared import Undeclared
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import Absurd, Grounds, Guess
from warplens.analysis.text.quantities import bytes_text, count_text
from warplens.analysis.workload.loops.innermost_iterations import innermost_iterations
from warplens.server.render.formula_text import formula_text

_GUESSED = "guessed"
_NAMED = 3
"""Guesses, headers and names: of more the first ones are named."""
_LONGEST_WORK = 60


def say_text(guesses: Sequence[Guess]) -> str:
    """What to do about guesses.

    >>> say_text((Guess("n", 1024), Guess("m", 1024)))
    'say `n` and `m`'
    """
    return f"say {listed([f'`{guess.name}`' for guess in guesses])}"


def condition_text(guesses: Sequence[Guess]) -> str:
    """Under what numbers hold that rest on guesses.

    >>> condition_text((Guess("n", 1024), Guess("m", 3)))
    'if `n` = 1024 and `m` = 3 (guessed)'
    """
    return f"if {_values(guesses)} (guessed)"


def ground_rows(evaluation: NestEvaluation, grounds: Grounds) -> tuple[tuple[str, str], ...]:
    """Rows of a loop's card: headers that were not found, and under what all numbers of the card hold."""
    headers = listed([f"`{header}`" for header in evaluation.missing_headers])
    missing = (("not found", f"{headers}: what is declared there is not known"),) if headers else ()
    if grounds.undeclared or not grounds.guesses:
        return missing
    return (*missing, (_GUESSED, f"all numbers below {condition_text(grounds.guesses)}"))


def absurd_text(absurd: Absurd) -> str:
    """Which size makes a number so large that it can't be meant."""
    amount = bytes_text(absurd.amount) if absurd.what == "memory" else f"{_days(absurd.amount)} on one core"
    return f"with {_values(absurd.by)} this would take {amount}: {say_text(absurd.by)}"


def undeclared_text(undeclared: Sequence[Undeclared], headers: Sequence[str]) -> str:
    """Where the first of the names may come from, and how many more there are."""
    first, *others = undeclared
    more = f" (and {len(others)} more)" if others else ""
    if len(headers) == 1:
        comes = "come" if others else "comes"
        return f"`{first.name}`{more} {comes} from `{headers[0]}`, which was not found"
    if headers:
        return f"`{first.name}`{more} may come from {listed([f'`{each}`' for each in headers], 'or')}, not found"
    if first.is_like_a_macro:
        return f"`{first.name}`{more} is defined nowhere, a macro? Define it, or say its value"
    return f"`{first.name}`{more} is declared nowhere"


def work_text(facts: NestFacts) -> str:
    """Iterations of the nest's innermost loops as a formula in the sizes; empty where there is no short one."""
    try:
        text = formula_text(innermost_iterations(facts))
    except (TooLargeError, KeyError):
        return ""
    return text if len(text) <= _LONGEST_WORK else ""


def _values(guesses: Sequence[Guess]) -> str:
    return listed([f"`{guess.name}` = {count_text(guess.value)}" for guess in guesses])


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a sentence, of many the first ones and how many more there are."""
    if len(words) > _NAMED + 1:
        words = [*words[:_NAMED], f"{len(words) - _NAMED} more"]
    return f" {last} ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def _days(seconds: float) -> str:
    days = seconds / 86_400
    return f"{count_text(round(days))} days" if days < 1000 else f"{count_text(round(days / 365.25))} years"
