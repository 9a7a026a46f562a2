"""Sets that a strided walk falls into: the closed form against counting, and what it does to column walks."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.c_nests import parsed
from warplens.analysis.cpu.cache_sets import CacheSets, cache_sets
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.cpu.footprint import footprint, walk_of
from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.hwprofiles.loader import load_cpu

CPU = load_cpu("desktop")
LINE = 64
L1 = CacheSets(sets_by_offset=64, colours=1, ways=12)


def facts_of(body: str) -> NestFacts:
    source = f"void f(long n, const double *restrict a, double *restrict b, const int *restrict x) {{ {body} }}\n"
    return parsed.facts_of(source)


TRANSPOSE = facts_of("for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) b[j * n + i] = a[i * n + j];")
GATHER = facts_of("for (long i = 0; i < n; i++) b[i] = a[x[i]];")
CHASE = facts_of("long k = 0; for (long i = 0; i < n; i++) k = x[k];")


def at(facts: NestFacts, n: int, **change: float) -> CpuTime:
    return cpu_time(facts, dict.fromkeys(facts.parameters, n), replace(CPU, **change))


@given(st.integers(1, 40).map(lambda k: 64 * k) | st.sampled_from([2**k for k in range(7, 16)]))
def test_sets_reached_by_a_stride_are_counted(stride: int) -> None:
    trips = 64  # a full turn through the sets, whatever the stride
    touched = footprint(walk_of([stride], [0], 8), [trips], LINE)
    counted = len({k * stride // LINE % 64 for k in range(trips)})
    reached = L1.reached(touched, LINE)
    assert (64 if reached is None else reached) == counted


def test_two_strides_reach_the_multiples_of_their_common_divisor() -> None:
    touched = footprint(walk_of([1024, 1536 * 64], [0], 8), [4, 100], LINE)
    assert L1.reached(touched, LINE) == 4


def test_index_bits_above_the_page_offset_tell_pages_apart() -> None:
    # 1 MiB, 16 ways, 64-byte lines: 1024 sets, 64 of them by the place in a page, 16 colours
    sets = cache_sets(CPU.caches[1], 64, 4096)
    assert sets == CacheSets(64, 16, 16)
    for stride in (4096, 8192, 32768):
        assert sets.reached(footprint(walk_of([stride], [0], 8), [4096], LINE), LINE) == 16


def test_a_hashed_cache_has_no_sets_to_crowd() -> None:
    assert cache_sets(CPU.caches[2], 64, 4096) is None


@pytest.mark.parametrize(("crowded", "free"), [(1024, 1000), (4096, 4000)])
def test_columns_of_a_power_of_two_lose_their_reuse(crowded: int, free: int) -> None:
    per_element = at(TRANSPOSE, crowded, misses_in_flight_per_set=2.0).one_core_s / crowded**2
    assert per_element > 3 * at(TRANSPOSE, free, tlb_entries=2**20).one_core_s / free**2


def test_columns_beyond_the_translations_held_walk_the_page_tables() -> None:
    n = 4000
    held = at(TRANSPOSE, n, tlb_entries=2**20)
    walking = at(TRANSPOSE, n, page_walk_s=1e-7)
    assert walking.bound_by == "memory latency"
    missed = 1 - CPU.tlb_entries / (2 * n)  # a column of `b` has that many pages, half of them seen again too late
    assert walking.one_core_s >= 0.5 * missed * n * n * 1e-7 / CPU.page_walks_in_flight
    assert held.one_core_s < walking.one_core_s


def test_a_chased_address_walks_one_page_at_a_time() -> None:
    n = 100_000_000
    apart = at(CHASE, n, page_walk_s=1e-6).one_core_s
    assert apart >= 0.9 * n * 1e-6
    assert at(CHASE, n, page_walk_s=1e-6, page_walks_in_flight=16.0).one_core_s == apart


@given(
    st.sampled_from((TRANSPOSE, GATHER)),
    st.integers(1, 5000) | st.sampled_from([2**k for k in range(14)]),
    st.floats(1.0, 8.0),
    st.sampled_from(("page_walk_s", "dram_latency_s")),
    st.sampled_from(("page_walks_in_flight", "misses_in_flight_per_set", "misses_in_flight_per_core", "tlb_entries")),
)
def test_shorter_waits_are_never_slower(facts: NestFacts, n: int, factor: float, wait: str, many: str) -> None:
    base = at(facts, n)
    waits = {"page_walk_s": CPU.page_walk_s, "dram_latency_s": CPU.dram_latency_s}
    counts = {
        "page_walks_in_flight": CPU.page_walks_in_flight,
        "misses_in_flight_per_set": CPU.misses_in_flight_per_set,
        "misses_in_flight_per_core": CPU.misses_in_flight_per_core,
        "tlb_entries": CPU.tlb_entries,
    }
    better = at(facts, n, **{wait: waits[wait] / factor, many: int(counts[many] * int(factor))})
    assert better.one_core_s <= base.one_core_s * (1 + 1e-12)
    assert better.all_cores_s <= base.all_cores_s * (1 + 1e-12)


def test_two_cores_gather_from_the_whole_array_each() -> None:
    # 4e6 doubles: four times what the translations of a core reach; twice the cores don't hold twice as much of it
    n = 4_000_000
    slow_walks = {"page_walk_s": 1e-6, "parallel_region_overhead_s": 1e-6}
    one, two = at(GATHER, n, core_count=1, **slow_walks), at(GATHER, n, core_count=2, **slow_walks)
    assert two.all_cores_s == pytest.approx(one.one_core_s / 2, rel=1e-3)
