"""What is a predictor, and on which scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from unit.counters import made_up_runs
from warplens.analysis.counters.counter_table import CounterTable
from warplens.analysis.counters.fitting.fit_kernel import fit_kernel
from warplens.analysis.counters.predict import predict_time
from warplens.analysis.counters.predictors import Scale, given_quantities, predictors_of
from warplens.analysis.gpu.waves import Extent


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
    model = fit_kernel(CounterTable(runs, table.metrics, table.values), made_up_runs.VOCABULARY).model
    assert model is not None
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
