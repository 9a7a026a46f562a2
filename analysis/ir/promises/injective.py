"""`idx has no repeats`: no value stands twice in an array of subscripts."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.promises.named import TablePromise, pattern_of
from warplens.analysis.ir.promises.promise import Wording


@dataclass(frozen=True, slots=True)
class Injective(TablePromise):
    """No value stands twice in the array: subscripts that are looked up at two places differ."""

    kind = "injective"
    predicate = "has no repeats"
    pattern = pattern_of(r"has\s+no\s+repeats|is\s+(?:a\s+permutation|injective)")
    words = Wording(
        noun="table",
        sentence="`{}` is assumed to hold no value twice: the comment in the source says so.",
        meaning="no value stands twice in it",
        clause="{} holds no value twice",
        clause_of_many="{} hold no value twice",
    )
