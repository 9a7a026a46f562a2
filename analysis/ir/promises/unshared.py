"""`x has no shared elements`: no element that one iteration of a loop writes is touched by another one."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.promises.named import ElementPromise, pattern_of
from warplens.analysis.ir.promises.promise import Wording


@dataclass(frozen=True, slots=True)
class Unshared(ElementPromise):
    """No element of the array that one iteration of a loop writes is read or written by another one.

    Of a pointer that each iteration sets, or that leads to one memory at different places of a loop, it says that no
    iteration reaches through it what another one writes through it.
    """

    kind = "unshared"
    predicate = "has no shared elements"
    pattern = pattern_of(r"has\s+no\s+shared\s+elements")
    words = Wording(
        noun="array",
        sentence="No iteration is assumed to touch an element of `{}` that another one writes: the comment in the "
        "source says so.",
        meaning="no element of it that one iteration writes is read or written by another one",
        clause="no element of {} that one iteration writes is touched by another one",
    )
