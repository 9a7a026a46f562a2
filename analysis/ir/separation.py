"""Names that lead to memory apart from each other: `a, b and c do not overlap`, `a does not overlap b, c or d`.

One text for one statement: names are in alphabetical order, and two are a pair whoever stands first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from warplens.analysis.ir.source_names import NAME_IN_COMMENT as _NAME

_MORE = rf"(?:\s*,\s*{_NAME})*(?:\s*,)?\s+"
_EACH = rf"({_NAME}{_MORE}and\s+{_NAME})\s+(?:do\s+not|don't)\s+overlap"
_ONE = rf"({_NAME})\s+(?:does\s+not|doesn't)\s+overlap\s+({_NAME}(?:{_MORE}or\s+{_NAME})?)"
_SEPARATION = re.compile(rf"\s*(?:{_EACH}|{_ONE})(?=\s*(?:,|\Z))", re.IGNORECASE)
_BEFORE_LAST = re.compile(rf"(?:\s*{_NAME}\s*,)*")
_BETWEEN = re.compile(r"(?:\s*,)?\s+(?:and|or)\s+|\s*,\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Separation:
    """Each of `names` leads to other memory than each other of them; or, with `others`, the only one than each of them.

    It says nothing of two of the `others`.
    """

    names: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def pairs(self) -> frozenset[frozenset[str]]:
        """Pairs of names that share no memory."""
        found = combinations(self.names, 2) if not self.others else ((self.names[0], other) for other in self.others)
        return frozenset(map(frozenset, found))

    def __str__(self) -> str:
        if not self.others:
            return f"{_listed(self.names, 'and')} do not overlap"
        return f"{self.names[0]} does not overlap {_listed(self.others, 'or')}"


def separation(text: str) -> Separation | None:
    """Read such a statement; None where the text is none, or names one thing twice.

    >>> str(separation("q, p->data and a don't overlap")), str(separation("b doesn't overlap a"))
    ('a, p->data and q do not overlap', 'a and b do not overlap')
    """
    found = _SEPARATION.match(text)
    if found is None or text[found.end() :].strip():
        return None
    each, one, others = (_BETWEEN.split(part) if part else [] for part in found.groups())
    names = (*each, *one, *others)
    if len(set(names)) != len(names):
        return None
    return star(one[0], others) if one else Separation(tuple(sorted(each)))


def separation_parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the parts of a text stand that commas separate; commas between the names of such a statement don't."""
    listed = start
    while start <= end:
        found = _SEPARATION.match(text, start, end) if start >= listed else None
        if found is None and start >= listed:
            names = _BEFORE_LAST.match(text, start, end)
            listed = start if names is None else names.end()  # no later name of this list starts a statement
        comma = _comma(text, start if found is None else found.end(), end)
        stop = end if comma < 0 else comma
        yield start, stop
        start = stop + 1


def _comma(text: str, start: int, end: int) -> int:
    """The next comma that separates, -1 without one: between brackets, as in `f(a, b) = 3`, it does not."""
    first = text.find(",", start, end)
    depth = 0
    for at in range(start, end) if first >= 0 and "(" in text[start:first] else ():
        depth += (text[at] == "(") - (text[at] == ")" and depth > 0)
        if text[at] == "," and not depth:
            return at
    return first


def star(name: str, others: Iterable[str]) -> Separation:
    """One name apart from each of several."""
    ordered = tuple(sorted(others))
    return Separation((name,), ordered) if len(ordered) > 1 else Separation(tuple(sorted((name, *ordered))))


def _listed(names: tuple[str, ...], last: str) -> str:
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
