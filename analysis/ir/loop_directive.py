"""A directive of OpenMP or OpenACC by which the author of a loop says that its iterations may run at the same time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.mapped_section import MappedSection

Sharing = Literal["variables", "sums", "memory", "unclear"]
"""Of what is known, for sure, that the iterations share it unless the directive says otherwise. variables: every
variable from outside; sums: memory, and variables that the iterations add up in; memory: what pointers lead to and
what belongs to the file; unclear: a macro, a clause that is not followed, or who calls the function decides it."""


@dataclass(frozen=True, slots=True)
class LoopDirective:
    """What a directive says of one loop. `id` is a node of the nest, which stands where the directive does.

    `words` are those of the construct (`parallel for`). `own` are variables of which each thread, or iteration, has one
    of its own, `reduced` those that are combined, each with the operator. `lanes` is how many iterations in a row
    may run at once, 0 where any may. `takes` are the clauses about variables that may stand at it. `has_region` says
    that variables are declared between the start of the threads and the loop: what is computed of them differs by
    thread.
    `is_one_team`: a `target` region around the loop has no `teams`, so that one multiprocessor of the device runs it.
    `maps` are what the construct that begins at the loop copies for it, where nothing around it does.
    """

    id: NodeId
    language: Literal["omp", "acc"]
    words: str
    unit: Literal["threads", "lanes"]
    own: frozenset[str]
    reduced: tuple[tuple[str, str], ...]
    sharing: Sharing
    lanes: int = 0
    takes: frozenset[str] = frozenset()
    has_region: bool = False
    is_one_team: bool = False
    maps: tuple[MappedSection, ...] = ()

    @property
    def construct(self) -> str:
        """The directive without its clauses: `omp parallel for`."""
        return f"{self.language} {self.words}"

    @property
    def is_word(self) -> bool:
        """Whether it says that all iterations may run at the same time."""
        return not self.lanes

    @property
    def apart(self) -> frozenset[str]:
        """Variables that no two iterations are in each other's way with."""
        return self.own.union(name for name, _ in self.reduced)
