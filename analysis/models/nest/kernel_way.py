"""One way to rewrite a kernel, how it is called, and which of several is recommended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.mapping.candidate_mappings import TeamChoice, points_rewritten, team_rewritten
from warplens.analysis.mapping.mapped_nest import Rewritten
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.split_sums import SplitSum, split_over_grid
from warplens.analysis.models.nest.named_rewriting import mapping_name, rewritten_again, then_name
from warplens.analysis.models.nest.tried_mapping import TriedMapping

SPLIT_GAIN = 1.4
"""What a sum in parts has to gain: it takes a second kernel and memory between them, and teams of a row were predicted
to take 1.3 times what an H100 did (`tests/accuracy/test_mappings.py`). And rows that add atomically, in any order."""

MORE_ROWS = 1.02
"""What teams with an iteration of one loop more each may take longer than those with more to do."""

TEAM_GAIN = 1.05
"""What another mapping has to gain over a simpler one: a warp exchanges values without shared memory."""


@dataclass(frozen=True, slots=True)
class KernelWay:
    """A way to rewrite a kernel; no `choice`: with a thread per innermost iteration.

    `again` are kernels that come of it, by number, with the names of how they are rewritten then.
    """

    kernel: Kernel
    tried: TriedMapping
    choice: TeamChoice | SplitSum | None = None
    threads: int = 1
    parts: int = 1
    again: tuple[tuple[int, str], ...] = ()

    @property
    def is_atomic(self) -> bool:
        """Whether teams add to elements of each other."""
        return isinstance(self.choice, TeamChoice) and self.choice.is_atomic

    @property
    def row_loops(self) -> int:
        """Loops of which a team, or a part of a sum, has an iteration."""
        return 0 if self.choice is None else len(self.choice.rows.loops)

    def rewritten(self, source: SourceNest, names: NewNames, gpu: Gpu) -> Rewritten | None:
        """The kernel rewritten in this way again, with names that others have not."""
        match self.choice:
            case None if self.again:
                return rewritten_again(source, names, self.kernel, self.again, gpu)
            case None:
                return points_rewritten(source, names, self.kernel)
            case TeamChoice():
                return team_rewritten(source, names, self.choice, self.threads)
            case SplitSum():
                return split_over_grid(source, names, self.choice, self.parts, self.threads)


def way_names(source: SourceNest, ways: Sequence[KernelWay]) -> list[str]:
    """A name for each, those that would be called alike with their number behind."""
    found: dict[str, None] = {}
    for way in ways:
        own = then_name(way.again) if way.again else mapping_name(source, way.choice, way.threads, way.parts)
        name, number = own, 2
        while name in found:
            name, number = f"{own}#{number}", number + 1
        found[name] = None
    return list(found)


def simplest_of_the_fastest(ways: Sequence[KernelWay]) -> int:
    """Position of the first way that none beats by what makes it worth it: two kernels, a wider team.

    Of teams that are as wide the one with more of them is as simple, and does as well for fewer rows.
    """
    best = 0
    for at, way in enumerate(ways):
        first = ways[best]
        needed = SPLIT_GAIN if way.parts > first.parts or way.is_atomic > first.is_atomic else TEAM_GAIN
        if way.threads == first.threads > 1 and way.row_loops > first.row_loops:
            needed = 1 / MORE_ROWS
        if way.tried.time_s * needed < first.tried.time_s:
            best = at
    return best
