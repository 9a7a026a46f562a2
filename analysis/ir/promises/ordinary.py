"""`flag is ordinary memory`: nothing but a loop reads or changes `volatile` or atomic memory while the loop runs."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.promises.named import NamedPromise, pattern_of
from warplens.analysis.ir.promises.promise import Wording


@dataclass(frozen=True, slots=True)
class Ordinary(NamedPromise):
    """Nothing but the loop reads or changes the memory while the loop runs: the order of its accesses is free."""

    kind = "ordinary"
    predicate = "is ordinary memory"
    pattern = pattern_of(r"is\s+ordinary\s+memory")
    unused = "has `volatile` or atomic memory called `{}`"
    words = Wording(
        noun="name",
        sentence="Nothing but the loop is assumed to read or change `{}` while it runs: the comment in the source "
        "says so.",
        meaning="while the loop runs, no device, signal handler or other thread reads or changes it, so that its "
        "accesses may come in another order",
        clause="nothing but the loop reads or changes {} while it runs",
    )
