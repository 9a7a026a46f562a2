"""`t is private`: an iteration of a loop reads in an array or a variable only what it wrote itself."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.promises.named import NamedPromise, pattern_of
from warplens.analysis.ir.promises.promise import Wording


@dataclass(frozen=True, slots=True)
class Private(NamedPromise):
    """An iteration reads in the array or variable only what it wrote itself: each may have a copy of its own."""

    kind = "private"
    predicate = "is private"
    pattern = pattern_of(r"is\s+private")
    unused = "uses an array `{}` of its function, or sets a variable of that name"
    is_told_once = True
    words = Wording(
        noun="variable",
        sentence="Iterations are assumed to read in `{}` only what they wrote themselves: the comment in the source "
        "says so.",
        meaning="an iteration reads in it only what it wrote itself, so that each may have a copy of its own",
        clause="each iteration reads in {} only what it wrote itself",
    )
