"""Numbers as the source computes them, over places of the program."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.program.sizes.places import Place


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Read:
    """What a place holds."""

    place: Place


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator of C, `?:`, or a function of the C library on numbers (`sqrt`); `trunc` is a cast to an integer.

    `apart` is how many elements lie between two pointers.
    """

    name: str
    operands: tuple[SizeExpression, ...]


@dataclass(frozen=True, slots=True)
class Called:
    """What a function of the program gives for these arguments."""

    function: str
    arguments: tuple[SizeExpression, ...]


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The number in an argument of the program: `atoi(argv[1])`; without a `position` what follows one of `options`."""

    position: int | None
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assumed:
    """A number that no program says of itself, with what it is that is assumed: one process."""

    value: int
    assumption: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that the source does not tell, with a clause that says why: `fscanf` reads it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Updated:
    """What a place holds after one change of what it held before, which `value` reads: `n /= 2`, `n = 2 * (n / 2)`."""

    value: SizeExpression


@dataclass(frozen=True, slots=True)
class Counted:
    """Something that the program counts: what it starts as says nothing."""


SizeExpression = Number | Read | Operation | Called | CommandLine | Assumed | Unknown | Updated | Counted


def reads(expression: SizeExpression, place: Place) -> bool:
    """Whether a value is computed from what a place holds."""
    match expression:
        case Read(read):
            return read == place
        case Operation(operands=parts) | Called(arguments=parts):
            return any(reads(part, place) for part in parts)
        case _:
            return False


NOT_FOLLOWED = Unknown("is computed in a way that is not followed")
