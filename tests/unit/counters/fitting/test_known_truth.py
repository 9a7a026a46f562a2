"""Runs whose truth is known are diagnosed right, and noise is said to be noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from unit.counters import made_up_runs
from warplens.analysis.advice.bottlenecks import bottlenecks
from warplens.analysis.counters.counter_table import CounterTable
from warplens.analysis.counters.fitting.fit_kernel import fit_kernel
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.counters.levels import levels_of
from warplens.analysis.counters.predictors import TooFewRunsError
from warplens.analysis.engine.counter_study import drivers, ranking_of
from warplens.hwprofiles.counter_metrics import counter_vocabulary

pytestmark = pytest.mark.long

EFFICIENCY = made_up_runs.VOCABULARY | {
    "global_load_efficiency": made_up_runs.metric("global_load_efficiency", "share")
}


def with_column(table: CounterTable, name: str, column: np.ndarray) -> CounterTable:
    return CounterTable(table.runs, (*table.metrics, name), np.column_stack([table.values, column]))


def importance_of(fit: KernelFit) -> Mapping[str, float]:
    return ranking_of(fit).importance


def test_a_kernel_made_of_bank_conflicts(conflict_fit: KernelFit) -> None:
    first, *others = conflict_fit.groups
    assert first.group.members == ("shared_load_bank_conflicts",)
    assert first.is_above_chance
    assert first.curve is not None
    assert first.curve.direction == "rises"
    assert (first.importance.rank_low, first.importance.rank_high) == (1, 1)
    assert all(first.importance.increase > 20 * other.importance.increase for other in others)
    assert conflict_fit.kept[0] == "shared_load_bank_conflicts"
    assert conflict_fit.quality.out_of_bag > 0.85  # a third of the columns at each split: idle ones are tried too
    assert conflict_fit.quality.kept_out_of_bag > 0.98
    assert not conflict_fit.noise.is_noise
    assert conflict_fit.model is None  # one size, one launch: nothing to predict from


def test_it_is_said_in_words_with_the_rule(conflict_fit: KernelFit) -> None:
    levels, _ = levels_of(made_up_runs.conflict_bound(np.random.default_rng(1)), None)
    first = bottlenecks(levels, tuple(drivers(conflict_fit)), counter_vocabulary().titles)[0]
    assert (first.key, first.rule, first.strength) == ("bank_conflicts", "WL203", "level and time")
    assert any(line.startswith("3.") and "conflicts per request" in line for line in first.evidence)
    assert any("the longer the run" in line for line in first.evidence)


def test_noise_is_said_to_be_noise(noise_fit: KernelFit) -> None:
    assert noise_fit.noise.is_noise
    assert not any(result.is_above_chance for result in noise_fit.groups)
    assert noise_fit.kept == ()
    assert not tuple(drivers(noise_fit))


@pytest.mark.parametrize("seed", range(2))
def test_noise_of_other_seeds(seed: int) -> None:
    """A test at one in twenty may be wrong once; what is more important than chance must still be next to nothing."""
    fit = fit_kernel(made_up_runs.pure_noise(np.random.default_rng(100 + seed)), made_up_runs.VOCABULARY)
    assert fit.noise.is_noise or fit.quality.out_of_bag < 0.1


def test_two_perfectly_correlated_counters_are_one_group(conflict_fit: KernelFit) -> None:
    """The twin takes nothing of the first one's importance, as it would with both in the forest."""
    table = made_up_runs.conflict_bound(np.random.default_rng(1))
    conflicts = table.column("shared_load_bank_conflicts")
    twice = CounterTable(
        table.runs, (*table.metrics, "dram_read_bytes"), np.column_stack([table.values, 7 * conflicts])
    )
    fit = fit_kernel(twice, made_up_runs.VOCABULARY)
    assert set(fit.groups[0].group.members) == {"shared_load_bank_conflicts", "dram_read_bytes"}
    alone, together = conflict_fit.groups[0].importance, fit.groups[0].importance
    assert together.increase == pytest.approx(alone.increase, rel=0.1)
    found = importance_of(fit)
    assert found["dram_read_bytes"] == found["shared_load_bank_conflicts"]


def test_a_counter_that_goes_against_its_group_is_said_to(conflict_fit: KernelFit) -> None:
    table = made_up_runs.conflict_bound(np.random.default_rng(1))
    conflicts = table.column("shared_load_bank_conflicts")
    twice = CounterTable(
        table.runs, (*table.metrics, "shared_efficiency"), np.column_stack([table.values, 1 - conflicts / 2e7])
    )
    vocabulary = made_up_runs.VOCABULARY | {"shared_efficiency": made_up_runs.metric("shared_efficiency", "share")}
    directions = {driver.metric: driver.direction for driver in drivers(fit_kernel(twice, vocabulary))}
    assert directions["shared_load_bank_conflicts"] == "rises"
    assert directions["shared_efficiency"] == "falls"


