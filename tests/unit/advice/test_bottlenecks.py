"""Counters in words: every pattern by its levels, and by what the time goes with."""

from __future__ import annotations

import pytest
from warplens.analysis.advice.bottlenecks import Driver, bottlenecks, severity
from warplens.analysis.advice.catalogue import RULES
from warplens.analysis.advice.counter_patterns import PATTERNS, Pattern, Sign
from warplens.analysis.counters.levels import Level
from warplens.hwprofiles.counter_metrics import counter_vocabulary

SIGNS = [(pattern, sign) for pattern in PATTERNS for sign in pattern.signs]


def level(name: str, value: float) -> Level:
    return Level(name, value, value, value, "a profiler")


def levels(**values: float) -> dict[str, Level]:
    return {name: level(name, value) for name, value in values.items()}


@pytest.mark.parametrize(("pattern", "sign"), SIGNS, ids=[f"{p.key}-{s.level}" for p, s in SIGNS])
def test_each_sign_alone_tells(pattern: Pattern, sign: Sign) -> None:
    (found,) = bottlenecks(levels(**{sign.level: sign.severe}), (), {})
    assert (found.key, found.rule, found.strength) == (pattern.key, pattern.rule, "level")
    assert found.weight == 1
    assert "from a profiler" in found.evidence[0]
    assert bottlenecks(levels(**{sign.level: sign.notable}), (), {}) == ()


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.key)
def test_each_metric_that_the_time_goes_with_tells(pattern: Pattern) -> None:
    for direction, against, names in (("rises", "falls", pattern.rises), ("falls", "rises", pattern.falls)):
        for name in names:
            found = bottlenecks({}, (Driver(name, 0.5, direction, with_size=False),), {})
            assert pattern.key in [one.key for one in found]
            assert all(one.strength == "time" for one in found)
            assert not bottlenecks({}, (Driver(name, 0.5, against, with_size=False),), {})
            assert not bottlenecks({}, (Driver(name, 0.5, direction, with_size=True),), {})


def test_rules_and_metrics_exist() -> None:
    metrics = counter_vocabulary().metrics
    for pattern in PATTERNS:
        assert pattern.rule is None or pattern.rule in {rule.code for rule in RULES}
        assert set(pattern.rises) | set(pattern.falls) <= metrics.keys()


def test_the_heaviest_comes_first() -> None:
    found = bottlenecks(
        levels(global_load_efficiency=0.15, achieved_occupancy=0.25),
        (Driver("achieved_occupancy", 0.9, "falls", with_size=False),),
        {"achieved_occupancy": "achieved occupancy"},
    )
    assert [one.key for one in found] == ["occupancy", "uncoalesced"]
    assert found[0].strength == "level and time"
    assert found[0].weight == pytest.approx(1.4)
    assert "the higher achieved occupancy, the shorter the run" in found[0].evidence[1]


def test_stores_weigh_by_their_part() -> None:
    """Of a kernel whose stores are a hundredth of all, their pattern is not worth a word."""
    assert bottlenecks(levels(global_store_efficiency=0.1, global_store_share=0.01), (), {}) == ()
    (found,) = bottlenecks(levels(global_store_efficiency=0.1, global_store_share=0.5), (), {})
    assert found.weight == pytest.approx(0.5)
    assert "stores are 50% of all accesses" in found.evidence[0]


def test_idle_units_are_said_by_how_busy_they_are() -> None:
    (found,) = bottlenecks(levels(idle_share=0.9), (), {})
    assert found.evidence[0].startswith("neither memory nor instruction units are busier than 10%")


def test_what_goes_together_is_named() -> None:
    others = ("a", "b", "c", "d")
    driver = Driver("shared_load_bank_conflicts", 0.6, "rises", with_size=False, others=others)
    (found,) = bottlenecks({}, (driver,), {"a": "the a"})
    assert "together with the a, b, c and others" in found.evidence[0]


@pytest.mark.parametrize(("value", "expected"), [(0.4, 0), (0.5, 0), (0.25, 0.5), (0.1, 1), (0.0, 1)])
def test_severity_below_a_level(value: float, expected: float) -> None:
    assert severity(Sign("occupancy", 0.4, 0.1, ""), value) == expected


@pytest.mark.parametrize(
    ("others", "is_latency"),
    [
        ({}, True),
        ({"dram_share": 0.9}, False),
        ({"issue_share": 0.7}, False),
        ({"stall_pipe_busy": 0.9}, False),
        ({"stall_memory_dependency": 0.1}, False),
        ({"stall_memory_dependency": 0.4, "dram_share": 0.1}, True),
    ],
)
def test_idle_units_are_no_latency_where_something_else_is_busy(others: dict[str, float], is_latency: bool) -> None:
    found = bottlenecks(levels(idle_share=0.95, **others), (), {})
    assert ("latency" in [one.key for one in found]) == is_latency


def test_a_group_has_its_importance_once() -> None:
    """Two counters of bank conflicts that go together weigh as much as one, and are one sentence."""
    names = ("shared_load_bank_conflicts", "shared_replays_per_instruction")
    drivers = [Driver(name, 0.4, "rises", with_size=False, group=names[0]) for name in names]
    (found,) = bottlenecks({}, drivers, {})
    assert found.weight == pytest.approx(0.4)
    assert len(found.evidence) == 1


def keys(**values: float) -> list[str]:
    return [one.key for one in bottlenecks(levels(**values), (), {})]


def test_a_cause_comes_before_what_it_explains() -> None:
    """Warps that wait for scattered stores are helped by what gathers the stores."""
    assert keys(idle_share=0.9, global_store_efficiency=0.2) == ["uncoalesced", "latency"]
    assert keys(idle_share=0.9, global_store_efficiency=0.5) == ["latency", "uncoalesced"]  # it explains a part


def test_what_does_not_explain_it_stays_behind() -> None:
    """Few warps are enough for a memory that is busy all the time."""
    assert keys(dram_share=0.95, achieved_occupancy=0.2) == ["bandwidth", "occupancy"]


def test_a_full_queue_is_no_bandwidth_where_memory_is_idle() -> None:
    assert keys(stall_memory_throttle=0.9) == ["bandwidth"]
    assert keys(stall_memory_throttle=0.9, memory_share=0.02) == []


def test_conflicts_that_hardly_happen_are_not_what_the_time_goes_with() -> None:
    driver = Driver("shared_store_bank_conflicts", 0.5, "rises", with_size=False)
    assert bottlenecks(levels(shared_conflicts_per_request=0.2), (driver,), {})
    assert not bottlenecks(levels(shared_conflicts_per_request=0.001), (driver,), {})


def test_stalls_for_data_weigh_by_what_is_left_of_the_units() -> None:
    """Warps wait for data of a memory that is at work, too."""
    (found,) = bottlenecks(levels(stall_memory_dependency=0.8, idle_share=0.45), (), {})
    assert found.weight == pytest.approx(0.45)
    assert "45% of the busiest memory or instruction unit is not used" in found.evidence[0]
