"""Statistics over pairs, and ranges that are fitted to them, on numbers whose answer is known."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest
from accuracy.ledger.family_errors import SHOWN_MODELS, family_errors, nine_of_ten
from accuracy.ledger.fitted_ranges import PRIOR, fitted_range, range_data, weighted_quantile
from accuracy.ledger.left_out import Judged, coverage, judged, median_range_factor
from accuracy.ledger.models import ESTIMATE, Expected
from accuracy.ledger.pairs import PairLaunch, pair_errors, pair_weights, picked
from warplens.analysis.gpu.machine.range_model import RangeModel
from warplens.analysis.models.choice.launch_traits import LaunchTraits

_NOTHING = LaunchTraits(**dict.fromkeys(LaunchTraits.__slots__, 0.0))


def launch(
    kernel: str,
    ratio: float,
    *,
    gpu: str = "h100",
    family: str = "streaming",
    traits: LaunchTraits = _NOTHING,
    unknown: float = 0.0,
) -> PairLaunch:
    ratios = dict.fromkeys((*SHOWN_MODELS, ESTIMATE), ratio)
    return PairLaunch(kernel, gpu, family, 1.0, ratios, dict.fromkeys(SHOWN_MODELS, Expected(traits, unknown)))


def test_a_sweep_counts_as_much_as_one_launch() -> None:
    launches = [*(launch("swept", 2.0) for _ in range(1000)), launch("once", 0.5)]
    found = pair_errors(launches, lambda one: one.ratios["resios"])
    assert (found.pairs, found.launches) == (2, 1001)
    assert found.mape == pytest.approx((1.0 + 0.5) / 2)
    assert (found.ratio, found.typical) == pytest.approx((1.0, 2.0))
    assert sum(pair_weights(launches)) == pytest.approx(2)


def test_launches_are_picked_evenly() -> None:
    assert picked([*range(10)], 2, lambda _: ("", "")) == [0, 5]
    assert picked([*range(3)], None, lambda _: ("", "")) == [0, 1, 2]


def test_quantiles_have_their_share_of_the_weights() -> None:
    values, weights = np.array([1.0, 2.0, 3.0]), np.array([8.0, 1.0, 1.0])
    assert [weighted_quantile(values, weights, level) for level in (0.5, 0.8, 0.9, 1.0)] == [1.0, 1.0, 2.0, 3.0]
    assert nine_of_ten([0.1, 1.0, 1.1, 9.0], [0.5, 4.5, 4.5, 0.5]) == (1.0, 1.1)


def drawn(pairs: int, seed: int = 1) -> list[PairLaunch]:
    """Pairs of four families and three GPUs; errors of gathered ones have three times the spread."""
    draw = np.random.default_rng(seed)
    found = []
    for at in range(pairs):
        gathered = float(at % 2)
        error = draw.normal(0, 0.2 * (1 + 2 * gathered))
        traits = replace(_NOTHING, gathered=gathered, dram=float(draw.random()))
        found.append(launch(f"k{at}", exp(error), gpu=f"g{at % 3}", family=f"f{at // 2 % 4}", traits=traits))
    return found


def test_a_fitted_range_has_nine_of_ten_of_others_and_is_wide_where_errors_are() -> None:
    ranges = fitted_range(range_data(drawn(400), "resios"))
    others = drawn(2000, seed=2)
    widths = [ranges.half_width(one.expected["resios"].traits.as_shares()) for one in others]
    for gathered in (0.0, 1.0):
        inside = [
            abs(log(one.ratios["resios"])) <= width
            for one, width in zip(others, widths, strict=True)
            if one.expected["resios"].traits.gathered == gathered
        ]
        assert 0.86 < sum(inside) / len(inside) < 0.98
    assert dict(ranges.weights)["gathered"] == pytest.approx(log(3), abs=0.3)
    assert abs(dict(ranges.weights)["dram"]) < 0.25
    assert ranges.gpus == ("g0", "g1", "g2")


def test_what_was_never_measured_is_taken_to_be_known_less() -> None:
    plain = [one for one in drawn(400) if not one.expected["resios"].traits.gathered]
    weights = dict(fitted_range(range_data(plain, "resios")).weights)
    assert weights["gathered"] == pytest.approx(PRIOR["gathered"], abs=1e-3)


def test_a_family_that_is_worse_than_all_widens_the_ranges_of_all() -> None:
    alike = drawn(400)
    worse = [
        launch(one.kernel, one.ratios["resios"] ** (3 if one.family == "f0" else 1), gpu=one.gpu, family=one.family)
        for one in alike
    ]
    of_alike = [launch(one.kernel, one.ratios["resios"], gpu=one.gpu, family=one.family) for one in alike]
    assert fitted_range(range_data(worse, "resios")).base > fitted_range(range_data(of_alike, "resios")).base + 0.5


def test_a_launch_is_judged_by_the_model_and_the_range_of_its_family() -> None:
    ranges = dict.fromkeys(SHOWN_MODELS, RangeModel(log(0.3), (), ("k20",)))
    launches = [launch(f"k{at}", 1.5, unknown=0.4) for at in range(10)]
    (found, *_) = judged(launches, family_errors(launches, ranges))
    assert (found.model, found.half_width) == ("resios", pytest.approx(0.5))
    assert found.is_inside
    (here, *_) = judged([replace(launches[0], gpu="k20")], family_errors(launches, ranges))
    assert here.half_width == pytest.approx(0.3)
    assert not here.is_inside


def test_coverage_and_width_are_over_pairs() -> None:
    swept = [Judged(launch("swept", 3.0), "resios", 0.1) for _ in range(99)]
    found = [*swept, Judged(launch("a", 1.0), "resios", 0.2), Judged(launch("b", 1.0), "resios", 0.2)]
    assert coverage(found) == pytest.approx(2 / 3)
    assert median_range_factor(found) == pytest.approx(exp(0.4))
