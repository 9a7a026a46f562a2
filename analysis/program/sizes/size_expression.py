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
    """An operator of C, `?:`, or a function of the C library on numbers (`sqrt`); `trunc` is a cast to an integer."""

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
class Unknown:
    """A value that the source does not tell, with a clause that says why: `fscanf` reads it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Counted:
    """Something that the program counts: what it starts as says nothing."""


SizeExpression = Number | Read | Operation | Called | CommandLine | Unknown | Counted

NOT_FOLLOWED = Unknown("is computed in a way that is not followed")
