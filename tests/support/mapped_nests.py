"""Mappings of the only nest of a C text, and what they write, as lines."""

from __future__ import annotations

import re

from support.c_nests.parsed import facts_of
from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.ir.dump import dump
from warplens.analysis.mapping.candidate_mappings import (
    points_rewritten,
    team_choices,
    team_rewritten,
)
from warplens.analysis.mapping.mapped_nest import mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest


def in_points(source: str) -> MappedNest | None:
    """The first kernel with a thread per innermost iteration."""
    nest = SourceNest(facts_of(f"void {source}"))
    names = NewNames(nest.nest)
    rewritten = points_rewritten(nest, names, nest.facts.kernels[0])
    return None if rewritten is None else mapped_nest(nest, names, (rewritten,))


def in_teams(source: str, threads: int = 32) -> tuple[MappedNest, ...]:
    """The first kernel with teams of so many threads, each way to share loops."""
    nest = SourceNest(facts_of(f"void {source}"))
    found: list[MappedNest] = []
    for choice in team_choices(nest, nest.facts.kernels[0]):
        names = NewNames(nest.nest)
        rewritten = team_rewritten(nest, names, choice, threads)
        found += [] if rewritten is None else [mapped_nest(nest, names, (rewritten,))]
    return tuple(found)


def lines(mapped: MappedNest | None) -> list[str]:
    """The loops as `for j = lane; < m; +32`; `wait` where a team does, `first:` before what one thread does for all."""
    assert mapped is not None
    team = next((kernel.team for kernel in mapped.facts.kernels if kernel.team is not None), None)
    found: list[str] = []
    for line in dump(mapped.facts.nest).splitlines():
        numbered = re.fullmatch(r"( *)(\d+): (.*)", line)
        if numbered is None:
            continue
        indent, number, text = numbered.groups()
        if team is not None and int(number) in team.barriers:
            found.append(f"{indent}wait")
        is_first = team is not None and int(number) in team.once
        plain = re.sub(r"@\d+|\b(int|float|double) (?=\w+ =)", "", text)
        plain = re.sub(r"\[(\w[^\]:]*):[^\]]*\]", r"[\1]", plain)
        found.append(f"{indent}{'first: ' if is_first else ''}{plain}")
    return found
