"""The way to an object in memory: a variable and the steps from it, as the object's name in a nest says them.

`g->data` is what the member `data` of what `g` leads to leads to, `rows[].at` what `at` of each element of `rows` does.
Names stay strings where they only stand for objects; what asks of a name how its object is reached asks here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BASE = re.compile(r"[^-.\[]*")
_STEP = re.compile(r"->[^-.\[]*|\.[^-.\[]*|\[[^\]]*\]|.")
_ELEMENT = "[]"
_MEMBER_STEP = re.compile(r"([^.\[]+)((?:\[\d+\])*)(?:\.|\Z)")


@dataclass(frozen=True, slots=True)
class MemberStep:
    """One member on the way into a struct, with the constant subscripts behind it: `v[2]` in `a.v[2].b`."""

    name: str
    subscripts: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.name + "".join(f"[{at}]" for at in self.subscripts)


def member_steps(member: str) -> tuple[MemberStep, ...]:
    """What an access's member names, from the outside in.

    >>> [(step.name, step.subscripts) for step in member_steps("a.v[2].b")]
    [('a', ()), ('v', (2,)), ('b', ())]
    """
    found = _MEMBER_STEP.findall(member)
    return tuple(MemberStep(name, tuple(map(int, re.findall(r"\d+", constants)))) for name, constants in found)


@dataclass(frozen=True, slots=True)
class MemoryPath:
    """`base` is a variable, or what else no step can be taken from; a step is `->name`, `.name`, `[]` or `[2]`."""

    base: str
    steps: tuple[str, ...] = ()

    @staticmethod
    def of(name: str) -> MemoryPath:
        """The way that an object's name says.

        >>> MemoryPath.of("rows[].at->data"), MemoryPath.of("t'2")
        (MemoryPath(base='rows', steps=('[]', '.at', '->data')), MemoryPath(base="t'2", steps=()))
        """
        found = _BASE.match(name)
        base = found[0] if found is not None else ""
        return MemoryPath(base, tuple(_STEP.findall(name, len(base))))

    def __str__(self) -> str:
        return self.base + "".join(self.steps)

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the members on the way, with constant subscripts; which elements else is left open.

        >>> MemoryPath.of("rows[].at->v[2]").members
        ('at', 'v[2]')
        """
        found: list[str] = []
        for step in self.steps:
            if found and step.startswith("[") and step != _ELEMENT:
                found[-1] += step
            elif step != _ELEMENT:
                found.append(step.removeprefix("->").removeprefix("."))
        return tuple(found)

    @property
    def is_in_structure(self) -> bool:
        """Whether a member is on the way."""
        return any(not step.startswith("[") for step in self.steps)

    @property
    def has_arrow(self) -> bool:
        """Whether a member of what a pointer leads to is on the way."""
        return any(step.startswith("->") for step in self.steps)

    def below(self, holder: MemoryPath) -> MemoryPath | None:
        """The way on from an object that this one is reached from, without a base; None where it is not.

        >>> path = MemoryPath.of("rows[].at")
        >>> str(path.below(MemoryPath.of("rows"))), path.below(MemoryPath.of("row"))
        ('[].at', None)
        """
        is_held = len(self.steps) > len(holder.steps) and self.steps[: len(holder.steps)] == holder.steps
        return MemoryPath("", self.steps[len(holder.steps) :]) if is_held and self.base == holder.base else None

    @property
    def is_of_elements(self) -> bool:
        """Whether the first step is to some element."""
        return self.steps[:1] == (_ELEMENT,)

    def is_below(self, holder: MemoryPath) -> bool:
        """Whether an object is reached from another one."""
        return self.below(holder) is not None

    def leads_through(self, holder: MemoryPath, member: str) -> bool:
        """Whether the last steps to an object are those to a member of what another one holds."""
        last = MemoryPath("").member(member).members
        return self.is_below(holder) and self.members[-len(last) :] == last

    def without_arrows(self) -> MemoryPath:
        """The way as if all structures lay in each other.

        >>> str(MemoryPath.of("g->rows[].at").without_arrows())
        'g.rows[].at'
        """
        return MemoryPath(self.base, tuple(step.replace("->", ".") for step in self.steps))

    def member(self, member: str, *, is_arrow: bool = False) -> MemoryPath:
        """The way to a member, itself a path of members that `.` separates.

        >>> str(MemoryPath.of("g").member("v[2].data", is_arrow=True))
        'g->v[2].data'
        """
        return MemoryPath.of(f"{self}{'->' if is_arrow else '.'}{member}")

    def element(self) -> MemoryPath:
        """The way to some element.

        >>> str(MemoryPath.of("rows").element().member("at"))
        'rows[].at'
        """
        return MemoryPath(self.base, (*self.steps, _ELEMENT))
