"""What a pointer may be set from, as the way from a variable to a member: `g.data` for `g->data` and `g[i].data`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from warplens.analysis.ir.memory_path import MemoryPath


class Step(NamedTuple):
    """One member; a repeated one stands for itself several times after each other, as along a list."""

    member: str
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class PointerPath:
    """`steps` from a base to a member that holds an address.

    The base is a variable, memory of its own that a call gave (`base` is the call's number in the function's text), an
    object of the nest by its name, or not known. `function` is the called function that a variable or a call is one of,
    empty for the function at hand and for variables of the file.
    """

    base: str
    steps: tuple[Step, ...] = ()
    kind: Literal["variable", "call", "object", "anywhere"] = "variable"
    function: str = ""

    def __str__(self) -> str:
        return ".".join((self.base, *(f"{member}{'*' * is_repeated}" for member, is_repeated in self.steps)))

    @property
    def is_variable(self) -> bool:
        """Whether it is a variable itself."""
        return not self.steps and self.kind == "variable"

    @property
    def root(self) -> PointerPath:
        """The base alone."""
        return PointerPath(self.base, (), self.kind, self.function) if self.steps else self

    def then(self, *steps: Step) -> PointerPath:
        """The way on to a member, with one step in place of equal ones after each other: however far along a list.

        >>> p = PointerPath("p")
        >>> str(p.then(Step("next"))), str(p.then(*map(Step, ("next", "next", "next"))))
        ('p.next', 'p.next*')
        >>> str(p.then(Step("next", True), Step("next"), Step("data")))
        'p.next*.data'
        """
        found = list(self.steps)
        for step in steps:
            if found and found[-1].member == step.member:
                found[-1] = Step(step.member, is_repeated=True)
            else:
                found.append(step)
        return PointerPath(self.base, tuple(found), self.kind, self.function)

    def is_below(self, holder: PointerPath) -> bool:
        """Whether it is a member of what another path leads to."""
        length = len(holder.steps)
        return len(self.steps) > length and self.steps[:length] == holder.steps and self.root == holder.root

    def splits(self) -> Iterator[tuple[PointerPath, tuple[Step, ...]]]:
        """What holds a member, and the way from there to it.

        Repeated steps are also one step, and one before the others.

        >>> path = PointerPath("p").then(Step("next", True), Step("data"))
        >>> [(str(holder), [step.member for step in rest]) for holder, rest in path.splits()]
        [('p', ['next', 'data']), ('p.next.data', []), ('p.next', ['next', 'data']), ('p.next*', ['data'])]
        """
        for at, step in enumerate(self.steps):
            rest = self.steps[at:]
            yield self._at(self.steps[:at]), rest
            if step.is_repeated:
                once = (*self.steps[:at], Step(step.member))
                yield self._at((*once, *self.steps[at + 1 :])), ()
                yield self._at(once), rest

    def _at(self, steps: tuple[Step, ...]) -> PointerPath:
        return PointerPath(self.base, steps, self.kind, self.function)


ANYWHERE = PointerPath("", kind="anywhere")
"""The source of a pointer whose values can't be told."""


def steps_to(name: str) -> tuple[str, tuple[Step, ...]]:
    """Variable and members of an object's name: `g->data` is `g` and `data`, as `g[].data` is."""
    path = MemoryPath.of(name)
    return path.base, tuple(map(Step, path.members))
