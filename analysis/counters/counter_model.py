"""A counter as a function of the problem's size and the launch: a sum of products of hinges (sec. 4.1.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from warplens.analysis.counters.predictors import Floats


@dataclass(frozen=True, slots=True)
class Hinge:
    """A factor: max(0, x - knot) to the right of the knot, max(0, knot - x) to the left, x itself without a knot."""

    column: int
    knot: float | None
    is_right: bool


@dataclass(frozen=True, slots=True)
class CounterModel:
    """eq. 4: the sum of coefficients times products of hinges; the empty product is the intercept.

    `bounds` are the lowest and highest value in training: a share leaves neither [0, 1] nor far what was measured.
    `r2` is the share of the variance that is explained, `deviance` the residual sum of squares, both on the counter's
    scale (logarithm to the base 2 for counts).
    """

    terms: tuple[tuple[float, tuple[Hinge, ...]], ...]
    r2: float
    deviance: float
    bounds: tuple[float, float] | None

    def predict(self, given: Floats) -> Floats:
        """Shape: given (runs, given quantities) -> (runs,), on the counter's scale."""
        found = np.zeros(len(given))
        for coefficient, hinges in self.terms:
            product = np.ones(len(given))
            for hinge in hinges:
                x = given[:, hinge.column]
                if hinge.knot is not None:
                    x = np.maximum(0, x - hinge.knot if hinge.is_right else hinge.knot - x)
                product *= x
            found += coefficient * product
        return found if self.bounds is None else np.clip(found, *self.bounds)
