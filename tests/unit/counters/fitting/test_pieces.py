"""The steps of a fit, each against a library's answer or a case that can be worked out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence
from unit.counters import made_up_runs
from warplens.analysis.counters.error_band import COVERAGE
from warplens.analysis.counters.fitting.components import components_of
from warplens.analysis.counters.fitting.fit_band import band_of
from warplens.analysis.counters.fitting.fit_counter import fit_counter
from warplens.analysis.counters.fitting.fit_trend import fit_trend
from warplens.analysis.counters.fitting.forest import MANY_RUNS, SEED, grow
from warplens.analysis.counters.fitting.groups import groups_of
from warplens.analysis.counters.fitting.importance import importances
from warplens.analysis.counters.fitting.partial_dependence import curve_of, dependence_curves
from warplens.analysis.counters.fitting.similarity import similarity
from warplens.analysis.counters.flat_forest import flatten
from warplens.analysis.counters.hardware import Ranking
from warplens.analysis.counters.predictors import predictors_of

pytestmark = pytest.mark.long


def drawn(columns: int, runs: int = 200) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(runs, columns))


def library(runs: int, columns: int) -> RandomForestRegressor:
    """What `grow` is to grow, with the library's own loop over the trees."""
    tried, least = (columns + 2) // 3, 1 if runs < MANY_RUNS else 5
    return RandomForestRegressor(
        200, max_features=tried, min_samples_leaf=least, max_samples=runs, random_state=SEED, oob_score=True
    )


@pytest.mark.parametrize(("runs", "columns"), [(200, 5), (MANY_RUNS, 4), (MANY_RUNS, 41)])
def test_a_forest_is_the_librarys(runs: int, columns: int) -> None:
    """The same trees from the same random numbers; of more than 20 000 values they are grown by several threads."""
    values = drawn(columns, runs)
    response = values[:, 0] ** 2 + values[:, 1]
    theirs = library(runs, columns).fit(values, response)
    found = grow(values, response)
    for ours, estimator in zip(found.trees, theirs.estimators_, strict=True):
        for name in ("feature", "threshold", "children_left", "children_right", "value"):
            np.testing.assert_array_equal(getattr(ours.nodes, name), getattr(estimator.tree_, name))
    other = np.random.default_rng(6).normal(size=(500, columns))
    np.testing.assert_array_equal(found.predict(other), theirs.predict(other))


def test_the_flat_forest_predicts_what_the_librarys_does() -> None:
    values = drawn(5)
    response = values[:, 0] ** 2 + values[:, 1]
    flat = flatten([tree.nodes for tree in grow(values, response).trees])
    other = np.random.default_rng(6).normal(size=(500, 5))
    theirs = library(*values.shape).fit(values, response)
    np.testing.assert_allclose(flat.predict(other), theirs.predict(other), rtol=1e-12)
    assert flat.problem(5) is None


