"""Loops that run as often as data says: a warp runs as many iterations as the one of its threads that runs most."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.program import Branch, Region, ThreadLoop
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.simulation.grid import trips_of_warp
from warplens.hwprofiles.loader import load_gpu

FactsOf = Callable[[str], NestFacts]
HEAD = "f(int n, int m, const int *restrict r, const float *restrict a, float *restrict c)"


def loops(program: tuple[Region, ...]) -> Iterator[ThreadLoop]:
    for region in program:
        match region:
            case ThreadLoop():
                yield region
                yield from loops(region.body)
            case Branch():
                yield from loops((*region.then, *region.otherwise))


def uneven(facts: NestFacts) -> list[bool]:
    """Of the loops of a thread of the only kernel, in the order of the source."""
    (kernel,) = facts.kernels
    return [loop.is_uneven for loop in loops(kernel.program)]


def summed(header: str, before: str = "") -> str:
    body = f"float s = 0; {before} {header} s += a[k]; c[i] = s;"
    return f"{HEAD} {{ for (int i = 0; i < n; i++) {{ {body} }} }}"


@pytest.mark.parametrize(
    ("header", "before", "expected"),
    [
        ("for (int k = r[i]; k < r[i + 1]; k++)", "", True),
        ("for (int k = 0; k < r[i]; k++)", "", True),
        ("for (int k = 0; k < most; k++)", "int most = r[i] * 2 + 1;", True),
        # All threads load the same bounds.
        ("for (int k = r[0]; k < r[1]; k++)", "", False),
        # No data decides: threads disagree, by what the loops around say.
        ("for (int k = 0; k < i; k++)", "", False),
        ("for (int k = 0; k < m; k++)", "", False),
        ("for (int k = 0; k < 20; k++)", "", False),
    ],
)
def test_threads_disagree_where_their_own_data_decides(
    facts_of: FactsOf, header: str, before: str, expected: bool
) -> None:
    assert uneven(facts_of(summed(header, before))) == [expected]


def test_a_loop_is_uneven_and_those_inside_and_around_it_are_not(facts_of: FactsOf) -> None:
    source = f"""{HEAD} {{ for (int i = 0; i < n; i++) {{ float s = 0; for (int h = 0; h < m; h++)
 for (int k = r[i]; k < r[i + 1]; k++) for (int l = 0; l < 100; l++) s += a[k * 100 + l] * h; c[i] = s; }} }}"""
    assert uneven(facts_of(source)) == [False, True, False]


@pytest.mark.parametrize("mean", [0.0, 0.5, 1.0, 16.0, 1e6])
def test_a_warp_runs_the_most_that_one_of_its_threads_does(mean: float) -> None:
    assert trips_of_warp(mean, False) == mean
    longest = trips_of_warp(mean, True)
    assert longest >= mean
    # The more iterations, the more alike are those of the threads.
    assert longest / max(1.0, mean) <= trips_of_warp(mean / 2, True) / max(0.5, mean / 2)


def test_a_warp_computes_longer_and_moves_what_its_threads_ask_for(facts_of: FactsOf) -> None:
    """Rows of 16 numbers on average, beside the same where all rows are as long."""
    facts = facts_of(summed("for (int k = r[i]; k < r[i + 1]; k++)"))
    (kernel,) = facts.kernels
    sizes = {**dict.fromkeys(facts.parameters, 1 << 20), "iterations of k": 16}
    even = tuple(
        replace(region, is_uneven=False) if isinstance(region, ThreadLoop) else region for region in kernel.program
    )
    (of_a,) = (each.access.id for each in kernel.accesses if each.access.array == "a")
    found = []
    for program in (kernel.program, even):
        sized = SizedKernel.of(replace(kernel, program=program), sizes)
        trace = kernel_on_gpu(sized, LaunchConfig((256, 1, 1)), load_gpu("a100")).trace
        loads = [each for each in trace.operations if each.access == of_a]
        computed_cycles = sum(each.pipe_cycles[0] for each in trace.operations)
        found.append((sum(each.count for each in loads), sum(each.delay_cycles for each in loads), computed_cycles))
    (loads, waits, cycles), (even_loads, even_waits, even_cycles) = found
    assert loads == even_loads == pytest.approx(16)
    longer = trips_of_warp(16, True) / 16
    assert waits == pytest.approx(longer * even_waits)
    assert 1.3 * even_cycles < cycles < longer * even_cycles
