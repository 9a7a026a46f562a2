"""The ledger's arithmetic, on numbers whose answer is known."""

import pytest
from accuracy.ledger.block_choice import always_256, choose
from accuracy.ledger.budget import exceeded, loose, tightened
from accuracy.ledger.errors import errors, spearman
from accuracy.ledger.measurement import Measurement
from accuracy.ledger.predictions import Predicted
from accuracy.ledger.work_per_thread import work_per_thread


def _one(block: tuple[int, int, int], measured_ms: float, predicted_ms: float, outputs: int = 1) -> Predicted:
    measured = Measurement("set", "k20", "mm_naive", 64, block, (outputs, 1, 1), (), measured_ms * 1e-3)
    return Predicted(measured, (("model", predicted_ms * 1e-3),))


def test_errors_are_symmetric_in_the_ratio() -> None:
    found = errors([0.25, 4.0, 1.0, 1.0], ())
    assert (found.ratio, found.within, found.rank) == (1.0, 4.0, None)
    assert found.mape == pytest.approx((0.75 + 3.0) / 4)


def test_nine_of_ten_stay_within_the_factor() -> None:
    assert errors([1.0] * 8 + [2.0, 100.0], ()).within == 2.0


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [([1, 2, 3], [5, 6, 7], 1.0), ([1, 2, 3], [7, 6, 5], -1.0), ([1, 1, 1], [1, 2, 3], None)],
)
def test_rank_correlation(one: list[float], other: list[float], expected: float | None) -> None:
    assert spearman(one, other) == expected


def test_equal_values_share_their_rank() -> None:
    assert spearman([1, 1, 2], [1, 2, 3]) == pytest.approx(0.75**0.5)


def test_the_choice_is_judged_by_what_was_measured() -> None:
    group = [_one((8, 8, 1), 2.0, 1.0), _one((16, 16, 1), 1.0, 1.5), _one((32, 32, 1), 4.0, 3.0)]
    choice = choose(group, "model")
    assert (choice.chosen.block, choice.rel, choice.always_256) == ((8, 8, 1), 2.0, 1.0)


def test_of_blocks_predicted_alike_large_ones_come_last() -> None:
    group = [_one((32, 32, 1), 1.0, 1.0), _one((8, 8, 1), 1.0, 1.009), _one((16, 16, 1), 1.0, 1.005)]
    assert choose(group, "model").chosen.block == (16, 16, 1)


def test_nobody_takes_256_threads_where_they_were_not_measured() -> None:
    assert always_256([_one((8, 8, 1), 1.0, 1.0).measured]) is None


def test_work_per_thread_takes_the_best_block_of_each() -> None:
    group = [
        _one((16, 16, 1), 4.0, 4.0),
        _one((8, 8, 1), 5.0, 5.0),
        _one((16, 16, 1), 2.0, 3.0, outputs=2),
        _one((16, 16, 1), 3.0, 2.0, outputs=4),
    ]
    found = work_per_thread(group, "model")
    assert found is not None
    assert (found.best, found.recommended, found.rel, found.single) == ((2, 1, 1), (4, 1, 1), 1.5, 2.0)
    assert [entry.measured_s for entry in found.sweep] == [4e-3, 2e-3, 3e-3]


def test_one_number_of_outputs_is_no_sweep() -> None:
    assert work_per_thread([_one((16, 16, 1), 4.0, 4.0)], "model") is None


def test_a_budget_only_shrinks() -> None:
    budget = {"time": {"model": {"a": 1.5, "b": 1.1}}}
    reached = {"time": {"model": {"a": 1.2, "b": 1.3}}}
    assert [entry.split(":")[0] for entry in exceeded(reached, budget)] == ["time, model, b"]
    assert [entry.split(":")[0] for entry in loose(reached, budget)] == ["time, model, a"]
    new = tightened(reached, budget)["time"]["model"]
    assert 1.2 < new["a"] < 1.5
    assert new["b"] == 1.1
    assert list(loose(reached, {"time": {"model": new}})) == []


def test_what_has_no_limit_exceeds_it() -> None:
    assert list(exceeded({"time": {"model": {"a": 1.0}}}, {})) == ["time, model, a: 1.000 has no limit"]
