"""Where a program keeps a number: a variable, a member of a structure, what a function gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PlaceKind = Literal["variable", "global", "member", "result", "target"]

FARTHEST = 2
"""Elements behind a parameter that are told apart: one that calls itself with the next leads to ever further ones."""

WHOLE = "*"
"""The name for all members of a structure."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in which numbers are kept.

    A `variable` is one of the function `owner`, a `global` one of the file `owner` (empty: of all files), a `member`
    one of the structures of type `owner`, whichever they are. A `result` is what the function `owner` gives, a `target`
    what its pointer leads to, `p[0]` for `*p`. Constant subscripts are part of the name, `d[0]`; `d[]` is any element.
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


def any_element(place: Place) -> Place:
    """The place of whichever element, for that of one; what is no element itself.

    >>> any_element(Place("variable", "f", "n[2]")).name, any_element(Place("variable", "f", "n")).name
    ('n[]', 'n')
    """
    holder, bracket, _ = place.name.rpartition("[")
    return Place(place.kind, place.owner, f"{holder}[]") if bracket else place


def led_to(function: str, pointer: str, subscript: int | None = 0) -> Place:
    """What a pointer of a function leads to, so many elements further.

    >>> led_to("f", "p"), led_to("f", "p", None).name
    (Place(kind='target', owner='f', name='p[0]'), 'p[]')
    """
    return element_of(Place("target", function, pointer), subscript)


def pointer_of(target: Place) -> str:
    """The pointer that leads to a target."""
    return target.name.rpartition("[")[0]


def behind(place: Place, pointer: str, target: Place) -> Place | None:
    """Where something lies that a function names by its pointer, for one that leads to `target`; None for other places.

    >>> behind(led_to("f", "p", 1), "p", Place("global", "", "d[2]")).name
    'd[3]'
    >>> behind(led_to("f", "p", None), "p", Place("global", "", "n")).name
    'n'
    >>> behind(led_to("f", "p", 1), "p", Place("global", "", "n")), behind(led_to("f", "p"), "q", led_to("g", "x"))
    (None, None)
    >>> behind(led_to("f", "p", 9), "p", led_to("f", "p", 1)).name
    'p[]'
    """
    holder, _, subscript = place.name.rpartition("[")
    if place.kind != "target" or holder != pointer:
        return None
    array, bracket, first = target.name.rpartition("[")
    if not bracket:  # a variable alone: there is nothing next to it
        return target if subscript in {"0]", "]"} else None
    is_known = subscript != "]" and first != "]"
    at = int(subscript[:-1]) + int(first[:-1]) if is_known else None
    if at is not None and target.kind == "target" and abs(at) > FARTHEST:
        at = None
    return element_of(Place(target.kind, target.owner, array), at)
