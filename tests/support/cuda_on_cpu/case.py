"""A C function whose nests have CUDA ports, and the arguments that original and port are run with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Case:
    """`source` defines `function`; where another function calls it with what it needs, that is `entry`.

    `sizes` are values of the entry's integer parameters. `lengths` are C expressions for the elements behind its
    pointers (arrays say it themselves), `fills` what is not filled by its type: "index E" (0 to E - 1), "permutation"
    (of 0 to its length - 1), "rows E" (rising from 0 to E), or the type of a structure's members.
    `terms` (a C expression) is how many terms a sum has whose order the port changes: what it makes of numbers of
    which every sum is exact (`is_exact`) must be equal all the same, of others it may be off by terms * epsilon * what
    it makes of their absolute values. `mapped_terms` is the same of ports in a mapping, which have every sum in parts.
    `alone` says that each of `sizes` runs in a process of its own, so that one that fails hides no other.
    """

    name: str
    source: str
    sizes: tuple[Sizes, ...] = ({},)
    function: str = "work"
    entry: str = ""
    lengths: Mapping[str, str] = field(default_factory=dict)
    fills: Mapping[str, str] = field(default_factory=dict)
    terms: str = ""
    is_exact: bool = True
    mapped_terms: str = "256"
    alone: bool = False

    @property
    def called(self) -> str:
        """The function that the check calls."""
        return self.entry or self.function
