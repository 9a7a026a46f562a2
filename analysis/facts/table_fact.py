"""Facts about tables of subscripts: as the analysis uses them, as assumptions, and as the comment that states them."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.table_fact import TableFact

_WORDS = {"injective": "has no repeats", "increasing": "is increasing"}
_SENTENCES = {
    "injective": "`{}` is taken to hold no value twice, from the comment in the source.",
    "increasing": "`{}` is taken to be increasing, from the comment in the source.",
}


def by_array(facts: Iterable[TableFact]) -> dict[str, frozenset[str]]:
    """Kinds of facts of each array."""
    found: dict[str, frozenset[str]] = {}
    for fact in facts:
        found[fact.array] = found.get(fact.array, frozenset()) | {fact.kind}
    return found


def directive_text(facts: Iterable[TableFact]) -> str:
    """The comment that states the facts.

    >>> directive_text([TableFact("idx", "injective"), TableFact("row", "increasing")])
    '// warplens: idx has no repeats, row is increasing'
    """
    return "// warplens: " + ", ".join(f"{fact.array} {_WORDS[fact.kind]}" for fact in facts)


def table_assumption(fact: TableFact) -> Assumption:
    """What the user said, as a verdict shows it."""
    return Assumption("alias", fact.array, _SENTENCES[fact.kind].format(fact.array), origin="directive")
