"""`ld >= n`: a relation between numbers that a nest leaves alone holds whenever the nest runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from warplens.analysis.ir.promises.promise import Promise, Wording
from warplens.analysis.ir.size_relation import SizeRelation, size_relation


@dataclass(frozen=True, slots=True)
class SizeHolds(Promise):
    """The relation holds whenever the loops run: a constraint of every question about them.

    Two relations of one text are one promise: see `SizeRelation.canonical`.
    """

    relation: SizeRelation

    kind = "size"
    unused = "depends on `{}`, or changes it"
    is_of_one_loop = False
    words = Wording(
        noun="relation",
        sentence="`{}` is assumed to hold: the comment in the source says so.",
        meaning="it holds whenever these loops run; an `assert` of it in front of them says the same",
        clause="{}",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "relation", self.relation.canonical)

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The promise that a part of a comment makes; None where it makes none of this kind."""
        found = size_relation(text)
        return None if found is None else cls(found)

    @property
    def subject(self) -> str:
        """The whole statement."""
        return str(self.relation)

    @property
    def text(self) -> str:
        """The promise as a comment says it."""
        return self.subject
