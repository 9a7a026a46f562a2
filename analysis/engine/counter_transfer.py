"""Times of a kernel on a GPU that it was hardly run on: which way the similarity test lets them be predicted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from warplens.analysis.advice.counter_patterns import LIMITS
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.counter_table import CounterTable
from warplens.analysis.counters.fitting.calibrate import calibrate
from warplens.analysis.counters.fitting.fit_time_model import fit_time_model
from warplens.analysis.counters.fitting.groups import groups_of
from warplens.analysis.counters.fitting.grow_over_groups import grow_over_groups
from warplens.analysis.counters.fitting.importance import mean_increases
from warplens.analysis.counters.fitting.similarity import similarity
from warplens.analysis.counters.hardware import Ranking, Similarity, Transfer
from warplens.analysis.counters.machine import RatioOf, characteristics, expected_log_ratio
from warplens.analysis.counters.metric import Metric
from warplens.analysis.counters.predictors import Floats, TooFewRunsError, given_quantities, predictors_of
from warplens.analysis.counters.repeated_runs import without_repeats
from warplens.analysis.counters.time_model import TimeModel
from warplens.analysis.engine.counter_study import ranking_of
from warplens.analysis.engine.transferred_model import NoTransferError, TransferredModel
from warplens.analysis.gpu.machine.gpu import Gpu

_KEPT_OF_EACH = 4
_UNTESTED = Similarity(0.0, (), "untested")


def transfer_to(
    source: StudiedKernel,
    source_gpu: Gpu | None,
    target_gpu: Gpu,
    runs: CounterTable | None,
    vocabulary: Mapping[str, Metric],
) -> TransferredModel:
    """Straight, by the ratio of times, or from a mixture of both GPUs' runs and important counters (sec. 6.2).

    `runs` of the kernel on the target, None without any: the ratio is then that of the machines alone. Raises
    NoTransferError: the source has no model, the machines are not known, or the rankings are too unlike.
    """
    model = source.fit.model
    if model is None:
        message = f"no size was varied in the runs of {source.fit.kernel} on {source.gpu}"
        raise NoTransferError(message)
    if runs is None or not runs.runs:
        if source_gpu is None:
            message = (
                f"there is no profile of {source.gpu}, the GPU of the runs: give some runs on {target_gpu.name}, or "
                "fit again with --gpu and the profile's name"
            )
            raise NoTransferError(message)
        ratio_of = _what_bounds(source)
        ratio = expected_log_ratio(source_gpu, target_gpu, ratio_of)
        return TransferredModel(model, _UNTESTED, Transfer(target_gpu.id, ratio, 0, None, ratio_of), {})
    theirs = _ranking(runs, vocabulary)
    alike = _UNTESTED if theirs is None else similarity(ranking_of(source.fit), theirs)
    if alike.verdict == "refuse":
        message = (
            f"what matters to {source.fit.kernel} is ranked too differently on {source.gpu} and {target_gpu.name} "
            f"(rank correlation {alike.tau:.2f}): fit the runs on {target_gpu.name} alone"
        )
        raise NoTransferError(message)
    if alike.verdict == "mix" and source_gpu is not None and theirs is not None:
        mixed = _mixture(source, source_gpu, target_gpu, runs, theirs, vocabulary)
        asked = {scale.name for scale in mixed.scales}
        like = {name: value for name, value in characteristics(target_gpu).items() if name in asked}
        return TransferredModel(mixed, alike, None, like)
    given, time_s = _given(model, runs)
    return TransferredModel(model, alike, calibrate(model, target_gpu.id, given, time_s), {})


def _what_bounds(source: StudiedKernel) -> RatioOf:
    """By what is busiest, whatever the cause: what moves bytes as fast as it can gains from bandwidth alone."""
    limits = [one for one in source.bottlenecks if one.key in LIMITS]
    is_bandwidth = bool(limits) and max(limits, key=lambda one: one.weight).key == "bandwidth"
    return "bandwidth of device memory" if is_bandwidth else "multiprocessors times clock"


def _ranking(runs: CounterTable, vocabulary: Mapping[str, Metric]) -> Ranking | None:
    """As of a whole fit (`ranking_of`), with only what that needs; None for runs too few or too alike to be ranked."""
    try:
        predictors = predictors_of(without_repeats(runs), vocabulary)
    except TooFewRunsError:
        return None
    grown = grow_over_groups(predictors)
    counters = {predictors.names[j] for j in predictors.columns("counter")}
    found = [
        (name, float(increase))
        for group, increase in zip(grown.groups, mean_increases(grown.forest), strict=True)
        for name in group.members
        if name in counters
    ]
    return Ranking(dict(found), frozenset(name for name, increase in found if grown.noise.is_above_chance(increase)))


def _given(model: TimeModel, runs: CounterTable) -> tuple[Floats, Floats]:
    """The given quantities of the runs on the model's scales, and their times."""
    timed = [run for run in runs.runs if run.time_s]
    found = {name: values for name, values, _ in given_quantities(timed)}
    scales = [scale for scale in model.scales if scale.is_given]
    missing = [scale.name for scale in scales if scale.name not in found]
    if missing:
        message = f"no run on the other GPU has a time and says {', '.join(missing)}"
        raise NoTransferError(message)
    return np.column_stack([scale.of(found[scale.name]) for scale in scales]), np.array([run.time_s for run in timed])


def _mixture(
    source: StudiedKernel,
    source_gpu: Gpu,
    target_gpu: Gpu,
    runs: CounterTable,
    theirs: Ranking,
    vocabulary: Mapping[str, Metric],
) -> TimeModel:
    both = without_repeats(_stacked(source.table, runs))
    machine = {source.gpu: characteristics(source_gpu)}
    machine |= {run.gpu: characteristics(target_gpu) for run in runs.runs}
    predictors = predictors_of(both, vocabulary, machine)
    counters = {predictors.names[j] for j in predictors.columns("counter")}
    kept: list[str] = []
    together = {name: group.asked for group in groups_of(predictors) for name in group.members}
    for ranking in (ranking_of(source.fit), theirs):
        best = sorted(ranking.importance, key=ranking.importance.__getitem__, reverse=True)
        one_of_each: dict[str, str] = {}
        for name in best:
            if name in counters:
                one_of_each.setdefault(together[name], name)
        taken = {together[name] for name in kept}
        kept += [name for group, name in one_of_each.items() if group not in taken][:_KEPT_OF_EACH]
    return fit_time_model(predictors, tuple(kept))


def _stacked(first: CounterTable, second: CounterTable) -> CounterTable:
    metrics = tuple(name for name in first.metrics if name in second.metrics)
    values = [np.column_stack([table.column(name) for name in metrics]) for table in (first, second)]
    return CounterTable((*first.runs, *second.runs), metrics, np.vstack(values))
