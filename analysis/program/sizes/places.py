"""Where a program keeps a number: a variable, a member of a structure, what a function gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PlaceKind = Literal["variable", "global", "member", "result", "target"]

WHOLE = "*"
"""The name for all members of a structure."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in which numbers are kept.

    A `variable` is one of the function `owner`, a `global` one of the file `owner` (empty: of all files), a `member`
    one of the structures of type `owner`, whichever they are. A `result` is what the function `owner` gives, a `target`
    what its pointer parameter `name` leads to. Constant subscripts are part of the name, `d[0]`; `d[]` is any element.
    """

    kind: PlaceKind
    owner: str
    name: str = ""


def element_of(place: Place, subscript: int | None) -> Place:
    """The place of an element, None for whichever.

    >>> element_of(Place("global", "", "sizes"), 2).name
    'sizes[2]'
    """
    inside = "" if subscript is None else subscript
    return Place(place.kind, place.owner, f"{place.name}[{inside}]")


def any_element(place: Place) -> Place | None:
    """The place of whichever element, for that of one; None for no element.

    >>> any_element(Place("variable", "f", "n[2]")), any_element(Place("variable", "f", "n"))
    (Place(kind='variable', owner='f', name='n[]'), None)
    """
    holder, bracket, _ = place.name.rpartition("[")
    return Place(place.kind, place.owner, f"{holder}[]") if bracket else None
