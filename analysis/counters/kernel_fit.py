"""Everything that BlackForest finds out about the runs of one kernel."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.counters.drivers import GroupResult, NoiseTest
from warplens.analysis.counters.predictors import Floats, Scale
from warplens.analysis.counters.time_model import Accuracy, TimeModel


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """`loadings[j, c]` is the correlation of column j with rotated component c; the component that holds most first.

    Shape: loadings (columns, components), variance (components,) as shares of all; `with_time` (components,) is the
    correlation of each component's scores with the response.
    """

    loadings: Floats
    variance: Floats
    with_time: Floats

    @property
    def kept_variance(self) -> float:
        """Share of the variance in all components that are kept."""
        return float(self.variance.sum())


@dataclass(frozen=True, slots=True, eq=False)
class ForestQuality:
    """How well a forest of all groups, and one of the kept ones, predicts log2(time) of runs it did not see.

    `test` is on a fifth of the runs, by a forest of the other four fifths, from their measured counters (sec. 4.2);
    shares of variance.
    """

    out_of_bag: float
    kept_out_of_bag: float
    test: Accuracy


@dataclass(frozen=True, slots=True, eq=False)
class KernelFit:
    """`groups` most important first. `components.loadings` has a row for each of `names`."""

    kernel: str
    gpus: tuple[str, ...]
    runs: int
    names: tuple[str, ...]
    scales: tuple[Scale, ...]
    time_s: tuple[float, float]
    left_out: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    groups: tuple[GroupResult, ...]
    quality: ForestQuality
    noise: NoiseTest
    components: Components
    kept: tuple[str, ...]
    model: TimeModel | None
    """None where nothing that is known before a run was varied: there is nothing to predict from."""
    fitted: tuple[tuple[float, float], ...]
    """(measured, out-of-bag predicted) seconds of each run, in the table's order."""
