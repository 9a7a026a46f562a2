"""`output in any order`: the order in which the iterations of a loop print matters to nobody."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from warplens.analysis.ir.promises.promise import Promise, Wording

_PATTERN = re.compile(r"\s*output\s+(?:(?:may\s+come|comes)\s+)?in\s+any\s+order\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unordered(Promise):
    """The iterations of a loop may print in any order, and each print succeeds."""

    kind = "unordered"
    unused = "prints"
    words = Wording(
        noun="statement",
        sentence="The order in which the loop prints is assumed not to matter, and each print to succeed: the comment "
        "in the source says so.",
        meaning="the order in which the iterations print does not matter, nor does what stands between two prints of "
        "one of them",
        clause="the order of its output does not matter",
    )

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The promise that a part of a comment makes; None where it makes none of this kind."""
        return cls() if _PATTERN.match(text) else None

    @property
    def subject(self) -> str:
        """The whole statement."""
        return "output in any order"

    @property
    def text(self) -> str:
        """The promise as a comment says it."""
        return self.subject
