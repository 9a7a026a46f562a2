"""The CPU model on small nests: what bounds them, closed forms, and what must hold at any size."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.c_nests import parsed
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.hwprofiles.loader import load_cpu

CPU = load_cpu("desktop")


def facts_of(parameters: str, body: str) -> NestFacts:
    source = f"void f({parameters}) {{ {body} }}\n"
    return parsed.facts_of(source)


TRIAD = facts_of("long n, double *a, double *b, double *c", "for (long i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];")
DOT = facts_of(
    "long n, float *a, float *b, float *r",
    "float s = 0; for (long i = 0; i < n; i++) s += a[i] * b[i]; *r = s;",
)
SUM = facts_of("long n, int *a, int *r", "int s = 0; for (long i = 0; i < n; i++) s += a[i]; *r = s;")
PREFIX = facts_of("long n, double *a", "for (long i = 1; i < n; i++) a[i] += a[i - 1];")
MATRIX = "long n, double *restrict a, double *restrict b, double *restrict c"
GEMM = facts_of(
    MATRIX,
    "for (long i = 0; i < n; i++) for (long k = 0; k < n; k++)"
    " for (long j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];",
)
COPY_ROWS = facts_of(MATRIX, "for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) b[i * n + j] = a[i * n + j];")
COPY_COLUMNS = facts_of(
    MATRIX, "for (long j = 0; j < n; j++) for (long i = 0; i < n; i++) b[i * n + j] = a[i * n + j];"
)
GATHER = facts_of("long n, int *x, double *a, double *b", "for (long i = 0; i < n; i++) a[i] = b[x[i]];")
CONVOLUTION = facts_of(
    "long n, float *restrict a, float *restrict w, float *restrict b",
    "for (long i = 1; i < n - 1; i++) for (long j = 1; j < n - 1; j++) { float s = 0;"
    " for (int p = 0; p < 3; p++) for (int q = 0; q < 3; q++) s += w[p * 3 + q] * a[(i + p - 1) * n + j + q - 1];"
    " b[i * n + j] = s; }",
)
EVERY = (TRIAD, DOT, SUM, PREFIX, GEMM, COPY_ROWS, COPY_COLUMNS, GATHER, CONVOLUTION)


def at(facts: NestFacts, n: int, cpu: Cpu = CPU) -> CpuTime:
    return cpu_time(facts, dict.fromkeys(facts.parameters, n), cpu)


def test_triad_in_memory_moves_four_words() -> None:
    # b and c are read, a's lines are fetched and written back: 32 bytes an iteration, a stretch ends in two lines
    n = 50_000_000
    time = at(TRIAD, n)
    assert time.bound_by == "memory bandwidth"
    assert time.vectorised
    parts = dict(time.breakdown_s)
    assert parts["memory bandwidth"] == pytest.approx(32 * n / CPU.dram_bandwidth_one_core_bytes_per_s, rel=1e-4)
    # half of what the core does meanwhile is not hidden
    in_l1 = at(TRIAD, 1000).one_core_s * n / 1000
    assert time.one_core_s == pytest.approx(parts["memory bandwidth"] + in_l1 / 2, rel=1e-3)
    assert time.all_cores_s == pytest.approx(32 * n / CPU.dram_bandwidth_all_cores_bytes_per_s, rel=0.05)


def test_triad_in_l1_is_bound_by_the_issue_of_its_instructions_for_two_elements() -> None:
    # two loads of which the addition takes one along, multiplication, addition, store, increment, compare-and-branch;
    # a copy for less than one of them; 16-byte vectors of doubles; the branch ends what is issued in a cycle
    n = 1000
    time = at(TRIAD, n)
    instructions = 6.6
    cycles = (instructions / CPU.issue_per_cycle + 2) / 2
    assert time.bound_by == "computation"
    assert time.one_core_s == pytest.approx(n * cycles / 2 / CPU.clock_hz)


def test_triad_in_l1_is_bound_by_a_slow_l1() -> None:
    n = 1000
    slow = replace(CPU, caches=(replace(CPU.caches[0], bandwidth_bytes_per_s=1e10), *CPU.caches[1:]))
    assert at(TRIAD, n, slow).bound_by == "L1"
    assert at(TRIAD, n, slow).one_core_s == pytest.approx(24 * n / 1e10)


def test_float_sum_waits_for_each_addition() -> None:
    n = 1_000_000
    time = at(DOT, n)
    assert not time.vectorised
    assert time.bound_by == "computation"
    core_s = n * CPU.timing("fp32_add").latency_cycles / CPU.clock_hz
    assert dict(time.breakdown_s)["computation"] == pytest.approx(core_s, rel=1e-3)
    assert core_s <= time.one_core_s < 1.2 * core_s
    assert any("-ffast-math" in assumption.text for assumption in time.assumptions)


@pytest.mark.parametrize("way_out", ["", "if (z > 4.0) break;", "if (z > c) return z;"])
def test_a_loop_that_may_end_early_waits_for_its_chain_as_any(way_out: str) -> None:
    facts = facts_of(
        "long n, double *r, double c, double z",
        f"for (long i = 0; i < n; i++) {{ {way_out} double t = z * z + c; z = t; }} *r = z;",
    )
    latency = sum(CPU.timing(op).latency_cycles for op in ("fp64_mul", "fp64_add"))
    assert at(facts, 10**6).one_core_s * CPU.clock_hz == pytest.approx(latency * 10**6, rel=0.01)


def test_integer_sum_is_vectorised() -> None:
    assert at(SUM, 1000).vectorised


def test_prefix_sum_stays_on_one_core_and_says_so() -> None:
    n = 100_000
    time = at(PREFIX, n)
    core_s = n * CPU.timing("fp64_add").latency_cycles / CPU.clock_hz
    assert dict(time.breakdown_s)["computation"] == pytest.approx(core_s, rel=1e-3)
    assert time.all_cores_s == time.one_core_s
    assert any("parallel" in a.text for a in time.assumptions if a.subject == "all cores")


def test_columns_cost_a_line_per_element_when_they_overflow_the_cache() -> None:
    n = 5000
    rows, columns = at(COPY_ROWS, n), at(COPY_COLUMNS, n)
    assert rows.vectorised
    assert not columns.vectorised
    lines_from_l2 = 3 * 64 * n * n / CPU.caches[1].bandwidth_bytes_per_s
    assert columns.one_core_s > 0.5 * lines_from_l2
    assert columns.one_core_s > 2 * rows.one_core_s


def test_small_fixed_loops_are_unrolled_and_the_loop_around_them_vectorised() -> None:
    assert at(CONVOLUTION, 1000).vectorised


def test_gathers_from_memory_wait_for_it() -> None:
    n = 100_000_000
    far = replace(CPU, dram_latency_s=1e-6)
    assert at(GATHER, n, far).bound_by == "memory latency"
    assert at(GATHER, n, far).one_core_s > at(GATHER, n).one_core_s


ROWS_OF_DATA = facts_of(
    "long n, int *x, double *restrict a, double *restrict b",
    "for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) b[i * n + j] = a[x[i] * n + j];",
)
CHAINED = facts_of(
    "long n, struct row { double *data; struct row *next; } *p, double *restrict b",
    "for (long i = 0; i < n; i++) { double *restrict a = p->data; for (long j = 0; j < n; j++) b[i * n + j] = a[j];"
    " p = p->next; }",
)


@pytest.mark.parametrize("facts", [ROWS_OF_DATA, CHAINED])
def test_rows_that_data_leads_to_are_streamed_like_others(facts: NestFacts) -> None:
    sizes = dict.fromkeys(facts.parameters, 8192) | {"elements of a": 8192**2}
    found, copy = cpu_time(facts, sizes, CPU), at(COPY_ROWS, 8192)
    assert found.bound_by == copy.bound_by == "memory bandwidth"
    assert copy.one_core_s <= found.one_core_s <= 1.1 * copy.one_core_s  # each row begins a stream anew
    assert found.vectorised


TILED_ROWS = facts_of(
    MATRIX,
    "for (long t = 0; t < n; t += 64) for (long i = t; i < t + 64; i++)"
    " for (long u = 0; u < n; u += 64) for (long j = u; j < u + 64; j++) b[i * n + j] = a[i * n + j];",
)
TRIANGLE = facts_of(MATRIX, "for (long i = 0; i < n; i++) for (long j = i; j < n; j++) b[i * n + j] = a[i * n + j];")


@pytest.mark.parametrize(("facts", "share"), [(TILED_ROWS, 1.0), (TRIANGLE, 0.5)])
def test_each_element_of_tiles_and_triangles_is_brought_in_once(facts: NestFacts, share: float) -> None:
    found, copy = at(facts, 8192), at(COPY_ROWS, 8192)
    parts = dict(found.breakdown_s)
    assert parts["memory bandwidth"] == pytest.approx(share * dict(copy.breakdown_s)["memory bandwidth"], rel=0.02)


def test_rows_that_start_where_data_says_are_not_read_twice() -> None:
    rows = facts_of(
        "long n, int *row, double *v, double *y",
        "for (long i = 0; i < n; i++) { double s = 1; for (int k = row[i]; k < row[i + 1]; k++) y[k] = s * v[k]; }",
    )
    n, trips = 1_000_000, 100
    sizes = {name: trips if name.endswith("trips") else n for name in rows.parameters}
    moved_bytes = 24 * n * trips
    assert cpu_time(rows, sizes, CPU).one_core_s >= moved_bytes / CPU.dram_bandwidth_one_core_bytes_per_s


@pytest.mark.parametrize("facts", EVERY)
@pytest.mark.parametrize("n", [0, 1, 2, 2**31, 2**63])
def test_every_size_gives_a_finite_time_that_its_parts_sum_to(facts: NestFacts, n: int) -> None:
    time = at(facts, n)
    assert 0.0 <= time.all_cores_s <= time.one_core_s < float("inf")
    assert sum(seconds for _, seconds in time.breakdown_s) == pytest.approx(time.one_core_s)


@pytest.mark.parametrize("facts", EVERY)
def test_the_loops_of_a_nest_take_its_time(facts: NestFacts) -> None:
    found = at(facts, 300)
    assert sum(seconds for _, seconds in found.loops_s) == pytest.approx(found.one_core_s)
    assert {around[-1] for around, _ in found.loops_s if around} <= {trip.loop for trip in facts.trip_counts}


def test_no_iterations_take_no_time() -> None:
    assert at(TRIAD, 0).one_core_s == 0.0


@given(st.sampled_from(EVERY), st.integers(1, 5000), st.floats(1.0, 8.0), st.integers(0, 4))
def test_faster_hardware_is_never_slower(facts: NestFacts, n: int, factor: float, what: int) -> None:
    faster = replace(CPU, clock_hz=CPU.clock_hz * factor)
    if what == 3:
        faster = replace(
            CPU,
            dram_bandwidth_one_core_bytes_per_s=CPU.dram_bandwidth_one_core_bytes_per_s * factor,
            dram_bandwidth_all_cores_bytes_per_s=CPU.dram_bandwidth_all_cores_bytes_per_s * factor,
        )
    elif what < 3:
        caches = list(CPU.caches)
        caches[what] = replace(caches[what], bandwidth_bytes_per_s=caches[what].bandwidth_bytes_per_s * factor)
        faster = replace(CPU, caches=tuple(caches))
    before, after = at(facts, n), at(facts, n, faster)
    assert after.one_core_s <= before.one_core_s * (1 + 1e-12)
    assert after.all_cores_s <= before.all_cores_s * (1 + 1e-12)


def test_what_all_cores_read_is_in_each_private_cache_not_spread_over_them() -> None:
    """Every core runs through all of b, a column at a time: a critical stride crowds it into few sets of each L2."""
    n = 1024
    columns = facts_of(
        MATRIX,
        "for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) { double s = 0;"
        " for (long k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j]; c[i * n + j] = s; }",
    )
    time = at(columns, n, load_cpu("server"))
    cores = load_cpu("server").core_count
    assert 0.9 / cores <= time.all_cores_s / time.one_core_s <= 1.5 / cores


def test_private_caches_hold_together_what_cores_share_among_them() -> None:
    """A sum over half of all L2s runs from DRAM or L3 on one core and from their own L2 on all."""
    cpu = load_cpu("server")
    n = int(cpu.core_count * cpu.caches[1].size_bytes / 2 / 4)
    time = at(SUM, n, cpu)
    assert time.all_cores_s < time.one_core_s / cpu.core_count


@given(st.sampled_from(EVERY), st.integers(2, 64))
def test_more_cores_are_never_slower(facts: NestFacts, n: int) -> None:
    more = replace(CPU, core_count=CPU.core_count * 2)
    assert at(facts, 50 * n, more).all_cores_s <= at(facts, 50 * n).all_cores_s * (1 + 1e-12)
