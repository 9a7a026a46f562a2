"""Promises about one name, and those about arrays of subscripts and about elements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.source_names import NAME_IN_COMMENT


def pattern_of(predicate: str) -> re.Pattern[str]:
    """The pattern of a name and what is said of it, any case; `predicate` is a regular expression."""
    return re.compile(rf"\s*({NAME_IN_COMMENT})\s+(?:{predicate})\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedPromise(Promise):
    """One statement about one array, function or variable."""

    name: str

    predicate: ClassVar[str]
    """What a comment says of the name."""

    pattern: ClassVar[re.Pattern[str]]
    """All spellings that are read, the name as the first group."""

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The promise that a part of a comment makes; None where it makes none of this kind."""
        found = cls.pattern.match(text)
        return None if found is None else cls(found[1])

    @property
    def subject(self) -> str:
        """The name."""
        return self.name

    @property
    def text(self) -> str:
        """The promise as a comment says it."""
        return f"{self.name} {self.predicate}"


@dataclass(frozen=True, slots=True)
class TablePromise(NamedPromise):
    """Something of the values in an array of subscripts, wherever they are used."""

    unused = "uses an array `{}`"
    is_of_one_loop = False


@dataclass(frozen=True, slots=True)
class ElementPromise(NamedPromise):
    """Something of the elements of an array that the iterations of a loop write."""

    unused = "uses an array `{}`"
