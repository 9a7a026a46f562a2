"""Memory that a function touches, by what its callers know it as."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from warplens.analysis.frontend.effects.memory_roots import ELSEWHERE, HELD, LOCAL, Memory, Root


@dataclass(slots=True)
class MemoryPlaces:
    """Memory by what it belongs to: parameters directly, behind pointers there, names of the file."""

    direct: set[int] = field(default_factory=set)
    deep: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    deep_names: set[str] = field(default_factory=set)
    held: set[bool] = field(default_factory=set)
    """Whether pointers in the function's own memory lead there directly, or through others."""
    is_followed: bool = True

    def add(self, roots: Iterable[Root], *, is_deep: bool = False) -> None:
        """Take in memory of some objects."""
        for root in roots:
            if isinstance(root, int):
                (self.deep if is_deep else self.direct).add(root)
            elif root == ELSEWHERE:
                self.is_followed = False
            elif root == HELD or (root == LOCAL and is_deep):
                self.held.add(root == HELD and is_deep)
            elif root != LOCAL:
                self.names.add(root)
                if is_deep:
                    self.deep_names.add(root)

    def add_held(self, held: Collection[Root], *, is_known: bool) -> None:
        """Take in what the function's own pointers lead to; `is_known` says that none was set by others."""
        if self.held:
            self.is_followed &= is_known
            self.add(root for root in held if root != HELD)
        if True in self.held:
            self.add((root for root in held if root not in {HELD, LOCAL}), is_deep=True)

    @staticmethod
    def of(memory: Iterable[Memory]) -> MemoryPlaces:
        """Places of memory."""
        found = MemoryPlaces()
        for root, is_deep in memory:
            found.add((root,), is_deep=is_deep)
        return found
