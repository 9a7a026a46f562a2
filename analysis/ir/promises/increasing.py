"""`row is increasing`: no value in an array of bounds is smaller than the one before."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.promises.named import TablePromise, pattern_of
from warplens.analysis.ir.promises.promise import Wording


@dataclass(frozen=True, slots=True)
class Increasing(TablePromise):
    """No value in the array is smaller than the one before: what is looked up keeps the order of the places."""

    kind = "increasing"
    predicate = "is increasing"
    pattern = pattern_of(r"is\s+(?:increasing|sorted|monotone|monotonic)")
    words = Wording(
        noun="table",
        sentence="`{}` is assumed to be increasing: the comment in the source says so.",
        meaning="no value in it is smaller than the one before",
        clause="{} is increasing",
        clause_of_many="{} are increasing",
    )
