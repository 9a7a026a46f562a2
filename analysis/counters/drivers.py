"""What the forest says of the predictors: which go together, which matter, and how the time goes with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.counters.predictors import Floats

Direction = Literal["rises", "falls", "mixed", "flat"]


@dataclass(frozen=True, slots=True)
class Group:
    """`members` by falling correlation with the others; `asked` stands for them in the forest.

    A given quantity (a size, the launch) stands for its group, as it is known of a run that was never made.
    """

    asked: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Importance:
    """Of one column: `increase` of the mean squared error as a share of the response's variance, by `error` (1 sigma).

    `rank` is 1 for the most important; nine of ten forests of resampled runs put it between `rank_low` and `rank_high`.
    """

    column: int
    increase: float
    error: float
    rank: int
    rank_low: int
    rank_high: int


@dataclass(frozen=True, slots=True, eq=False)
class DependenceCurve:
    """Shape: all (points,), on the scales of predictor and response; nine of ten resampled forests lie in the band."""

    column: int
    predictor: Floats
    response: Floats
    low: Floats
    high: Floats
    direction: Direction
    """Of the time along the predictor: `mixed` where resamples disagree or the curve turns back."""


@dataclass(frozen=True, slots=True)
class NoiseTest:
    """`explained` is what a forest explains out of bag of log2(time), `by_chance` the most for any shuffled order.

    `importance_by_chance` is the largest importance of a shuffled copy of a column: what is not above it says nothing.
    """

    explained: float
    by_chance: float
    importance_by_chance: float
    shuffles: int

    @property
    def is_noise(self) -> bool:
        """No better than some shuffled order, or not better than the mean."""
        return self.explained <= max(self.by_chance, 0.0)

    def is_above_chance(self, increase: float) -> bool:
        """Whether an importance says anything: more than any shuffled copy's, of a forest that is not noise."""
        return not self.is_noise and increase > self.importance_by_chance


@dataclass(frozen=True, slots=True, eq=False)
class GroupResult:
    """A group of predictors that can't be told apart, how important it is, and how the time goes with it.

    `curve` is None for what was not among the most important, or says no more than chance. `beside_size` is how the
    time goes with it among runs of one size; None where it says nothing there.
    """

    group: Group
    importance: Importance
    is_above_chance: bool
    curve: DependenceCurve | None
    beside_size: Direction | None
