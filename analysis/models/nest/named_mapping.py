"""The mapping of a nest that a name stands for, whether it is worth trying at the nest's sizes or not.

A comment that pins one holds on every GPU and at every size: `warp:j` is made where the source's own order would fill
the GPU too, `block1024:j` where a smaller block was faster.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.mapping import WARP_THREADS
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.source_names import c_name
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
from warplens.analysis.mapping.stepped_nest import in_steps
from warplens.analysis.models.nest.kernel_ways import TEAMS
from warplens.analysis.models.nest.mapping_choice import STEPS, mapping_name

Rewrite = Callable[[NewNames], Rewritten | None]

_MOST_PARTS = 1 << 16
_BETWEEN_KERNELS = re.compile(r"\+(?=\d+:)")
"""Unlike the `+` between loops that a team shares, whose names begin with no digit."""

_NAME = re.compile(
    r"(?:(?P<kernel>\d{1,3}):)?"
    r"(?P<mapping>points|(?:(?P<warp>warp)|block(?P<block>\d{1,4})|parts(?P<parts>\d{1,5})(?:x(?P<part>\d{1,4}))?):[^#]+)"
    r"(?:#(?P<which>\d{1,3}))?"
)
"""As `mapping_choice.py` writes them: of a nest with several kernels the kernel's number stands in front."""


def named_mapping(facts: NestFacts, name: str, gpu: Gpu) -> MappedNest | None:
    """The nest in the mapping of a name; None where none is called so, or the GPU can't have it."""
    source = SourceNest(facts)
    if name.startswith(STEPS):
        return _in_steps(source, name)
    kernels: dict[int, re.Match[str]] = {}
    for part in _BETWEEN_KERNELS.split(name):
        said = _NAME.fullmatch(part)
        number = 0 if said is None else int(said["kernel"] or 1)
        if said is None or not 1 <= number <= len(facts.kernels) or number in kernels:
            return None
        if (said["kernel"] is None) != (len(facts.kernels) == 1):
            return None
        kernels[number] = said
    names = NewNames(facts.nest)
    rewritten: list[Rewritten] = []
    for number, said in sorted(kernels.items()):
        rewrite = _chosen(source, facts.kernels[number - 1], said, gpu)
        found = None if rewrite is None else rewrite(names)
        if found is None:
            return None
        rewritten.append(found)
    return mapped_nest(source, names, rewritten)


def _in_steps(source: SourceNest, name: str) -> MappedNest | None:
    found = in_steps(source)
    return found[0] if found is not None and name == f"{STEPS}{c_name(found[1])}" else None


def _chosen(source: SourceNest, kernel: Kernel, said: re.Match[str], gpu: Gpu) -> Rewrite | None:
    """How a kernel becomes what is said; of several choices that are called so the one whose number is said."""
    accumulates = any(not one.is_array_element for one in kernel.reductions)
    ways: Sequence[Rewrite] = () if accumulates else tuple(_ways(source, kernel, said, gpu))
    which = int(said["which"] or 1)
    can_be = (way for way in ways if len(ways) == 1 or way(NewNames(source.nest)) is not None)
    return next(islice(can_be, max(0, which - 1), None), None)


def _ways(source: SourceNest, kernel: Kernel, said: re.Match[str], gpu: Gpu) -> Iterator[Rewrite]:
    """The choices that are called so, in the order in which they are tried."""
    name = said["mapping"]
    if name == "points":
        yield partial(_in_points, source, kernel)
    elif said["parts"] is None:
        threads = WARP_THREADS if said["warp"] else int(said["block"])
        for choice in team_choices(source, kernel) if _may_be_team(threads, gpu) else ():
            if mapping_name(source, choice, threads) == name:
                yield partial(_in_teams, source, choice, threads)
    else:
        parts, threads = int(said["parts"]), int(said["part"] or 1)
        can_be = _is_power_of_two(parts) and parts <= _MOST_PARTS and (threads == 1 or _may_be_team(threads, gpu))
        for split in split_choices(source, kernel) if can_be else ():
            is_one_row = len(split.rows.loops) == 1 or threads == 1
            if is_one_row and mapping_name(source, split, threads, parts) == name:
                yield partial(_in_parts, source, split, parts, threads)


def _in_points(source: SourceNest, kernel: Kernel, names: NewNames) -> Rewritten | None:
    return points_rewritten(source, names, kernel)


def _in_teams(source: SourceNest, choice: TeamChoice, threads: int, names: NewNames) -> Rewritten | None:
    return team_rewritten(source, names, choice, threads)


def _in_parts(source: SourceNest, split: SplitSum, parts: int, threads: int, names: NewNames) -> Rewritten | None:
    return split_over_grid(source, names, split, parts, threads)


def _may_be_team(threads: int, gpu: Gpu) -> bool:
    """Whether so many threads can share a row: before Kepler no lane reads another's registers."""
    return gpu.has_warp_shuffles and threads in TEAMS and threads <= gpu.occupancy.max_threads_per_block


def _is_power_of_two(number: int) -> bool:
    return number > 1 and number & (number - 1) == 0
