"""The mapping of a nest that a name stands for, whether it is worth trying at the nest's sizes or not.

A comment that pins one holds on every GPU and at every size: `warp:j` is made where the source's own order would fill
the GPU too, `block1024:j` where a smaller block was faster.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.mapping import WARP_THREADS
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.nest import walk_statements
from warplens.analysis.mapping.candidate_mappings import (
    TeamChoice,
    points_rewritten,
    split_choices,
    team_choices,
    team_rewritten,
)
from warplens.analysis.mapping.mapped_nest import Rewritten, mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.split_sums import SplitSum, split_over_grid
from warplens.analysis.models.nest.mapping_choice import MOST_STATEMENTS, TEAMS, mapping_name

_MOST_PARTS = 1 << 16
_NAME = re.compile(
    r"(?:(?P<kernel>\d{1,3}):)?"
    r"(?P<mapping>points|(?:(?P<warp>warp)|block(?P<block>\d{1,4})|parts(?P<parts>\d{1,5})(?:x(?P<part>\d{1,4}))?):[^#]+)"
    r"(?:#(?P<which>\d{1,3}))?"
)
"""As `mapping_choice.py` writes them: of a nest with several kernels the kernel's number stands in front."""


def named_mapping(facts: NestFacts, name: str, gpu: Gpu) -> MappedNest | None:
    """The nest in the mapping of a name; None where none is called so, or the GPU can't have it."""
    said = _NAME.fullmatch(name)
    if said is None or sum(1 for _ in walk_statements((facts.nest.root,))) > MOST_STATEMENTS:
        return None
    number = int(said["kernel"] or 1)
    if (said["kernel"] is None) != (len(facts.kernels) == 1) or not 1 <= number <= len(facts.kernels):
        return None
    kernel = facts.kernels[number - 1]
    ways = () if kernel.reductions else _ways(SourceNest(facts), kernel, said, gpu)
    return next(islice(filter(None, ways), max(0, int(said["which"] or 1) - 1), None), None)


def _ways(source: SourceNest, kernel: Kernel, said: re.Match[str], gpu: Gpu) -> Iterator[MappedNest | None]:
    """What the nest becomes by each choice that is called so, in the order in which they are tried."""
    name = said["mapping"]

    def made(rewrite: Callable[[NewNames], Rewritten | None]) -> MappedNest | None:
        names = NewNames(source.nest)
        rewritten = rewrite(names)
        return None if rewritten is None else mapped_nest(source, names, (rewritten,))

    if name == "points":
        yield made(lambda names: points_rewritten(source, names, kernel))
    elif said["parts"] is None:
        threads = WARP_THREADS if said["warp"] else int(said["block"])
        for choice in team_choices(source, kernel) if _may_be_team(threads, gpu) else ():
            if mapping_name(source, choice, threads) == name:
                yield made(partial(_in_teams, source, choice, threads))
    else:
        parts, threads = int(said["parts"]), int(said["part"] or 1)
        can_be = _is_power_of_two(parts) and parts <= _MOST_PARTS and (threads == 1 or _may_be_team(threads, gpu))
        for split in split_choices(source, kernel) if can_be else ():
            is_one_row = len(split.rows.loops) == 1 or threads == 1
            if is_one_row and mapping_name(source, split, threads, parts) == name:
                yield made(partial(_in_parts, source, split, parts, threads))


def _in_teams(source: SourceNest, choice: TeamChoice, threads: int, names: NewNames) -> Rewritten | None:
    return team_rewritten(source, names, choice, threads)


def _in_parts(source: SourceNest, split: SplitSum, parts: int, threads: int, names: NewNames) -> Rewritten | None:
    return split_over_grid(source, names, split, parts, threads)


def _may_be_team(threads: int, gpu: Gpu) -> bool:
    """Whether so many threads can share a row: before Kepler no lane reads another's registers."""
    return gpu.has_warp_shuffles and threads in TEAMS and threads <= gpu.occupancy.max_threads_per_block


def _is_power_of_two(number: int) -> bool:
    return number > 1 and number & (number - 1) == 0
