"""Where pointers point at one point of a function, and since when that is not followed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

from warplens.analysis.frontend.scopes.places import Place
from warplens.analysis.frontend.syntax.mentions import Noted
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True)
class Lost:
    """A point from which on pointers hold some values that are not followed, the innermost loop around it.

    `given_in` is the loop in each iteration of which the pointer holds memory that calls gave it in that iteration.
    Nothing can be reached through a pointer `is_undefined`: it is null, or was not set yet. `set_in` is a loop in each
    iteration of which the pointer was set before this point, so that no value comes from another iteration.
    """

    point: int
    loop: NodeId
    given_in: NodeId | None = None
    is_undefined: bool = False
    set_in: NodeId | None = None


class PointerValues:
    """Known places of pointers; a pointer without one, and not lost in the nest, holds what it held before."""

    def __init__(self) -> None:
        self.pointers: Noted[Place] = Noted()
        self.lost: dict[str, Lost] = {}
        """Pointers that hold another value than before the nest, and no place that is known."""
        self.loops: list[NodeId] = []
        """Loops around, outermost first; shared with the context, as what follows is."""
        self.given: dict[str, NodeId] = {}
        """Objects that calls gave or a body declares, with the loop in each iteration of which that is."""
        self.changing: set[str] = set()
        """Objects that are other memory in other iterations."""
        self.constants: set[str] = set()
        """Objects of which a value was taken for a constant of the nest."""
        self._points = count()

    def take_pointers(self, other: PointerValues) -> None:
        """Start from the same values, and share what is true of the whole nest."""
        self.pointers, self.lost = other.pointers.branched(), dict(other.lost)
        self.loops, self.given, self.changing, self._points = other.loops, other.given, other.changing, other._points
        self.constants = other.constants

    def next_point(self) -> int:
        """A number for a point at which values are lost."""
        return next(self._points)

    def lose(
        self, name: str, given_in: NodeId | None = None, *, is_undefined: bool = False, point: int | None = None
    ) -> None:
        """Note that a pointer has a value from here on that is not followed; before a nest there is no need to."""
        if self.loops:
            point = self.next_point() if point is None else point
            self.lost[name] = Lost(point, self.loops[-1], given_in, is_undefined)

    def settled_place(self, name: str) -> Place | None:
        """Where a pointer points, in iterators and constants alone; None where data decides, or it isn't followed."""
        place = self.pointers.get(name)
        return None if place is None or any(d.index is None for d in place.dimensions) else place

    def note_set(self, name: str) -> None:
        """Note that a lost pointer has just been set, to what doesn't depend on its value before."""
        if self.loops and name in self.lost:
            self.lost[name] = replace(self.lost[name], set_in=self.loops[-1])

    def set_in(self, name: str, around: NodeId | None) -> NodeId | None:
        """A loop in each iteration of which a pointer was set, for one that the loop `around` this point sets.

        What such a loop knows of it was found in the iteration: at its start nothing is known.
        """
        place, lost = self.pointers.get(name), self.lost.get(name)
        if place is not None:
            is_own = self.given.get(place.array) in self.loops
            return None if place.array in self.changing and not is_own else around
        return lost.set_in if lost is not None else None

    def given_in(self, name: str) -> NodeId | None:
        """The loop around in each iteration of which a pointer leads into memory of that iteration alone."""
        value = self.pointers.get(name) or self.lost.get(name)
        found = self.given.get(value.array) if isinstance(value, Place) else value.given_in if value else None
        return found if found in self.loops else None

    def is_undefined(self, name: str) -> bool:
        """Whether nothing can be reached through a pointer."""
        lost = self.lost.get(name)
        return lost is not None and lost.is_undefined and name not in self.pointers

    def merge_pointers(self, left: PointerValues, right: PointerValues) -> None:
        """A null pointer leads nowhere: what it is in the other branch counts."""
        self.pointers, self.lost, point = Noted(), {}, self.next_point()
        for name in sorted({*left.pointers, *right.pointers, *left.lost, *right.lost}):
            places = left.pointers.get(name), right.pointers.get(name)
            losses = left.lost.get(name), right.lost.get(name)
            is_same = places[0] == places[1] and (places[0] is not None or losses[0] == losses[1])
            if is_same or right.is_undefined(name):
                chosen = left
            elif left.is_undefined(name):
                chosen = right
            else:
                given = left.given_in(name), right.given_in(name)
                known = [loop for loop in given if loop is not None]
                self.lose(name, min(known, key=self.loops.index) if len(known) == 2 else None, point=point)
                around = self.loops[-1] if self.loops else None
                settings = [loop for side in (left, right) if (loop := side.set_in(name, around)) in self.loops]
                if len(settings) == 2:
                    self.lost[name] = replace(self.lost[name], set_in=min(settings, key=self.loops.index))
                continue
            if name in chosen.pointers:
                self.pointers[name] = chosen.pointers[name]
            if name in chosen.lost:
                self.lost[name] = chosen.lost[name]
