"""One name for what profilers of every generation call otherwise."""

import pytest
from warplens.hwprofiles.counter_metrics import counter_vocabulary, read_vocabulary

UNITS = {"bytes", "bytes/s", "1", "instructions/cycle", "warps", "cycles"}
KINDS = {"share": {"1"}, "count": UNITS - {"bytes/s", "instructions/cycle"}}

ONE_METRIC = """
[metric.a]
title = "a"
unit = "1"
kind = "count"
meaning = "A."
nvprof = ["x"]
"""


@pytest.mark.parametrize(
    ("metric", "nvprof", "title", "ncu"),
    [
        ("instructions_executed", "inst_executed", "Instructions Executed", "smsp__inst_executed.sum"),
        ("dram_read_bytes", "dram_read_transactions", "Device Memory Read Transactions", "dram__bytes_read.sum"),
        (
            "achieved_occupancy",
            "achieved_occupancy",
            "Achieved Occupancy",
            "sm__warps_active.avg.pct_of_peak_sustained_active",
        ),
    ],
)
def test_names_of_all_profilers(metric: str, nvprof: str, title: str, ncu: str) -> None:
    vocabulary = counter_vocabulary()
    assert {vocabulary.source(name).metric for name in (nvprof, title, ncu)} == {metric}  # type: ignore[union-attr]
    assert vocabulary.source(metric).scale == 1  # type: ignore[union-attr]


def test_transactions_become_bytes_and_percentages_shares() -> None:
    vocabulary = counter_vocabulary()
    transactions, percent = vocabulary.source("dram_read_transactions"), vocabulary.source("gld_efficiency", "nvprof")
    assert transactions is not None
    assert percent is not None
    assert (transactions.scale, percent.scale) == (32, 0.01)


def test_units_and_kinds_fit() -> None:
    for metric in counter_vocabulary().metrics.values():
        assert metric.unit in KINDS.get(metric.kind, UNITS), metric.name
        assert metric.meaning.endswith("."), metric.name


def test_what_holds_the_time_is_marked() -> None:
    metrics = counter_vocabulary().metrics
    assert all(metric.restates_time for metric in metrics.values() if metric.kind == "rate" or metric.unit == "bytes/s")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (ONE_METRIC + ONE_METRIC.replace("metric.a", "metric.b"), "x is a and b"),
        (ONE_METRIC.replace('["x"]', '[["x", 0.0]]'), "its scale is not above 0"),
        (ONE_METRIC.replace('nvprof = ["x"]', ""), "no profiler has a"),
        (ONE_METRIC.replace('"count"', '"number"'), "a is of kind number"),
        (ONE_METRIC.replace('["x"]', '[{ name = "x", per = "b" }]'), "b is divided by, and no metric"),
    ],
)
def test_a_vocabulary_that_contradicts_itself_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_vocabulary(text)
