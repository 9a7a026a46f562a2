"""What a loop's directive says of its launch now."""

from collections.abc import Callable

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.models.results.current_launch import DEFAULT_ORIGIN, CurrentLaunch, current_launch
from warplens.hwprofiles.loader import load_gpu

FactsOf = Callable[[str], NestFacts]
LOOPS = "for (int i = 0; i < n; i++) {inner}for (int j = 0; j < n; j++) {target} = a[i*n+j];"


def launch(facts_of: FactsOf, pragma: str, inner: str = "", target: str = "o[i*n+j]") -> CurrentLaunch:
    loops = LOOPS.replace("{inner}", f"\n{inner}\n" if inner else "").replace("{target}", target)
    facts = facts_of(f"void f(int n, const float *restrict a, float *restrict o) {{\n{pragma}\n{loops} }}")
    return current_launch(facts, facts.kernels[0], load_gpu("a100"))


@pytest.mark.parametrize(
    ("pragma", "threads", "origin"),
    [
        ("", 256, DEFAULT_ORIGIN),
        ("#pragma omp target teams distribute parallel for collapse(2)", 256, DEFAULT_ORIGIN),
        ("#pragma omp target teams distribute parallel for collapse(2) thread_limit(128)", 128, "thread_limit(128)"),
        ("#pragma omp target teams distribute parallel for num_threads( 64 )", 64, "num_threads(64)"),
        ("#pragma acc parallel loop gang vector vector_length(512)", 512, "vector_length(512)"),
        ("#pragma omp target teams distribute parallel for thread_limit(4096)", 1024, "thread_limit(4096)"),
        ("#pragma omp target teams distribute parallel for thread_limit(n)", 256, DEFAULT_ORIGIN),
        ("#pragma omp parallel for num_threads(4)", 256, DEFAULT_ORIGIN),
    ],
)
def test_clauses_of_device_directives_count(facts_of: FactsOf, pragma: str, threads: int, origin: str) -> None:
    current = launch(facts_of, pragma)
    assert current.launch.block == (threads, 1, 1)
    assert current.origin == origin


def test_the_innermost_clause_counts(facts_of: FactsOf) -> None:
    outer = "#pragma omp target teams distribute thread_limit(512)"
    assert launch(facts_of, outer, "#pragma omp parallel for num_threads(128)").origin == "num_threads(128)"


def test_threads_lie_along_the_inner_loop_whatever_is_contiguous(facts_of: FactsOf) -> None:
    # Two of the three accesses go along rows: x is the outer loop, and a team's threads lie along y.
    current = launch(facts_of, "", target="o[j*n+i] += a[j*n+i]; o[j*n+i]")
    assert current.launch.block == (1, 256, 1)
