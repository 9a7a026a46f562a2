"""Which entry of a profile gives way to a measured one: by its kind alone. All numbers are made up."""

from __future__ import annotations

from typing import get_args

import pytest
from warplens.analysis.gpu.machine.gpu import ProvenanceKind
from warplens.hwprofiles.calibrate.profile_update import Compared, profile_update
from warplens.hwprofiles.calibrate.same_gpu import other_gpu
from warplens.hwprofiles.entry import Entry

KEPT = {
    "datasheet", "datasheet_mirror", "programming_guide", "vendor_header", "vendor_spreadsheet_port", "paper_spec",
    "model_fit",
}  # fmt: skip
REPLACED = {"assumed", "memory", "simulator_config", "measured_proxy", "derived", "measured"}
KEY = "l1.latency_cycles"
MEASURED = Entry(33.0, "cycles", "measured", "warplens calibrate gpu, a GPU, 2026-01-02")


def known(value: float, kind: ProvenanceKind = "assumed", clock_mhz: float = 0.0) -> Entry:
    return Entry(value, "cycles", kind, "elsewhere", clock_mhz=clock_mhz)


def test_every_kind_is_decided_here() -> None:
    assert set(get_args(ProvenanceKind)) == KEPT | REPLACED


@pytest.mark.parametrize("kind", sorted(REPLACED))
def test_what_was_not_promised_is_replaced(kind: ProvenanceKind) -> None:
    found = profile_update({KEY: known(30, kind)}, {KEY: MEASURED})
    assert found.written == {KEY: MEASURED}
    assert (found.kept, found.same, found.added) == ({}, (), {})


@pytest.mark.parametrize("kind", sorted(KEPT))
def test_what_was_promised_or_fitted_is_kept(kind: ProvenanceKind) -> None:
    found = profile_update({KEY: known(30, kind)}, {KEY: MEASURED})
    assert found.written == {}
    assert found.kept == {KEY: Compared(known(30, kind), MEASURED)}


def test_an_earlier_measurement_is_replaced_and_the_same_one_is_not() -> None:
    earlier = Entry(33.0, "cycles", "measured", "warplens calibrate gpu, a GPU, 2025-01-02")
    assert profile_update({KEY: earlier}, {KEY: MEASURED}).written == {KEY: MEASURED}
    again = profile_update({KEY: MEASURED}, {KEY: MEASURED})
    assert (again.written, again.same) == ({}, (KEY,))


def test_what_is_derived_from_the_driver_replaces_no_measurement() -> None:
    derived = Entry(3300.0, "GB/s", "derived", "stated by the driver")
    key = "dram.theoretical_bandwidth_gb_per_s"
    measured = Entry(3350.0, "GB/s", "measured", "elsewhere")
    assert profile_update({key: measured}, {key: derived}).kept.keys() == {key}
    assert profile_update({key: Entry(3350.0, "GB/s", "memory", "memory")}, {key: derived}).replaced.keys() == {key}


def test_what_is_missing_is_added_and_what_was_not_measured_is_left() -> None:
    pageable = Entry(6.0, "GB/s", "measured", "here")
    found = profile_update(
        {"shared.banks": Entry(32, "banks", "assumed", "-"), KEY: known(30)},
        {"host.h2d_pageable_bandwidth_gb_per_s": pageable, KEY: MEASURED},
    )
    assert found.added == {"host.h2d_pageable_bandwidth_gb_per_s": pageable}
    assert found.not_measured == ("shared.banks",)
    assert list(found.written) == [KEY, "host.h2d_pageable_bandwidth_gb_per_s"], "the schema's order"


@pytest.mark.parametrize(("value", "is_alike"), [(104.9, True), (105.1, False), (95.1, True), (94.9, False)])
def test_five_per_cent_are_alike(value: float, is_alike: bool) -> None:
    assert Compared(known(100), known(value)).is_alike is is_alike


def test_texts_and_zeros_are_alike_where_they_are_equal() -> None:
    text, zero = Entry("9.0", "-", "datasheet", "-"), known(0)
    assert Compared(text, text).is_alike
    assert not Compared(text, Entry("8.0", "-", "measured", "-")).is_alike
    assert Compared(zero, zero).is_alike
    assert not Compared(zero, known(1)).is_alike


def test_latencies_that_are_constant_in_nanoseconds_are_compared_as_times() -> None:
    slow, fast = known(300, "paper_spec", clock_mhz=1000), known(600, "measured", clock_mhz=2000)
    kept = profile_update({"l2.latency_cycles": slow}, {"l2.latency_cycles": fast}).kept
    assert kept["l2.latency_cycles"].ratio == pytest.approx(1)
    assert profile_update({KEY: slow}, {KEY: fast}).kept[KEY].ratio == pytest.approx(2), "L1 is constant in cycles"


def identity(capability: str = "9.0", sm_count: int = 132, size_gb: float = 80) -> dict[str, Entry]:
    return {
        "device.compute_capability": Entry(capability, "-", "measured", "here"),
        "device.sm_count": Entry(sm_count, "SMs", "measured", "here"),
        "dram.size_gb": Entry(size_gb, "GB", "measured", "here"),
    }


@pytest.mark.parametrize("size_gb", [75, 80, 85.9])
def test_the_same_gpu(size_gb: float) -> None:
    assert other_gpu(identity(), identity(size_gb=size_gb)) == ""


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (identity(capability="8.0"), "compute capability 8.0"),
        (identity(sm_count=114), "114 SMs, the profile 132 SMs"),
        (identity(size_gb=150.1), "150.1 GB of memory, the profile 80 GB"),
        ({}, "is not in the results"),
        ({"device.compute_capability": identity()["device.compute_capability"]}, "sm count is not in the results"),
    ],
)
def test_another_gpu_is_said_to_be_one(measured: dict[str, Entry], said: str) -> None:
    assert said in other_gpu(identity(), measured)


def test_a_driver_that_says_no_memory_size_decides_nothing() -> None:
    measured = identity()
    del measured["dram.size_gb"]
    assert other_gpu(identity(size_gb=141), measured) == ""
