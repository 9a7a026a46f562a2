"""Samples of a CPU as entries of a profile. All samples here are synthetic: round numbers of no machine."""

from __future__ import annotations

import pytest
from warplens.analysis.facts.program import PROFILED_OP_CLASSES
from warplens.hwprofiles.calibrate.cpu_entries import cpu_entries
from warplens.hwprofiles.calibrate.measurement import Measurement
from warplens.hwprofiles.schema import CPU_SCHEMA

SOURCE = "synthetic"


def one(quantity: str, series: str, *samples: float, unit: str = "cycles", **x: float) -> Measurement:
    return Measurement(quantity, series, x, unit, samples)


def chase(quantity: str, places: int, stride: int, dependent_ns: float, independent_ns: float) -> list[Measurement]:
    return [
        one(quantity, series, ns, unit="ns", places=places, stride_bytes=stride)
        for series, ns in (("dependent", dependent_ns), ("independent", independent_ns))
    ]


def values(*measurements: Measurement) -> dict[str, object]:
    return {key: entry.value for key, entry in cpu_entries(measurements, SOURCE).items()}


@pytest.mark.parametrize(
    ("key", "unit", "expected", "which"),
    [
        ("device.clock_mhz", "MHz", 100.0, "median of 5"),
        ("l1.bandwidth_gb_per_s", "GB/s", 101.0, "upper quartile of 5"),
        ("device.parallel_region_overhead_us", "us", 99.0, "lower quartile of 5"),
    ],
)
def test_all_rounds_count_on_the_side_that_others_do_not_disturb(
    key: str, unit: str, expected: float, which: str
) -> None:
    rounds = [one(key, "value", *samples, unit=unit) for samples in ((99, 101, 100), (103, 20))]
    entry = cpu_entries(rounds, SOURCE)[key]
    assert (entry.value, entry.unit, entry.kind, entry.source) == (expected, unit, "measured", SOURCE)
    assert entry.note == f"{which}, the middle half 99 to 101"


def test_cycles_of_one_become_a_rate_of_the_slower_form() -> None:
    found = values(
        one("instructions.logic", "dependent", 1.0),
        one("instructions.logic", "independent", 0.2, 0.2, 0.2),
        one("instructions.logic", "independent_packed", 0.25, 0.25, 0.5),
    )
    assert found == {"instructions.lat_logic": 1.0, "instructions.per_cycle_logic": 4.0}


def test_a_product_with_a_sum_is_derived_from_both() -> None:
    entries = cpu_entries(
        [
            one("instructions.fp64_add", "dependent", 2.0),
            one("instructions.fp64_add", "independent", 0.5),
            one("instructions.fp64_mul", "dependent", 3.0),
            one("instructions.fp64_mul", "independent", 1.5),
        ],
        SOURCE,
    )
    assert entries["instructions.lat_fp64_fma"].value == 5.0
    assert entries["instructions.per_cycle_fp64_fma"].value == 0.5
    assert {entries[f"instructions.{part}_fp64_fma"].kind for part in ("lat", "per_cycle")} == {"derived"}
    assert "instructions.lat_fp32_fma" not in entries, "nothing of fp32 was measured"


def test_an_integer_addition_is_the_cycle() -> None:
    entries = cpu_entries([one("instructions.int_add", "independent", 0.25)], SOURCE)
    assert (entries["instructions.lat_int_add"].value, entries["instructions.lat_int_add"].kind) == (1.0, "derived")


def test_of_loops_of_several_lengths_the_fastest_is_the_issue_width() -> None:
    found = values(
        one("device.issue_per_cycle", "loop_of_32", 0.2, 0.125, 0.125),
        one("device.issue_per_cycle", "loop_of_64", 0.16, 0.16, 0.16),
    )
    assert found == {"device.issue_per_cycle": 8.0}


def test_lines_in_flight_are_latency_over_time_of_free_loads_and_never_less_than_one() -> None:
    found = values(*chase("dram.latency_ns", 1 << 20, 64, 100.0, 5.0))
    assert found == {"dram.latency_ns": 100.0, "dram.misses_in_flight_per_core": 20.0}
    found = values(*chase("device.misses_in_flight_per_set", 64, 4096, 3.0, 4.0))
    assert found == {"device.misses_in_flight_per_set": 1.0}


def _pages(walk_ns: float) -> list[Measurement]:
    """Synthetic: 10 ns (1 ns where free) without walks, and with them over more than 2048 pages."""
    found = chase("translation", 8192, 64, 10.0, 1.0)
    for places in (8192, 512, 1024, 2048, 4096):
        walks = walk_ns if places > 2048 else 0.0
        found += chase("translation", places, 4160, 10.0 + walks, 1.0 + walks / 4)
    return found


def test_page_walks_and_the_pages_that_are_held() -> None:
    found = values(*_pages(20.0))
    assert found == {
        "translation.page_walk_ns": 20.0,
        "translation.page_walks_in_flight": pytest.approx(20 / 6, rel=1e-3),
        "translation.entries": 2048,
    }
    assert type(found["translation.entries"]) is int


def test_where_pages_cost_nothing_there_is_no_walk() -> None:
    assert values(*_pages(0.5)) == {}


def test_all_cores_reach_what_one_does() -> None:
    entries = cpu_entries(
        [
            one("dram.bandwidth_one_core_gb_per_s", "value", 40.0, unit="GB/s"),
            one("dram.bandwidth_all_cores_gb_per_s", "value", 35.0, unit="GB/s", threads=2),
        ],
        SOURCE,
    )
    every = entries["dram.bandwidth_all_cores_gb_per_s"]
    assert (every.value, every.kind) == (40.0, "derived")


def test_samples_that_can_not_be_are_left_out() -> None:
    assert values(one("device.clock_mhz", "value", 0.0, -1.0, unit="MHz")) == {}


def test_keys_are_the_schemas_in_its_order() -> None:
    known = [f"{section}.{key.name}" for section, keys in CPU_SCHEMA.items() for key in keys]
    measurements = [
        one(f"instructions.{op}", series, 1.0) for op in PROFILED_OP_CLASSES for series in ("dependent", "independent")
    ]
    measurements += [one("device.clock_mhz", "value", 3000.0), one("no.such_quantity", "value", 1.0)]
    found = list(cpu_entries(measurements, SOURCE))
    assert found == [key for key in known if key in found]
    assert len(found) == 1 + 2 * len(PROFILED_OP_CLASSES)
