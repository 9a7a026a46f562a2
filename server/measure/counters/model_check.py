"""What the types of a model can't say: columns that exist, arrays that fit together."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.chain import Chain
from warplens.analysis.counters.counter_model import CounterModel
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.counters.time_model import TimeModel

_MOST_DOUBLINGS = 1000
"""Two to a higher power is no double."""


def contradictions(kernel: StudiedKernel) -> Iterator[str]:
    """Why a kernel that was read can't be used: none of what is shown or predicted fails where there are none."""
    if kernel.table.values.shape != (len(kernel.table.runs), len(kernel.table.metrics)):
        yield "its table does not have a row for each run"
    yield from _of_fit(kernel.fit)
    if kernel.fit.model is not None:
        yield from _of_model(kernel.fit.model)


def _of_fit(fit: KernelFit) -> Iterator[str]:
    names = set(fit.names)
    if not (fit.gpus and len(names) == len(fit.names) == len(fit.scales)):
        yield "there is not one scale for each of its quantities"
    if not all(0 <= result.importance.column < len(fit.groups) for result in fit.groups):
        yield "an importance is of a column that does not exist"
    if not all(names.issuperset((result.group.asked, *result.group.members)) for result in fit.groups):
        yield "a group has a quantity that does not exist"
    components = fit.components
    if components.loadings.shape != (len(fit.names), *components.variance.shape):
        yield "its components do not fit its quantities"
    if components.variance.ndim != 1 or components.variance.shape != components.with_time.shape:
        yield "its components do not fit together"
    for curve in (result.curve for result in fit.groups if result.curve is not None):
        shapes = {array.shape for array in (curve.predictor, curve.response, curve.low, curve.high)}
        if len(shapes) != 1 or len(shapes.pop()) != 1:
            yield "a curve's points do not fit together"


def _of_model(model: TimeModel) -> Iterator[str]:
    chain = model.chain
    columns = len(model.scales)
    models = [*chain.counters, *([chain.trend] if isinstance(chain.trend, CounterModel) else [])]
    factors = [hinge for counter in models for _, hinges in counter.terms for hinge in hinges]
    if not (len(model.trained.ranges) == chain.given <= columns == chain.given + len(chain.counters)):
        yield "its columns do not fit its models"
    if [scale.is_given for scale in model.scales] != [place < chain.given for place in range(columns)]:
        yield "what is given does not come first"
    if not all(0 <= hinge.column < chain.given for hinge in factors):
        yield "a counter is modelled over a column that does not exist"
    if model.main_size is not None and not 0 <= model.main_size < chain.given:
        yield "its main size does not exist"
    if not _has_whole_trend(chain, columns):
        yield "its trend does not fit its columns"
    if model.trained.points.ndim != 2 or model.trained.points.shape[1] != chain.given or not len(model.trained.points):
        yield "its runs do not fit its columns"
    bands = [tested.band for tested in (model.inside, model.beyond) if tested is not None]
    if any(max(abs(band.low), abs(band.high), abs(band.reach)) > _MOST_DOUBLINGS for band in bands):
        yield "it is off by more than there are numbers"
    if (problem := chain.forest.problem(columns)) is not None:
        yield problem


def _has_whole_trend(chain: Chain, columns: int) -> bool:
    return chain.trend is None or isinstance(chain.trend, CounterModel) or len(chain.trend.slopes) == columns
