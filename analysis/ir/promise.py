"""What the user says of a name that the file itself doesn't tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PromiseKind = Literal["injective", "increasing", "independent"]
"""injective, of an array of subscripts: no value stands twice in it; increasing: no value is smaller than the one
before. independent, of a function: what a call touches in one iteration of a loop no other iteration touches, unless
all only read it; of a flag or a counter: what one iteration leaves in it matters to no other."""

TABLE_KINDS: tuple[PromiseKind, ...] = ("injective", "increasing")


@dataclass(frozen=True, slots=True, order=True)
class Promise:
    """One statement about one array, function or variable, taken as true."""

    name: str
    kind: PromiseKind
