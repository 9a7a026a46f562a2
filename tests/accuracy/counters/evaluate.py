"""How far off times are that were predicted from a fit of other runs: other sizes, another GPU."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from accuracy.counters.runs import GPUS, few, runs_of, split
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.counter_table import CounterTable, Run
from warplens.analysis.counters.fitting.fit_time_model import fit_time_model
from warplens.analysis.counters.fitting.forest import explained_variance, mean_absolute_percentage_error
from warplens.analysis.counters.fitting.similarity import similarity
from warplens.analysis.counters.predict import predict_time
from warplens.analysis.counters.predictors import launch_quantities, predictors_of
from warplens.analysis.counters.time_model import TimeModel
from warplens.analysis.engine.counter_study import ranking_of, study_kernel
from warplens.analysis.engine.counter_transfer import transfer_to
from warplens.analysis.engine.transferred_model import TransferredModel
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.hwprofiles.loader import load_gpu

CALIBRATION_RUNS = 5
_METRICS = counter_vocabulary().metrics


@dataclass(frozen=True, slots=True)
class Errors:
    """Of times against measured ones; `in_band` is the share in the interval, None where there is none."""

    explained: float
    mape: float
    in_band: float | None = None


@dataclass(frozen=True, slots=True)
class Alone:
    """One kernel on one GPU: unseen sizes between others, and larger ones from small ones, by us and as the paper."""

    kernel: str
    gpu: str
    runs: int
    out_of_bag: float
    between: Errors
    beyond: Errors
    beyond_forest_alone: Errors
    bottleneck: str


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The times on `target` from runs on `source`: with no run there, with five, and as the similarity test decides.

    The test sees the small runs on the target; `decided` are the errors of the large ones then, None where it refuses.
    `beyond`: from small runs on the source and five small ones on the target, times of the large ones.
    """

    kernel: str
    source: str
    target: str
    none: Errors
    five: Errors
    tau: float
    verdict: str
    decided: Errors | None
    beyond: Errors


@cache
def studied(kernel: str, gpu: str, *, small: bool = False) -> StudiedKernel:
    """Fitted as `warplens counters fit` does it, on all runs or the small ones."""
    table = runs_of(kernel, gpu)
    return study_kernel(split(table)[0] if small else table, _METRICS, load_gpu(GPUS[gpu]))


def alone(kernel: str, gpu: str) -> Alone:
    """On the GPU of the runs."""
    whole, of_small = studied(kernel, gpu), studied(kernel, gpu, small=True)
    small, large = split(runs_of(kernel, gpu))
    inside = _model(whole).inside
    assert inside is not None
    plain = fit_time_model(predictors_of(small, _METRICS), of_small.fit.kept, trends=("none",))
    return Alone(
        kernel,
        gpu,
        whole.fit.runs,
        whole.fit.quality.out_of_bag,
        Errors(inside.accuracy.explained, inside.accuracy.mape),
        _errors(large, _model(of_small)),
        _errors(large, plain),
        whole.bottlenecks[0].title if whole.bottlenecks else "none of the known patterns",
    )


def held_out(kernel: str, source: str, target: str) -> HeldOut:
    """On a GPU that has no part in the fit."""
    table = runs_of(kernel, target)
    small, large = split(table)
    some = few(table, CALIBRATION_RUNS)
    seen = {(run.problem, run.block) for run in some.runs}
    others = _those(table, [run for run in table.runs if (run.problem, run.block) not in seen])
    whole, of_small = studied(kernel, source), studied(kernel, source, small=True)
    theirs = studied(kernel, target, small=True)
    alike = similarity(ranking_of(whole.fit), ranking_of(theirs.fit))
    decided = None if alike.verdict == "refuse" else _errors(large, _moved(whole, target, small))
    return HeldOut(
        kernel,
        source,
        target,
        _errors(table, _moved(whole, target, None)),
        _errors(others, _moved(whole, target, some)),
        alike.tau,
        alike.verdict,
        decided,
        _errors(large, _moved(of_small, target, few(small, CALIBRATION_RUNS))),
    )


def _moved(study: StudiedKernel, target: str, runs: CounterTable | None) -> TransferredModel:
    return transfer_to(study, load_gpu(GPUS[study.gpu]), load_gpu(GPUS[target]), runs, _METRICS)


def _model(study: StudiedKernel) -> TimeModel:
    assert study.fit.model is not None
    return study.fit.model


def _those(table: CounterTable, runs: list[Run]) -> CounterTable:
    rows = [table.runs.index(run) for run in runs]
    return CounterTable(tuple(runs), table.metrics, table.values[rows])


def _errors(table: CounterTable, model: TimeModel | TransferredModel) -> Errors:
    scales = (model.model if isinstance(model, TransferredModel) else model).scales
    asked = {scale.name for scale in scales}
    measured, predicted, within = [], [], []
    for run in table.runs:
        assert run.time_s is not None
        assert run.block is not None
        launch = {name: value for name, value in launch_quantities(run.block).items() if name in asked}
        given = dict(run.problem) | launch
        found = model.predict(given) if isinstance(model, TransferredModel) else predict_time(model, given)
        measured.append(run.time_s)
        predicted.append(found.time_s)
        if found.low_s is not None and found.high_s is not None:
            within.append(found.low_s <= run.time_s <= found.high_s)
    times, said = np.array(measured), np.array(predicted)
    return Errors(
        explained_variance(times, said),
        mean_absolute_percentage_error(times, said),
        float(np.mean(within)) if within else None,
    )
