"""`status keeps its value`: no iteration of a loop changes what a flag of failures holds."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.promises.named import NamedPromise, pattern_of
from warplens.analysis.ir.promises.promise import Wording


@dataclass(frozen=True, slots=True)
class Kept(NamedPromise):
    """Each write of the flag, which says what went wrong, stores what it holds already."""

    kind = "kept"
    predicate = "keeps its value"
    pattern = pattern_of(r"keeps\s+its\s+value")
    unused = "has a flag `{}` that only says what went wrong"
    words = Wording(
        noun="flag",
        sentence="No iteration is assumed to change what `{}` holds: the comment in the source says so.",
        meaning="no iteration changes what it holds: nothing fails, or what does is not noted there",
        clause="no iteration changes what {} holds",
        clause_of_many="no iteration changes what {} hold",
    )
