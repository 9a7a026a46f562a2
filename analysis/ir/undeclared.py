"""A name that a nest uses and no file in sight declares: a header is missing, or a macro is not defined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, order=True)
class Undeclared:
    """`kind`: a variable, constant or macro ("name"), a function or macro that is called, or a type."""

    name: str
    kind: Literal["name", "function", "type"]

    @property
    def is_like_a_macro(self) -> bool:
        """Whether it is written as macros are, in capitals.

        >>> Undeclared("NX", "name").is_like_a_macro, Undeclared("count", "name").is_like_a_macro
        (True, False)
        """
        return self.kind == "name" and self.name.isupper()
