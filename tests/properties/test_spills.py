"""Belady's rule against the best of all evictions on small programs (Resios 6.4)."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from warplens.analysis.workload.registers.spills import spills

Program = tuple[tuple[int, ...], ...]


@st.composite
def programs(draw: st.DrawFn, most_reads: int = 2) -> Program:
    """Straight-line code in SSA form: each instruction reads earlier results and writes one value."""
    length = draw(st.integers(1, 8))
    program: list[tuple[int, ...]] = []
    for position in range(length):
        reads = draw(st.lists(st.integers(0, position - 1), max_size=most_reads, unique=True)) if position else []
        program.append((*reads, ~position))
    return tuple(program)


def fewest_reloads(program: Program, limit: int) -> int:
    """Smallest number of reloads over all choices of what to keep in registers."""

    @cache
    def best(position: int, registers: frozenset[int]) -> int:
        if position == len(program):
            return 0
        reads = frozenset(v for v in program[position] if v >= 0)
        writes = frozenset(~v for v in program[position] if v < 0)
        missing = len(reads - registers)
        costs = []
        for kept in subsets(registers - reads):
            if len(kept | reads) > limit:
                continue
            costs += [
                missing + best(position + 1, after | writes)
                for after in subsets(kept | reads)
                if len(after | writes) <= limit
            ]
        return min(costs)

    return best(0, frozenset())


def subsets(values: frozenset[int]) -> list[frozenset[int]]:
    found: list[frozenset[int]] = [frozenset()]
    for value in values:
        found += [subset | {value} for subset in found]
    return found


@settings(max_examples=examples(150))
@given(programs(), st.integers(2, 5))
def test_reloads_are_as_few_as_any_eviction_allows(program: Program, limit: int) -> None:
    assert spills(program, limit)[1] == fewest_reloads(program, limit)


@given(programs(most_reads=3), st.integers(3, 9))
def test_more_registers_never_cost_more(program: Program, limit: int) -> None:
    stores, reloads = spills(program, limit)
    more_stores, more_reloads = spills(program, limit + 1)
    assert more_reloads <= reloads
    assert more_stores + more_reloads <= stores + reloads
    assert stores <= reloads


@given(programs())
def test_enough_registers_cost_nothing(program: Program) -> None:
    assert spills(program, len(program) + 1) == (0, 0)
