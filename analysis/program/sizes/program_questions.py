"""Questions about one state of a program, and which of them are new where a file says something else."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from warplens.analysis.program.sizes.file_sizes import FunctionSizes
from warplens.analysis.program.sizes.file_table import (
    AllocatedMemory,
    CallOf,
    DefinedFunction,
    PassedTarget,
    StoredValue,
)
from warplens.analysis.program.sizes.fixed_points import FixedPoints
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes
from warplens.analysis.program.sizes.places import Place, any_element
from warplens.analysis.program.sizes.said_sizes import SaidSize, said_values
from warplens.analysis.program.sizes.size_facts import (
    addresses_of,
    allocations_in,
    any_call,
    calls_by_name,
    definition_of,
    passed_in,
    reached_functions,
    stores_in,
    text_of_function,
)
from warplens.analysis.program.sizes.value_set import ValueSet

V = TypeVar("V")


@dataclass(slots=True)
class ProgramQuestions:
    """One linked program and the answers so far; each notes of which facts of the program it was made.

    `arguments` are those with which the program is called, None where nobody said.
    """

    program: LinkedSizes
    arguments: tuple[str, ...] | None = None
    said: tuple[SaidSize, ...] = ()
    """Sizes that somebody said."""
    answers: FixedPoints = field(default_factory=FixedPoints)
    followed: tuple[tuple[str, str], ...] = ()
    """Functions whose calls are being followed into each other, by file and name."""
    before: dict[tuple[str, str, Place], ValueSet] = field(default_factory=dict)
    """What places held before the change that is being followed."""
    said_values: Mapping[tuple[str, str], int] = field(init=False)
    used: set[tuple[str, str]] = field(default_factory=set)
    """Of what was said that on which an answer rests, by function and name."""

    def __post_init__(self) -> None:
        self.said_values = said_values(self.said)

    def shared(
        self, question: Hashable, find: Callable[[], V], nothing: V, same: Callable[[V, V], bool] = operator.eq
    ) -> V:
        """An answer that depends neither on the change nor on the calls that are followed: anybody may ask for it."""

        def found() -> V:
            around = self.before, self.followed
            self.before, self.followed = {}, ()
            try:
                return find()
            finally:
                self.before, self.followed = around

        return self.answers.ask(question, found, nothing, same)

    def give_up(self) -> None:
        """Follow nothing any more, after an error ended a question."""
        self.before, self.followed = {}, ()

    # ---- facts of the program

    def key(self, path: str, place: Place) -> tuple[str, Place]:
        """A place of a file among those of the program."""
        return self.program.key(path, place)

    def targets(self, path: str, place: Place) -> Iterator[PassedTarget]:
        """Calls that pass the address of a place, or of an element of the same array."""
        self.answers.note(addresses_of(self.key(path, any_element(place))))
        return self.program.targets(path, place)

    def stores(self, path: str, place: Place) -> Iterator[StoredValue]:
        """What is stored in a place that a file names."""
        for name in self.program.names_of(place):
            self.answers.note(stores_in(self.key(path, name)))
        return self.program.stores(path, place)

    def allocations(self, path: str, place: Place) -> Iterator[AllocatedMemory]:
        """Memory that a pointer is set to, and arrays that are declared."""
        self.answers.note(allocations_in(self.key(path, place)))
        return self.program.allocations(path, place)

    def called(self, path: str, name: str) -> DefinedFunction | None:
        """The function that a file means by a name."""
        self.answers.note(definition_of(name))
        found = self.program.called(path, name)
        if found is not None:
            self.answers.note(text_of_function(found.key))
        return found

    def definitions(self, path: str, name: str) -> tuple[DefinedFunction, ...]:
        """The functions of that name in files that may be in one program with a file, where that is not one alone."""
        self.answers.note(definition_of(name))
        found = self.program.definitions(path, name)
        for one in found:
            self.answers.note(text_of_function(one.key))
        return found

    def calls_of(self, function: DefinedFunction) -> list[CallOf]:
        """Calls of a function by its name."""
        self.answers.note(calls_by_name(function.sizes.name))
        self.answers.note(definition_of(function.sizes.name))
        self.answers.note(reached_functions())
        return self.program.calls_of(function)

    def parts_of(self, function: DefinedFunction) -> FunctionSizes:
        """What a function says, for its parameters and for those of its calls that pass addresses."""
        self.answers.note(passed_in(function.key))
        return function.sizes

    def is_conditional(self, stored: StoredValue) -> bool:
        """Whether a condition of the program decides if a value is stored."""
        self.answers.note(reached_functions())
        return self.program.is_conditional(stored)

    def is_called_conditionally(self, function: DefinedFunction) -> bool:
        """Whether a condition of the program decides if it calls a function."""
        self.answers.note(reached_functions())
        return self.program.is_called_conditionally(function)

    def reached_when(self, happens: Callable[[tuple[tuple[str, ...], ...]], bool]) -> frozenset[tuple[str, str]]:
        """Functions that the program calls for sure where it is known which of its options are given."""
        self.answers.note(any_call())
        return self.program.reached_when(happens)
