"""What the user says of names: as the analysis uses it, as assumptions, and as the comment that states it."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.ir.assumption import Assumption, AssumptionKind
from warplens.analysis.ir.promise import TABLE_KINDS, Promise

_WORDS = {"injective": "has no repeats", "increasing": "is increasing", "independent": "is independent"}
_SENTENCES = {
    "injective": "`{}` is taken to hold no value twice, from the comment in the source.",
    "increasing": "`{}` is taken to be increasing, from the comment in the source.",
    "independent": "Iterations are taken not to depend on what others do with `{}`, from the comment in the source.",
}


def independent_names(promises: Iterable[Promise]) -> frozenset[str]:
    """Functions and scalars that somebody vouches for."""
    return frozenset(promise.name for promise in promises if promise.kind == "independent")


def by_array(facts: Iterable[Promise]) -> dict[str, frozenset[str]]:
    """What is said of each array of subscripts."""
    found: dict[str, frozenset[str]] = {}
    for fact in facts:
        if fact.kind in TABLE_KINDS:
            found[fact.name] = found.get(fact.name, frozenset()) | {fact.kind}
    return found


def directive_text(promises: Iterable[Promise]) -> str:
    """The comment that states them.

    >>> directive_text([Promise("idx", "injective"), Promise("row", "increasing")])
    '// warplens: idx has no repeats, row is increasing'
    """
    return "// warplens: " + ", ".join(f"{promise.name} {_WORDS[promise.kind]}" for promise in promises)


def promise_assumption(promise: Promise) -> Assumption:
    """What the user said, as a verdict shows it."""
    about: AssumptionKind = "call" if promise.kind == "independent" else "alias"
    return Assumption(about, promise.name, _SENTENCES[promise.kind].format(promise.name), origin="directive")
