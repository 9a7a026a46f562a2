"""`x has no conflicting writes`: iterations that write one element of an array write the same value."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.promises.named import ElementPromise, pattern_of
from warplens.analysis.ir.promises.promise import Wording


@dataclass(frozen=True, slots=True)
class Agreeing(ElementPromise):
    """Iterations that write one element of the array write the same value: the order of the writes is free."""

    kind = "agreeing"
    predicate = "has no conflicting writes"
    pattern = pattern_of(r"has\s+no\s+conflicting\s+writes")
    words = Wording(
        noun="array",
        sentence="Iterations that write one element of `{}` are assumed to write the same value: the comment in the "
        "source says so.",
        meaning="iterations that write the same element of it write the same value",
        clause="iterations that write one element of {} write the same value",
    )
