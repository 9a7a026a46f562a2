"""What the user says of a name that the file itself doesn't tell: one statement, taken as true.

A kind of promise is one class in a file of its own: how a comment says it, what the user is told of it, and, as its
docstring, what the analysis may assume. `catalogue.py` lists them. What a kind is offered for is found by the file of
the facts that offers it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar, Self

from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True)
class Wording:
    """How the user is told of promises of one kind.

    `sentence` is what a verdict takes for granted, `{}` the promise's subject; `meaning` follows a promise and a colon.
    `clause` follows "parallel if", `{}` the quoted subjects, `clause_of_many` where they are several; empty if that
    makes no difference. `noun` is what they are, in the singular.
    """

    noun: str
    sentence: str
    meaning: str
    clause: str
    clause_of_many: str = ""

    def clause_about(self, subjects: str, count: int) -> str:
        """The clause about so many quoted subjects."""
        return (self.clause_of_many if count > 1 and self.clause_of_many else self.clause).format(subjects)


@dataclass(frozen=True, slots=True)
class Promise(ABC):
    """One statement, taken as true.

    `loop` is the only loop whose iterations a promise speaks of, None where it speaks of those of every loop: calls
    that meet in no two iterations of a loop over rows may well meet in those of the time steps around it.
    """

    loop: NodeId | None = field(default=None, kw_only=True)

    kind: ClassVar[str]
    """The kind's name in JSON."""

    words: ClassVar[Wording]

    unused: ClassVar[str]
    """What no loop does that a comment without effect speaks of, `{}` the promise's subject."""

    is_of_one_loop: ClassVar[bool] = True
    """Whether it speaks of the iterations of the loop that the comment stands at; else of values, wherever used."""

    is_told_once: ClassVar[bool] = False
    """Whether what is taken for granted of several subjects is one sentence."""

    @classmethod
    @abstractmethod
    def read(cls, text: str) -> Self | None:
        """The promise that a part of a comment makes; None where it makes none of this kind."""

    @property
    @abstractmethod
    def subject(self) -> str:
        """The name that it is about; for a kind that is about no single name the whole statement."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The promise as a comment says it."""

    @classmethod
    def wordings(cls) -> tuple[Wording, ...]:
        """All ways in which the user is told of promises of this kind, in order."""
        return (cls.words,)

    def wording(self, called: Collection[str]) -> Wording:
        """The one for this promise where a nest calls these functions, whose code is not in the file."""
        del called
        return self.words