def test_out_of_bag_is_the_librarys() -> None:
    values = drawn(4)
    response = values @ np.array([1.0, 2.0, 0.0, 0.0])
    theirs = library(*values.shape).fit(values, response)
    np.testing.assert_allclose(grow(values, response).out_of_bag(), theirs.oob_prediction_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("bad", [np.nan, 1e39])
def test_what_is_no_number_of_the_forest_is_refused(bad: float) -> None:
    values = drawn(2)
    values[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|too large"):
        grow(values, values[:, 0])


def test_a_curve_is_the_librarys() -> None:
    values = np.round(drawn(3), 1)
    response = values[:, 0] + np.abs(values[:, 1])
    grid = np.linspace(-2, 2, 20)
    theirs = partial_dependence(
        library(*values.shape).fit(values, response), values, [1], custom_values={1: grid}, method="recursion"
    )
    np.testing.assert_array_equal(curve_of(grow(values, response), 1, grid), theirs["average"][0])


def test_importance_is_by_how_much_the_error_rises() -> None:
    """Of y = 2 a + b with equal spreads, shuffling a costs about four times what shuffling b does (Gregorutti 2017)."""
    values = drawn(3, 800)
    found = importances(grow(values, 2 * values[:, 0] + values[:, 1]))
    assert [one.column for one in found] == [0, 1, 2]
    assert found[0].increase / found[1].increase == pytest.approx(4, rel=0.3)
    assert abs(found[2].increase) < 0.02
    assert all(one.error < 0.1 * found[0].increase for one in found)


def test_ranks_that_may_be_chance_are_said_to_be_unsure() -> None:
    values = drawn(4)
    found = importances(grow(values, values[:, 0] + 0.001 * values[:, 1]))
    assert (found[0].rank_low, found[0].rank_high) == (1, 1)
    assert any(one.rank_high > one.rank_low for one in found[1:])


def test_a_curve_follows_the_response_and_its_band_holds_it() -> None:
    values = np.random.default_rng(5).uniform(-1, 1, size=(400, 3))
    (curve,) = dependence_curves(grow(values, np.abs(values[:, 1]) * 4), [1])
    assert curve.direction == "mixed"
    assert (curve.low <= curve.response).all()
    assert (curve.response <= curve.high).all()
    assert np.abs(curve.response - np.abs(curve.predictor) * 4).mean() < 0.4


@pytest.mark.parametrize(("slope", "direction"), [(1.0, "rises"), (-1.0, "falls")])
def test_directions(slope: float, direction: str) -> None:
    values = drawn(2)
    (curve,) = dependence_curves(grow(values, slope * values[:, 0] + 3 * values[:, 1]), [0])
    assert curve.direction == direction


def test_a_column_with_one_value_but_for_outliers_has_no_curve() -> None:
    values = drawn(2)
    values[:, 0] = np.where(np.arange(len(values)) < 8, 5.0, 0.0)
    assert dependence_curves(grow(values, 0.1 * values[:, 0] + 3 * values[:, 1]), [0]) == ()


def test_components_are_uncorrelated_and_keep_the_variance() -> None:
    """Two hidden causes behind six columns: two components, each about the three columns of one cause."""
    rng = np.random.default_rng(5)
    causes = rng.normal(size=(300, 2))
    values = np.repeat(causes, 3, axis=1) + 0.05 * rng.normal(size=(300, 6))
    found = components_of(values, 3 * causes[:, 1])
    assert found.loadings.shape == (6, 2)
    assert found.kept_variance > 0.97
    about = np.abs(found.loadings) > 0.9
    assert about.sum(axis=0).tolist() == [3, 3]
    assert np.abs(found.loadings[~about]).max() < 0.2
    with_time = sorted(np.abs(found.with_time))
    assert with_time[1] > 0.99
    assert with_time[0] < 0.2


def test_loadings_are_correlations_with_the_components() -> None:
    """Their squares sum up to each column's share of the variance that is kept."""
    rng = np.random.default_rng(8)
    values = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 8)) + 0.1 * rng.normal(size=(200, 8))
    found = components_of(values, values[:, 0])
    kept_by_column = (found.loadings**2).sum(axis=1)
    assert (kept_by_column <= 1 + 1e-9).all()
    assert kept_by_column.mean() == pytest.approx(found.kept_variance)
    assert (np.diff(found.variance) <= 1e-12).all()


def test_all_of_the_variance_keeps_all_components() -> None:
    assert components_of(drawn(3), drawn(1)[:, 0], kept=1.0).kept_variance == pytest.approx(1)


def test_splines_find_a_bend_and_products() -> None:
    rng = np.random.default_rng(5)
    given = rng.uniform(0, 10, size=(300, 2))
    counter = 3 + np.maximum(0, given[:, 0] - 4) + 0.5 * given[:, 0] * given[:, 1]
    model = fit_counter(given, counter, is_log=True, seed=SEED)
    assert model.r2 > 0.999
    asked = rng.uniform(0, 10, size=(100, 2))
    truth = 3 + np.maximum(0, asked[:, 0] - 4) + 0.5 * asked[:, 0] * asked[:, 1]
    np.testing.assert_allclose(model.predict(asked), truth, atol=0.5)
    assert model.deviance == pytest.approx(((counter - model.predict(given)) ** 2).sum())


