"""The dependence analysis finds the loops of mapped nests parallel that mappings take for parallel.

Mappings reason by the source's dependences. Here the rewritten nest is analysed anew, as if a user had written it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.c_nests.parsed import nests_of
from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.random_imperfect import random_imperfect
from support.every_mapping import every_mapping
from support.examples import is_nightly
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.ir.dump import dump
from warplens.analysis.mapping.source_nest import SourceNest


def mappings(case: Case) -> Iterator[MappedNest]:
    """Those without teams: what threads of a team share is no loop of C."""
    text = "\n".join(line for line in case.source.splitlines() if not line.startswith("#include"))
    for nest in nests_of(text):
        for mapped in every_mapping(SourceNest(analyse_nest(nest)), ()):
            if all(kernel.team is None for kernel in mapped.facts.kernels):
                yield mapped


def check(case: Case) -> int:
    """How many loops of grids there are; all are what the mapping says that they are."""
    found = 0
    for mapped in mappings(case):
        anew = {verdict.loop: verdict.kind for verdict in loop_verdicts(mapped.facts.nest)}
        for kernel in mapped.facts.kernels:
            for loop in kernel.grid:
                assert anew[loop.loop] == mapped.facts.verdict(loop.loop).kind, (case.source, dump(mapped.facts.nest))
                found += 1
    return found


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_loops_of_grids_are_parallel_in_the_nest_that_is_written(first: int) -> None:
    cases = random_imperfect(range(first, first + (200 if is_nightly() else 20)))
    assert sum(map(check, cases)) > 40
