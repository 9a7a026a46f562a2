"""Times of runs that were never made: what is asked for, what is refused, and when there is an interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from unit.counters import made_up_runs
from warplens.analysis.counters.counter_table import CounterTable
from warplens.analysis.counters.error_band import MOST_REACH
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.counters.predict import MissingQuantityError, predict_time
from warplens.analysis.counters.time_model import TimeModel

pytestmark = pytest.mark.long


@pytest.fixture
def model(size_fit: KernelFit) -> TimeModel:
    assert size_fit.model is not None
    return size_fit.model


def test_a_size_between_those_run(model: TimeModel) -> None:
    found = predict_time(model, {"n": 1000})
    assert found.time_s == pytest.approx(made_up_runs.size_driven_s(np.array([1000.0]))[0], rel=0.05)
    assert found.low_s is not None
    assert found.high_s is not None
    assert found.low_s <= found.time_s <= found.high_s
    assert found.beyond == ()


def test_counters_are_predicted_in_their_own_units(model: TimeModel) -> None:
    counters = dict(predict_time(model, {"n": 3000}).counters)
    assert 0 <= counters.get("l2_hit_rate", 0.5) <= 1
    for name, expected in (("global_load_transactions", 3000**3 / 16), ("instructions_executed", 3000**3 * 1.5)):
        if name in counters:
            assert counters[name] == pytest.approx(expected, rel=0.05)
    assert counters


def test_a_larger_size_has_a_wider_interval_and_is_flagged(model: TimeModel) -> None:
    inside, beyond = (predict_time(model, {"n": n}) for n in (4000, 16000))
    assert beyond.beyond == ("n = 16000 is outside of 64 to 4096, which were run",)
    widths = [found.high_s / found.low_s for found in (inside, beyond) if found.high_s and found.low_s]
    assert len(widths) == 2
    assert widths[1] > widths[0]


def test_a_smaller_size_has_no_interval_as_none_was_tested(model: TimeModel) -> None:
    found = predict_time(model, {"n": 16})
    assert (found.low_s, found.high_s) == (None, None)
    assert found.beyond


def test_an_edge_is_inside(model: TimeModel) -> None:
    assert predict_time(model, {"n": 64}).beyond == predict_time(model, {"n": 4096}).beyond == ()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "n is needed"),
        ({"m": 5.0}, "n is needed; m is not among what was varied"),
        ({"n": 5.0, "m": 5.0}, "m is not among what was varied"),
        ({"n": 0.0}, "positive numbers"),
        ({"n": float("nan")}, "positive numbers"),
        ({"n": float("inf")}, "positive numbers"),
    ],
)
def test_what_can_not_be_predicted_is_said(model: TimeModel, given: dict[str, float], why: str) -> None:
    with pytest.raises(MissingQuantityError, match=why):
        predict_time(model, given)


def test_the_forest_of_a_model_is_checked(model: TimeModel) -> None:
    forest, columns = model.chain.forest, len(model.scales)
    inner = int(np.flatnonzero(forest.feature >= 0)[0])

    def changed(name: str, at: int, value: float) -> str | None:
        array = getattr(forest, name).copy()
        array[at] = value
        return replace(forest, **{name: array}).problem(columns)

    assert forest.problem(columns) is None
    assert "leads back" in (changed("left", inner, inner) or "")
    assert "leads back" in (changed("right", inner, len(forest.feature)) or "")
    assert "column" in (changed("feature", inner, columns) or "")
    assert "column" in (changed("feature", inner, -2) or "")
    assert "outside" in (changed("roots", 0, len(forest.feature)) or "")
    assert "finite" in (changed("value", 3, np.nan) or "")
    assert "lengths" in (replace(forest, value=forest.value[:-1]).problem(columns) or "")


def test_what_is_too_far_from_the_runs_is_refused(model: TimeModel) -> None:
    with pytest.raises(MissingQuantityError, match="n = 1000000000000 is too far from 64 to 4096"):
        predict_time(model, {"n": 1e12})


def test_sizes_that_hardly_differ_say_nothing_of_others() -> None:
    table = made_up_runs.size_driven(np.random.default_rng(2), np.arange(1_000_000, 1_000_030))
    narrow = made_up_runs.time_model(table)
    with pytest.raises(MissingQuantityError, match="too far from 1000000 to 1000029"):
        predict_time(narrow, {"n": 2_000_000})


def test_beyond_what_was_tested_there_is_no_interval_any_more(model: TimeModel) -> None:
    assert model.beyond is not None
    edge = 4096 * 2 ** (MOST_REACH * model.beyond.band.reach)
    assert predict_time(model, {"n": edge * 0.99}).high_s is not None
    assert predict_time(model, {"n": edge * 1.01}).high_s is None


@pytest.mark.parametrize(("count", "is_tested"), [(2, False), (3, True)])
def test_times_between_few_sizes_are_tested_by_leaving_sizes_out(count: int, is_tested: bool) -> None:
    """Ten blocks of each size: a fold of runs would know every size, and call a guess between them exact."""
    sizes = np.repeat(4.0 ** np.arange(3, 3 + count), 10)
    table = made_up_runs.size_driven(np.random.default_rng(2), sizes)
    blocks = [(32 * (1 + i % 10), 1, 1) for i in range(len(sizes))]
    runs = tuple(replace(run, block=block) for run, block in zip(table.runs, blocks, strict=True))
    few = made_up_runs.time_model(CounterTable(runs, table.metrics, table.values))
    assert (few.inside is not None) == is_tested
    middle = float(np.sqrt(sizes[0] * sizes[-1]))
    found = predict_time(few, {"n": middle, "threads_per_block": 64})
    assert (found.low_s is not None) == is_tested
    if found.low_s is not None and found.high_s is not None:
        assert found.low_s < made_up_runs.size_driven_s(np.array([middle]))[0] < found.high_s


def test_sizes_that_were_only_run_together_are_unknown_apart() -> None:
    table = made_up_runs.size_driven(np.random.default_rng(2), np.arange(512, 4097, 128))
    runs = tuple(replace(run, problem=(("m", dict(run.problem)["n"]), *run.problem)) for run in table.runs)
    both = made_up_runs.time_model(CounterTable(runs, table.metrics, table.values))
    apart = predict_time(both, {"n": 4000, "m": 600})
    assert apart.beyond == ("each of these was run, but nothing like them together",)
    assert apart.low_s is None
    assert predict_time(both, {"n": 1000, "m": 1000}).low_s is not None
