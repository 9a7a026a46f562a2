"""What is a predictor, and on which scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from unit.counters import made_up_runs
from warplens.analysis.counters.counter_table import CounterTable
from warplens.analysis.counters.predict import predict_time
from warplens.analysis.counters.predictors import Scale, TooFewRunsError, given_quantities, predictors_of
from warplens.analysis.counters.repeated_runs import without_repeats
from warplens.analysis.gpu.launch.extent import Extent

pytestmark = pytest.mark.long


def with_blocks(table: CounterTable, *blocks: Extent) -> CounterTable:
    runs = tuple(replace(run, block=blocks[i % len(blocks)]) for i, run in enumerate(table.runs))
    return CounterTable(runs, table.metrics, table.values)


def sized() -> CounterTable:
    return made_up_runs.size_driven(np.random.default_rng(2))


@pytest.mark.parametrize(
    ("blocks", "given"),
    [
        (((16, 16, 1),), ("n",)),
        (((8, 8, 1), (16, 16, 1)), ("n", "threads_per_block")),
        (((32, 8, 1), (8, 32, 1)), ("n", "block_x")),
        (((32, 8, 1), (8, 32, 1), (8, 8, 1)), ("n", "threads_per_block", "block_x")),
    ],
)
def test_of_a_block_what_varies(blocks: tuple[Extent, ...], given: tuple[str, ...]) -> None:
    found = predictors_of(with_blocks(sized(), *blocks), made_up_runs.VOCABULARY)
    assert tuple(found.names[j] for j in found.columns("problem", "launch")) == given


def test_a_shape_that_costs_is_predicted_to() -> None:
    """Blocks of as many threads, those eight wide three times as slow."""
    table = with_blocks(sized(), (32, 8, 1), (8, 32, 1))
    runs = tuple(replace(run, time_s=(run.time_s or 0) * (3 if run.block == (8, 32, 1) else 1)) for run in table.runs)
    model = made_up_runs.time_model(CounterTable(runs, table.metrics, table.values))
    wide, narrow = (predict_time(model, {"n": 2000, "block_x": x}).time_s for x in (32, 8))
    assert narrow / wide == pytest.approx(3, rel=0.15)


def test_without_a_size_the_threads_stand_for_it_and_that_is_said() -> None:
    table = sized()
    runs = tuple(replace(run, problem=(), grid=(4 * i + 4, 1, 1)) for i, run in enumerate(table.runs))
    found = predictors_of(CounterTable(runs, table.metrics, table.values), made_up_runs.VOCABULARY)
    assert found.raw("threads_launched")[0] == 4 * 256
    assert any("number of threads launched stands for it" in remark for remark in found.remarks)


def test_a_run_without_a_block_leaves_the_block_out() -> None:
    runs = list(with_blocks(sized(), (8, 8, 1), (16, 16, 1)).runs)
    runs[3] = replace(runs[3], block=None)
    assert [name for name, _, _ in given_quantities(runs)] == ["n"]


def test_what_never_changes_says_nothing() -> None:
    found = predictors_of(sized(), made_up_runs.VOCABULARY)
    assert ("threads_per_block", "it is the same in every run") in found.left_out


@pytest.mark.parametrize("is_log", [True, False])
def test_a_scale_leads_there_and_back(is_log: bool) -> None:
    values = np.array([1e-6, 0.5, 3.0, 1e12])
    scale = Scale("x", is_log, "counter")
    np.testing.assert_allclose(scale.back(scale.of(values)), values)


def test_what_hardly_differs_is_no_predictor() -> None:
    """A forest splits at any difference: an efficiency of 0.99999 would be found important."""
    table = sized()
    rng = np.random.default_rng(1)
    steady = np.column_stack([1e9 + rng.uniform(0, 1e6, len(table.runs)), 1 - rng.uniform(0, 1e-5, len(table.runs))])
    more = CounterTable(table.runs, (*table.metrics, "dram_write_bytes", "hit"), np.hstack([table.values, steady]))
    vocabulary = made_up_runs.VOCABULARY | {"hit": made_up_runs.metric("hit", "share")}
    left_out = dict(predictors_of(more, vocabulary).left_out)
    assert left_out["dram_write_bytes"] == left_out["hit"] == "it hardly differs between the runs"


def test_what_is_the_same_once_incomplete_runs_are_gone_is_no_predictor() -> None:
    table = sized()
    only_last = np.zeros(len(table.runs))
    only_last[-1] = 5
    missing = np.arange(len(table.runs), dtype=float)
    missing[-1] = np.nan
    values = np.column_stack([table.values, only_last, missing])
    found = predictors_of(CounterTable(table.runs, (*table.metrics, "once", "often"), values), made_up_runs.VOCABULARY)
    assert ("once", "it is the same in every run") in found.left_out
    assert "often" in found.names


def test_runs_of_which_nothing_differs_are_refused() -> None:
    table = made_up_runs.table(np.linspace(1, 2, 20), {"dram_read_bytes": np.full(20, 5.0)})
    with pytest.raises(TooFewRunsError, match="neither a size, nor the launch, nor a counter differs"):
        predictors_of(table, made_up_runs.VOCABULARY)


def test_repeats_are_one_run_with_their_medians() -> None:
    table = sized()
    again = tuple(replace(run, time_s=(run.time_s or 0) * 1.1) for run in table.runs[:3])
    runs = (*table.runs, *again, *again)
    repeated = CounterTable(runs, table.metrics, np.vstack([table.values, table.values[:3] * 1.01, table.values[:3]]))
    found = without_repeats(repeated)
    assert len(found.runs) == len(table.runs)
    assert found.runs[0].time_s == pytest.approx(1.1 * (table.runs[0].time_s or 0))
    assert found.remarks == ("repeats of one run, taken as one by their medians: 9 in 3",)


def test_runs_of_one_size_with_other_counters_are_no_repeats() -> None:
    table = made_up_runs.conflict_bound(np.random.default_rng(1))
    assert without_repeats(table) is table
