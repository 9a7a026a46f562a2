"""Sizes that somebody said of the program: of a variable, or of a member of a structure wherever it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from warplens.analysis.program.sizes.places import Place
from warplens.analysis.program.sizes.size_expression import Read, SizeExpression

_TAGS = ("struct ", "union ")


@dataclass(frozen=True, slots=True)
class SaidSize:
    """`name` is a variable of the function, of the program where there is none, or `type.member` of a structure."""

    name: str
    function: str = ""
    value: int | None = None


def root_of(expression: SizeExpression) -> SaidSize | None:
    """By what a size is said that is what one place holds; None for others."""
    said = said_as(expression.place) if isinstance(expression, Read) else None
    return None if said is None else SaidSize(said[1], said[0])


def without_tag(structure: str) -> str:
    """A structure's name as a size is said of it.

    >>> without_tag("struct config"), without_tag("config")
    ('config', 'config')
    """
    return next((structure.removeprefix(tag) for tag in _TAGS if structure.startswith(tag)), structure)


def said_values(said: Iterable[SaidSize]) -> Mapping[tuple[str, str], int]:
    """Values by function and name, the first of each."""
    found: dict[tuple[str, str], int] = {}
    for one in said:
        if one.value is not None:
            found.setdefault((one.function, one.name), one.value)
            if one.function:  # `config.dim = 288` is a table to TOML: of a function, or of a structure
                found.setdefault(("", f"{one.function}.{one.name}"), one.value)
    return found


def said_as(place: Place) -> tuple[str, str] | None:
    """The function and the name by which the size is said that is what a place holds."""
    match place.kind:
        case "variable":
            return place.owner, place.name
        case "global":
            return "", place.name
        case "member":
            return "", f"{without_tag(place.owner)}.{place.name}"
        case _:
            return None
