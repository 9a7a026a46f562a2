"""Keys that are compared by identity: a remembered result stands for all that it was made from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class SameObject:
    """Equal only where the very same object is held, which costs no walk through its content.

    Two equal objects that are not the same are told apart: a result is then computed or looked for once more.
    """

    held: object

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same object."""
        return isinstance(other, SameObject) and self.held is other.held

    def __hash__(self) -> int:
        """By the object's identity, which nobody else gets while it is held."""
        return id(self.held)
