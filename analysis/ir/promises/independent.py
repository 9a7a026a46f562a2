"""`f is independent`: what calls touch, or what a flag or a counter holds in between, concerns no other iteration."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from warplens.analysis.ir.promises.named import NamedPromise, pattern_of
from warplens.analysis.ir.promises.promise import Wording

OF_FUNCTIONS = Wording(
    noun="function",
    sentence="No iteration is assumed to touch what calls of `{}` touch or point to in another one (reading alone "
    "apart): the comment in the source says so.",
    meaning="memory that a call touches or gives a pointer to in one iteration is touched by no other one, whether by "
    "a call or not, unless all only read it",
    clause="calls of {} touch no memory that another iteration touches (reading alone is fine)",
)
OF_FUNCTIONS_THAT_GIVE_POINTERS = replace(
    OF_FUNCTIONS,
    clause="calls of {} touch or give a pointer to no memory that another iteration touches (reading alone is fine)",
)
OF_VARIABLES = Wording(
    noun="variable",
    sentence="No iteration is assumed to need what another one leaves in `{}`: the comment in the source says so.",
    meaning="no iteration needs what another one leaves in it, so it may be updated in any order",
    clause="no iteration needs what another one leaves in {}",
)


@dataclass(frozen=True, slots=True)
class Independent(NamedPromise):
    """Of a function, or of a flag or a counter.

    Memory that a call of the function touches, or gives a pointer to, in one iteration of a loop is touched by no other
    one, unless all only read it. What one iteration leaves in the flag or the counter matters to no other.
    """

    kind = "independent"
    predicate = "is independent"
    pattern = pattern_of(r"is\s+independent")
    words = OF_VARIABLES
    unused = (
        "calls a function `{}` whose code is not in this file, or has a flag or counter of that name that only reports"
    )
    is_told_once = True

    @classmethod
    def wordings(cls) -> tuple[Wording, ...]:
        """All ways in which the user is told of promises of this kind, in order."""
        return (OF_FUNCTIONS, OF_VARIABLES)

    def wording(self, called: Collection[str]) -> Wording:
        """The one for this promise where a nest calls these functions, whose code is not in the file."""
        return OF_FUNCTIONS if self.name in called else OF_VARIABLES
