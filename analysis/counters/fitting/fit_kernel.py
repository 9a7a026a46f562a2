"""Everything that BlackForest finds out about the runs of one kernel."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from warplens.analysis.counters.counter_table import CounterTable
from warplens.analysis.counters.drivers import GroupResult
from warplens.analysis.counters.fitting.beside_size import beside_size
from warplens.analysis.counters.fitting.components import components_of
from warplens.analysis.counters.fitting.fit_time_model import fit_time_model
from warplens.analysis.counters.fitting.forest import (
    SEED,
    Forest,
    explained_variance,
    grow,
    mean_absolute_percentage_error,
)
from warplens.analysis.counters.fitting.grow_over_groups import GroupedForest, grow_over_groups
from warplens.analysis.counters.fitting.importance import importances
from warplens.analysis.counters.fitting.partial_dependence import dependence_curves
from warplens.analysis.counters.kernel_fit import ForestQuality, KernelFit
from warplens.analysis.counters.metric import Metric
from warplens.analysis.counters.predictors import GIVEN, Predictors, predictors_of
from warplens.analysis.counters.repeated_runs import without_repeats
from warplens.analysis.counters.time_model import Accuracy

KEPT_COUNTERS = 8
"""The paper keeps 6 to 8 (sec. 6.1)."""
CURVES = 8
_TEST_SHARE = 0.2


def fit_kernel(
    table: CounterTable, vocabulary: Mapping[str, Metric], machine: Mapping[str, Mapping[str, float]] | None = None
) -> KernelFit:
    """Of a table with runs of one kernel; `machine` as in `predictors_of`. Raises TooFewRunsError."""
    table = without_repeats(table)
    predictors = predictors_of(table, vocabulary, machine)
    grown = grow_over_groups(predictors)
    forest = grown.forest
    log_time = forest.response
    results = _results(predictors, grown)
    kept = kept_counters(results, predictors)
    runs = [table.runs[i] for i in predictors.rows]
    measured = predictors.time_s
    unseen = forest.out_of_bag()
    predicted = np.exp2(np.where(np.isnan(unseen), log_time.mean(), unseen))
    return KernelFit(
        runs[0].kernel,
        tuple(dict.fromkeys(run.gpu for run in runs)),
        len(runs),
        predictors.names,
        predictors.scales,
        (float(measured.min()), float(measured.max())),
        predictors.left_out,
        (*table.remarks, *predictors.remarks),
        results,
        _quality(forest, predictors, kept),
        grown.noise,
        components_of(predictors.values, log_time),
        kept,
        fit_time_model(predictors, kept) if predictors.columns(*GIVEN) else None,
        tuple(zip(measured.tolist(), predicted.tolist(), strict=True)),
    )


def kept_counters(results: tuple[GroupResult, ...], predictors: Predictors) -> tuple[str, ...]:
    """One counter for each group that says more than chance, the most important first."""
    counters = {predictors.names[j] for j in predictors.columns("counter")}
    telling = [result.group for result in results if result.is_above_chance]
    stand_ins = (next((name for name in group.members if name in counters), "") for group in telling)
    return tuple(name for name in stand_ins if name)[:KEPT_COUNTERS]


def _results(predictors: Predictors, grown: GroupedForest) -> tuple[GroupResult, ...]:
    groups, forest = grown.groups, grown.forest
    ranked = importances(forest)
    above = [grown.noise.is_above_chance(found.increase) for found in ranked]
    drawn = [found.column for found, is_above in zip(ranked, above, strict=True) if is_above][:CURVES]
    curves = {curve.column: curve for curve in dependence_curves(forest, drawn)}
    problem = predictors.columns("problem")
    sizes = predictors.values[:, problem]
    counters = [j for j in curves if not {predictors.names[size] for size in problem}.intersection(groups[j].members)]
    if sizes.shape[1]:
        beside = beside_size(sizes, forest.values, forest.response, counters)
    else:
        beside = {j: curves[j].direction for j in counters}
    return tuple(
        GroupResult(groups[found.column], found, is_above, curves.get(found.column), beside.get(found.column))
        for found, is_above in zip(ranked, above, strict=True)
    )


def _quality(forest: Forest, predictors: Predictors, kept: tuple[str, ...]) -> ForestQuality:
    log_time = forest.response
    columns = [*predictors.columns(*GIVEN), *(predictors.names.index(name) for name in kept)]
    small = grow(predictors.values[:, columns], log_time).out_of_bag_explained() if columns else 0.0
    order = np.random.default_rng(SEED).permutation(len(log_time))
    held, train = np.split(order, [max(1, round(_TEST_SHARE * len(order)))])
    tested = grow(forest.values[train], log_time[train])
    measured = predictors.time_s[held]
    predicted = np.exp2(tested.predict(forest.values[held]))
    test = Accuracy(
        explained_variance(measured, predicted), mean_absolute_percentage_error(measured, predicted), len(held)
    )
    return ForestQuality(forest.out_of_bag_explained(), small, test)
