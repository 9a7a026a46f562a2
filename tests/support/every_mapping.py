"""Every mapping of a nest, whatever its sizes: what a check of all of them asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.mapping.candidate_mappings import (
    points_rewritten,
    split_choices,
    team_choices,
    team_rewritten,
)
from warplens.analysis.mapping.distributed_teams import distributed
from warplens.analysis.mapping.mapped_nest import Rewritten, mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.split_sums import split_over_grid
from warplens.analysis.mapping.stepped_nest import stepped_rewritten

FEW_PARTS = 8
"""Parts of a sum where sizes do not say how many."""

_MOST_AGAIN = 4
"""Choices of each of the kernels that one is distributed into, all of them taking their first, second, and so on."""


def every_mapping(source: SourceNest, teams: Sequence[int]) -> Iterator[MappedNest]:
    """All mappings of the nest in which one kernel, or the whole, is another than in the source's order.

    Each team has so many threads.

    Which of them are worth anything sizes decide: `models/nest/mapping_choice.py`.
    """
    names = NewNames(source.nest)
    stepped = stepped_rewritten(source, names)
    if stepped is not None:
        yield mapped_nest(source, names, (stepped,))
    for kernel in source.facts.kernels:
        names = NewNames(source.nest)
        points = points_rewritten(source, names, kernel)
        if points is not None:
            yield mapped_nest(source, names, (points,))
        for threads in teams:
            yield from _distributed(source, kernel, threads)
        for choice in team_choices(source, kernel):
            for threads in teams:
                names = NewNames(source.nest)
                team = team_rewritten(source, names, choice, threads)
                if team is not None:
                    yield mapped_nest(source, names, (team,))
        for split in split_choices(source, kernel):
            for threads in (1, *(teams if len(split.rows.loops) == 1 else ())):
                names = NewNames(source.nest)
                in_parts = split_over_grid(source, names, split, FEW_PARTS, threads)
                if in_parts is not None:
                    yield mapped_nest(source, names, (in_parts,))


def _distributed(source: SourceNest, kernel: Kernel, threads: int) -> Iterator[MappedNest]:
    """The kernel distributed, with teams of so many threads or parts in all kernels that can have them."""
    for at in range(_MOST_AGAIN):
        names = NewNames(source.nest)

        def again(nest: SourceNest, one: Kernel, _: int, at: int = at, names: NewNames = names) -> Rewritten | None:
            teams, splits = team_choices(nest, one), split_choices(nest, one)
            if at < len(teams):
                return team_rewritten(nest, names, teams[at], threads)
            if at - len(teams) < len(splits):
                split = splits[at - len(teams)]
                return split_over_grid(nest, names, split, FEW_PARTS, threads if len(split.rows.loops) == 1 else 1)
            return None

        found = distributed(source, names, kernel, again)
        if found is not None:
            yield mapped_nest(source, names, (found,))
