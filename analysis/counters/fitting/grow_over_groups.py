"""The forest that everything is asked of: over one column of each group, with the test whether it knows anything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from warplens.analysis.counters.drivers import Group, NoiseTest
from warplens.analysis.counters.fitting.forest import Forest, grow
from warplens.analysis.counters.fitting.groups import groups_of
from warplens.analysis.counters.fitting.noise import noise_test
from warplens.analysis.counters.predictors import Predictors


@dataclass(frozen=True, slots=True, eq=False)
class GroupedForest:
    """Column j of the forest is what stands for group j; its response is log2(time in s)."""

    groups: tuple[Group, ...]
    forest: Forest
    noise: NoiseTest


def grow_over_groups(predictors: Predictors) -> GroupedForest:
    """Of the runs of one kernel."""
    groups = groups_of(predictors)
    asked = [predictors.names.index(group.asked) for group in groups]
    forest = grow(predictors.values[:, asked], np.log2(predictors.time_s))
    return GroupedForest(groups, forest, noise_test(forest))
