"""How far off a model's time of a launch may be, by what the launch does: fitted to measurements (validation.toml)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log

LEAST_HALF_WIDTH = log(1.1)
"""No range is narrower: the same kernel and GPU in two labs differ by as much, and more."""
MOST_HALF_WIDTH = log(8.0)
"""A wider range would say no more: nothing is known."""


@dataclass(frozen=True, slots=True)
class RangeModel:
    """Nine of ten measured times of a launch are within exp(± `half_width`) of the predicted one.

    Equation: half width = exp(`base` + Σ weight · trait), the traits being shares of `LaunchTraits`, 0..1 or a little
    more. `gpus` are those whose launches it was calibrated on: what their profiles lack is in it.
    """

    base: float
    weights: tuple[tuple[str, float], ...]
    gpus: tuple[str, ...]

    def half_width(self, traits: Mapping[str, float]) -> float:
        """Natural logarithm of the factor each way; `traits` has every trait that there is a weight of.

        >>> round(RangeModel(-1.0, (("gathered", 0.5),), ()).half_width({"gathered": 1.0}), 3)
        0.607
        """
        found = exp(self.base + sum(weight * traits[name] for name, weight in self.weights))
        return min(MOST_HALF_WIDTH, max(LEAST_HALF_WIDTH, found))
