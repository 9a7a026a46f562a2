"""Size -> counters -> time: fitted once, it predicts runs that were never made (sec. 4.2, results interpretation)."""

from __future__ import annotations

from warplens.analysis.counters.chain import Chain, TrendKind
from warplens.analysis.counters.counter_model import CounterModel
from warplens.analysis.counters.fitting.fit_counter import fit_counter
from warplens.analysis.counters.fitting.fit_trend import fit_trend
from warplens.analysis.counters.fitting.forest import SEED, grow
from warplens.analysis.counters.flat_forest import NO_FOREST, flatten
from warplens.analysis.counters.predictors import Floats
from warplens.analysis.counters.trend import Trend


def fit_counters(values: Floats, is_log: tuple[bool, ...], given: int) -> tuple[CounterModel, ...]:
    """Each counter by the given columns, which come first; `is_log` says of every column whether it is a logarithm."""
    known = values[:, :given]
    return tuple(fit_counter(known, values[:, j], is_log=is_log[j], seed=SEED) for j in range(given, values.shape[1]))


def fit_chain(
    values: Floats, log_time: Floats, counters: tuple[CounterModel, ...], given: int, trend: TrendKind, trees: int
) -> Chain:
    """`values` has the given columns first, then those of the counters."""
    known = values[:, :given]
    found: Trend | CounterModel | None = None
    rest = log_time
    if trend == "counters":
        found = fit_trend(values, log_time)
        rest = log_time - found.predict(values)
    elif trend == "size":
        found = fit_counter(known, log_time, is_log=True, seed=SEED)
        rest = log_time - found.predict(known)
    forest = flatten([tree.nodes for tree in grow(values, rest, trees).trees]) if trees else NO_FOREST
    return Chain(given, counters, found, forest)