def test_what_goes_with_the_size_stands_under_it(size_fit: KernelFit) -> None:
    by_size = size_fit.groups[0].group
    assert by_size.asked == "n"
    assert {"instructions_executed", "global_load_transactions"} <= set(by_size.members)
    assert all(driver.with_size for driver in drivers(size_fit) if driver.metric in by_size.members)


def test_sizes_never_run_are_predicted_from_the_size_alone(size_fit: KernelFit) -> None:
    model = size_fit.model
    assert model is not None
    assert model.inside is not None
    assert model.inside.accuracy.explained > 0.995
    assert model.inside.accuracy.mape < 0.05
    assert model.beyond is not None
    assert model.beyond.accuracy.mape < 0.25


def test_the_same_runs_give_the_same_fit() -> None:
    first, second = (
        fit_kernel(made_up_runs.conflict_bound(np.random.default_rng(1), 20), made_up_runs.VOCABULARY) for _ in range(2)
    )
    assert first.fitted == second.fitted
    assert [r.importance for r in first.groups] == [r.importance for r in second.groups]
    assert first.noise == second.noise


def test_what_holds_the_time_is_no_predictor() -> None:
    table = made_up_runs.conflict_bound(np.random.default_rng(1), 40)
    times = np.array([run.time_s for run in table.runs])
    cheat = CounterTable(table.runs, (*table.metrics, "executed_ipc"), np.column_stack([table.values, 1 / times]))
    fit = fit_kernel(cheat, made_up_runs.VOCABULARY)
    assert "executed_ipc" not in fit.names
    assert ("executed_ipc", "it holds the time itself") in fit.left_out


def test_too_few_runs_are_refused() -> None:
    with pytest.raises(TooFewRunsError, match="5 complete runs are too few, at least 8"):
        fit_kernel(made_up_runs.conflict_bound(np.random.default_rng(1), 5), made_up_runs.VOCABULARY)


def test_the_fewest_runs_can_be_fitted() -> None:
    fit = fit_kernel(
        made_up_runs.size_driven(np.random.default_rng(1), made_up_runs.SIZES[:8]), made_up_runs.VOCABULARY
    )
    assert fit.runs == 8
    assert fit.model is not None


def test_missing_cells_cost_the_counter_or_the_run_and_are_said() -> None:
    table = made_up_runs.conflict_bound(np.random.default_rng(1), 60)
    values = table.values.copy()
    values[:30, table.metrics.index("l2_hit_rate")] = np.nan
    values[7, table.metrics.index("achieved_occupancy")] = np.nan
    fit = fit_kernel(CounterTable(table.runs, table.metrics, values), made_up_runs.VOCABULARY)
    assert ("l2_hit_rate", "50% of the runs miss it") in fit.left_out
    assert "runs that miss a counter which the others have: 1" in fit.remarks
    assert fit.runs == 59


def test_what_only_drifts_with_the_size_is_no_bottleneck() -> None:
    """An efficiency that falls while the size grows goes with the time, and costs nothing."""
    rng = np.random.default_rng(4)
    table = made_up_runs.size_driven(rng)
    drift = np.linspace(0.9, 0.6, len(table.runs)) + rng.uniform(-0.03, 0.03, len(table.runs))
    fit = fit_kernel(with_column(table, "global_load_efficiency", drift), EFFICIENCY)
    assert not [one for one in drivers(fit) if one.metric == "global_load_efficiency" and not one.with_size]


def test_what_costs_at_every_size_is_one_though_it_drifts() -> None:
    rng = np.random.default_rng(4)
    table = made_up_runs.size_driven(rng)
    efficiency = np.clip(np.linspace(0.9, 0.5, len(table.runs)) + rng.uniform(-0.3, 0.3, len(table.runs)), 0.1, 1)
    runs = tuple(
        replace(run, time_s=(run.time_s or 0) / float(one)) for run, one in zip(table.runs, efficiency, strict=True)
    )
    slower = CounterTable(runs, table.metrics, table.values)
    fit = fit_kernel(with_column(slower, "global_load_efficiency", efficiency), EFFICIENCY)
    (driver,) = [one for one in drivers(fit) if one.metric == "global_load_efficiency"]
    assert (driver.direction, driver.with_size) == ("falls", False)


def test_repeats_do_not_make_noise_a_finding() -> None:
    """Eight launches five times each: the forest would know a run by its repeats."""
    rng = np.random.default_rng(6)
    once = made_up_runs.pure_noise(rng, 12)
    runs = tuple(
        replace(run, problem=(("n", float(i)),), time_s=(run.time_s or 0) * rng.normal(1, 0.01))
        for i, run in enumerate(once.runs, 1)
        for _ in range(5)
    )
    fit = fit_kernel(CounterTable(runs, once.metrics, np.repeat(once.values, 5, axis=0)), made_up_runs.VOCABULARY)
    assert fit.runs == 12
    assert not [one for one in drivers(fit) if not one.with_size]
