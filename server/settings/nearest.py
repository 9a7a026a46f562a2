"""What somebody probably meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from itertools import islice

MOST_NAMED = 10
"""Of names that are wrong in one file: who has more of them wants their number."""
_ALIKE = 0.6
_SHOWN = 16
_LONGEST = 60
"""Of a name that is wrong: longer ones are no near miss of anything, and nobody reads them."""


def nearest_name(given: str, known: Collection[str]) -> str | None:
    """The known name most like the given one, whatever their case; None where none is like it.

    >>> nearest_name("DisabeldRules", ["disabledRules", "defines"])
    'disabledRules'
    """
    if len(given) > _LONGEST:
        return None
    by_fold = {name.casefold(): name for name in known}
    near = get_close_matches(given.casefold(), by_fold, 1, _ALIKE)
    return by_fold[near[0]] if near else None


def meant(given: str, known: Collection[str]) -> str:
    """The end of a message about an unknown name: what it may have been, else what there is.

    >>> meant("v10", ["a100", "v100"]), meant("x", ["a100", "v100"])
    ('did you mean `v100`?', 'known are a100, v100')
    """
    near = nearest_name(given, known)
    if near:
        return f"did you mean `{near}`?"
    more = len(known) - _SHOWN
    named = ", ".join(islice(known, _SHOWN if more > 1 else None))
    return f"known are {named}{f' and {more} more' if more > 1 else ''}"


def shortened(name: str) -> str:
    """A name as a message has it, the beginning of a long one.

    >>> shortened("n"), len(shortened("n" * 1000))
    ('n', 63)
    """
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
