"""The work that one nest may cost: one number of operations, which every phase of its analysis counts.

The exact test can explode, and so can the search for what would have to be promised, each step of which decides a loop
again. Time would be no limit: the same nest would have one verdict on a fast machine and another one on a slow one, or
while something else runs. So work is counted: coefficients that integer sets read or work on, rows that are made for
them, references that are looked at again. The weights of these are such that an operation of each takes about as long.

Beyond the limit nothing is asked any more: what was decided stays, the rest is "unknown" and says why. A part is kept
for what needs no integer sets, so that loops which are simple are still decided behind one that is not.
"""

from __future__ import annotations

from warplens.analysis.ir.too_complex import TooComplexError

__all__ = ["NEST_OPERATIONS", "NestBudget", "TooComplexError"]

NEST_OPERATIONS = 1_500_000
"""Operations of all questions about one nest, one or two microseconds each."""

_KEPT_SHARE = 2
"""The half of it is kept besides for looking at loops and for tests without integer sets."""


class NestBudget:
    """Operations of one nest; made where its analysis begins, and handed on to all that is asked about it."""

    def __init__(self, operations: int = NEST_OPERATIONS) -> None:
        """Begin with so many, and a share of them besides that no integer set may use."""
        self.limit = operations
        self.used = 0
        self.kept = operations // _KEPT_SHARE
        """What is left for work without integer sets."""

    @property
    def is_spent(self) -> bool:
        """Whether no operation is left."""
        return self.used == self.limit

    def count(self, operations: int) -> None:
        """Count operations that were done; once there were too many, none is left."""
        self.used = min(self.used + operations, self.limit)

    def use(self, operations: int) -> None:
        """Count operations that are about to be done. Raises TooComplexError where they are too many."""
        self.count(operations)
        if self.is_spent:
            raise TooComplexError

    def use_kept(self, operations: int) -> None:
        """Count operations of work that goes on where the rest is used up. Raises TooComplexError."""
        self.kept = max(self.kept - operations, 0)
        if not self.kept:
            raise TooComplexError