def test_a_share_never_leaves_what_was_measured() -> None:
    given = np.linspace(6, 12, 40)[:, None]
    share = np.clip(1.6 - given[:, 0] / 10, 0, 1)
    model = fit_counter(given, share, is_log=False, seed=SEED)
    far = model.predict(np.array([[2.0], [30.0]]))
    assert far.min() >= share.min()
    assert far.max() <= 1


def test_a_straight_line_goes_on_beyond_the_runs() -> None:
    values = np.linspace(6, 11, 30)[:, None]
    trend = fit_trend(values, 3 * values[:, 0] - 40)
    assert trend.predict(np.array([[14.0]]))[0] == pytest.approx(2, abs=0.01)


@pytest.mark.parametrize("count", [3, 5, 8, 12, 60])
def test_nine_of_ten_new_errors_lie_in_a_band(count: int) -> None:
    rng = np.random.default_rng(5)
    inside = []
    for _ in range(1000):
        band = band_of(rng.normal(0, 0.2, count))
        inside.append(band.low <= rng.normal(0, 0.2) <= band.high)
    assert COVERAGE - 0.03 <= np.mean(inside) <= COVERAGE + 0.06


def test_a_band_is_around_zero_and_widens_beyond_what_was_tested() -> None:
    band = band_of(np.tile([0.1, 0.2, 0.3], 10), reach=0.5)
    assert (band.low, band.high) == (0, 0.3)
    assert [band.at(reach) and band.at(reach).high for reach in (0.25, 1.5, 2.1)] == [0.3, pytest.approx(0.9), None]


def test_groups_are_by_rank_so_that_any_rising_function_goes_along() -> None:
    rng = np.random.default_rng(5)
    one, other = rng.uniform(1, 100, 80), rng.uniform(0.1, 0.9, 80)
    columns = {"instructions_executed": one, "dram_read_bytes": 1e12 / one, "achieved_occupancy": other}
    groups = groups_of(predictors_of(made_up_runs.table(one, columns), made_up_runs.VOCABULARY))
    assert [set(group.members) for group in groups] == [
        {"instructions_executed", "dram_read_bytes"},
        {"achieved_occupancy"},
    ]


def ranking(importance: dict[str, float]) -> Ranking:
    return Ranking(importance, frozenset(importance))


RANKED = {"a": 1.0, "b": 0.5, "c": 0.2, "d": 0.1, "e": 0.0}


@pytest.mark.parametrize(
    ("second", "verdict"),
    [
        ({name: value * 3 for name, value in RANKED.items()}, "transfer"),
        ({"a": 0.9, "b": 0.5, "c": 0.2, "d": 1.0, "e": 0.0}, "mix"),
        ({"a": 0.0, "b": 0.1, "c": 0.2, "d": 0.5, "e": 1.0}, "refuse"),
        ({"a": 1.0, "b": 0.5}, "untested"),
        (dict.fromkeys(RANKED, 0.0), "untested"),
    ],
)
def test_verdicts_of_the_similarity_test(second: dict[str, float], verdict: str) -> None:
    found = similarity(ranking(RANKED), ranking(second))
    assert found.verdict == verdict
    assert found.shared == tuple(second)


def test_only_the_top_of_the_ranking_weighs() -> None:
    """Two that change places at the top say more than two at the bottom."""
    top = similarity(ranking(RANKED), ranking(RANKED | {"a": 0.5, "b": 1.0})).tau
    bottom = similarity(ranking(RANKED), ranking(RANKED | {"d": 0.0, "e": 0.1})).tau
    assert top < bottom < 1


def test_counters_that_say_nothing_are_all_last() -> None:
    """What chance orders differently on two GPUs would make them unlike."""
    first, second = RANKED | {"x": 0.01, "y": 0.02}, RANKED | {"x": 0.02, "y": 0.01}
    assert similarity(Ranking(first, frozenset("abc")), Ranking(second, frozenset("abc"))).tau == pytest.approx(1)
    assert similarity(Ranking(first, frozenset("a")), Ranking(second, frozenset("b"))).verdict == "refuse"
    assert similarity(Ranking(first, frozenset("a")), Ranking(second, frozenset())).verdict == "untested"
