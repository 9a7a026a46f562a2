"""Splines are those of a library that solves for every knot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from pymars import Earth
from warplens.analysis.counters.counter_model import Hinge
from warplens.analysis.counters.fitting.splines import fit_splines

Response = Callable[[np.ndarray, np.random.Generator], np.ndarray]
Terms = tuple[tuple[float, tuple[Hinge, ...]], ...]

RESPONSES: dict[str, Response] = {
    "a line": lambda x, _: 3 * x[:, 0],
    "two bends with noise": lambda x, rng: np.clip(x[:, 0], 7, 9) + rng.normal(0, 0.01, len(x)),
    "a step": lambda x, _: np.where(x[:, 0] > 8, 1.0, 0.0),
    "noise": lambda x, rng: rng.normal(size=len(x)),
    "a curve and a product": lambda x, _: np.log2(2 ** (3 * x[:, 0]) + 2**20) + 0.2 * x[:, 0] * x[:, -1],
    "hardly anything": lambda x, rng: 1e-6 * rng.uniform(size=len(x)),
}


def librarys(given: np.ndarray, response: np.ndarray) -> Terms:
    earth = Earth(max_degree=min(2, given.shape[1]), max_terms=11, endspan=1)
    earth.fit(given, response)
    return tuple((float(c), hinges(basis)) for c, basis in zip(earth.coef_, earth.basis_, strict=True))


def hinges(basis: object) -> tuple[Hinge, ...]:
    """The factors of one of the library's functions, which hold each other as parents."""
    column = getattr(basis, "variable_idx", None)
    if column is None:
        return ()
    knot = getattr(basis, "knot_val", None)
    factor = Hinge(column, None if knot is None else float(knot), getattr(basis, "is_right_hinge", True))
    return (factor, *hinges(getattr(basis, "parent1", None)))


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
@pytest.mark.parametrize(("runs", "columns"), [(8, 1), (12, 3), (40, 2), (150, 2)])
def test_terms_and_coefficients_are_the_librarys(response: Response, runs: int, columns: int) -> None:
    """To the last digit: of logarithms of sizes, as counters are fitted, many of them run several times."""
    rng = np.random.default_rng(5)
    given = np.log2(rng.choice(np.arange(64, 4097, 64), (runs, columns)).astype(float))
    wanted = response(given, rng)
    wanted = wanted - wanted.mean()
    assert fit_splines(given, wanted, 11, min(2, columns)) == librarys(given, wanted)


def test_columns_that_go_together_add_nothing_twice() -> None:
    rng = np.random.default_rng(6)
    sizes = np.log2(np.arange(512, 4097, 64).astype(float))
    given = np.column_stack([sizes, sizes + 1, np.tile([5.0, 8.0], len(sizes))[: len(sizes)]])
    wanted = sizes**2 + given[:, 2] + rng.normal(0, 0.1, len(sizes))
    assert fit_splines(given, wanted, 11, 2) == librarys(given, wanted)
