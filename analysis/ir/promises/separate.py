"""`p and q do not overlap`: memory that a loop writes through one of two names it does not reach through the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from warplens.analysis.ir.promises.promise import Promise, Wording
from warplens.analysis.ir.separation import Separation, separation


@dataclass(frozen=True, slots=True)
class Separate(Promise):
    """Of each pair of names: memory that a loop writes through one of them it does not reach through the other."""

    separation: Separation

    kind = "separate"
    unused = "has memory by two of its names (`{}`)"
    words = Wording(
        noun="list of names",
        sentence="`{}` is assumed to hold in this loop: the comment in the source says so.",
        meaning="memory that the loop writes through one of two such names it does not reach through the other",
        clause="{}",
    )

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The promise that a part of a comment makes; None where it makes none of this kind."""
        found = separation(text)
        return None if found is None else cls(found)

    @property
    def subject(self) -> str:
        """The whole statement."""
        return str(self.separation)

    @property
    def text(self) -> str:
        """The promise as a comment says it."""
        return self.subject

    @property
    def pairs(self) -> frozenset[frozenset[str]]:
        """Pairs of names that share no memory."""
        return self.separation.pairs
