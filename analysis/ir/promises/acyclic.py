"""`d has no negative cycles`: what a step of all pairs' shortest paths goes through is not made shorter by itself."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.promises.named import ElementPromise, pattern_of
from warplens.analysis.ir.promises.promise import Wording


@dataclass(frozen=True, slots=True)
class Acyclic(ElementPromise):
    """No `d[k][k]` is ever negative where `d[i][j]` gets the smaller of itself and `d[i][k] + d[k][j]`.

    Then row k and column k keep their values in step k.
    Source: Floyd, "Algorithm 97: Shortest path", Comm. ACM 5 (1962).
    """

    kind = "acyclic"
    is_of_one_loop = False
    predicate = "has no negative cycles"
    pattern = pattern_of(r"has\s+no\s+negative\s+(?:cycles?|diagonal)")
    words = Wording(
        noun="array",
        sentence="No element of the diagonal of `{}` is assumed to become negative: the comment in the source says so.",
        meaning="no element of its diagonal is negative at the start or becomes so, as where no cycle of the graph has "
        "a negative length",
        clause="no element of the diagonal of {} ever becomes negative",
    )
