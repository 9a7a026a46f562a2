"""`longjmp is never called`: no iteration of a loop calls a function by which the program goes on elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.promises.named import NamedPromise, pattern_of
from warplens.analysis.ir.promises.promise import Wording


@dataclass(frozen=True, slots=True)
class Uncalled(NamedPromise):
    """No iteration calls the function: all iterations of the loop run."""

    kind = "uncalled"
    predicate = "is never called"
    pattern = pattern_of(r"is\s+never\s+called")
    unused = "is left by `{}`"
    words = Wording(
        noun="function",
        sentence="`{}` is assumed not to be called in this loop: the comment in the source says so.",
        meaning="no iteration calls it: the program would go on elsewhere and leave out the iterations behind",
        clause="no iteration calls {}",
    )
