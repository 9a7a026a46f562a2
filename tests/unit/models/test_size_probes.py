"""The search for the first size of the wins, on functions whose answer is known by looking at every size."""

from collections.abc import Callable
from math import inf, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.models.sizes.size_probes import (
    first_of_wins,
    first_sizes,
    gap_before_winning,
    size_in_doubt,
    size_in_gap,
)

MOST = 3000


def found(margin: Callable[[int], float], most: int = MOST, tolerance: float = 1.02, current: int = 1) -> int | None:
    """The first of the wins, as break_even.py looks for it, and never in more steps than halving takes."""
    margins = {size: margin(size) for size in first_sizes(1, most, current)}
    for step in range(100):
        gap = gap_before_winning(sorted(margins.items()))
        size = None if gap is None else size_in_gap(gap, tolerance, halves=step >= 4)
        assert size is None or (gap and gap[0][0] < size < gap[1][0])
        size = size or size_in_doubt(sorted(margins.items()))
        if size is None:
            return first_of_wins(sorted(margins.items()))
        assert size not in margins
        margins[size] = margin(size)
    raise AssertionError("the search does not end")


def every(margin: Callable[[int], float], most: int = MOST) -> int | None:
    lost = max((size for size in range(1, most + 1) if margin(size) <= 0), default=0)
    return lost + 1 if lost < most else None


@pytest.mark.parametrize("first", [1, 2, 7, 49, 64, 65, 100, 999, 2047, 2999, 3000])
@pytest.mark.parametrize("jump", [True, False])
def test_one_crossing_is_found_as_if_every_size_was_looked_at(first: int, jump: bool) -> None:
    def margin(size: int) -> float:
        return (1.0 if size >= first else -1.0) if jump else log(size / (first - 0.5))

    size, expected = found(margin), every(margin)
    assert expected == first
    assert size is not None
    assert expected <= size <= max(expected * 1.02, expected + (2 if expected > 50 else 0))


def test_always_and_never_take_no_further_step() -> None:
    assert found(lambda _size: 0.1) == 1
    assert found(lambda _size: -0.1) is None
    assert found(lambda _size: -inf) is None
    assert found(lambda size: 0.1 if size < MOST else 0.0) is None
    assert found(lambda size: 0.1 if size < 17 else -0.1) is None
    assert first_of_wins([]) is None


@given(st.floats(0.05, 3.0), st.floats(1.5, 2500.0), st.floats(0.0, 0.4), st.integers(2, 64), st.integers(1, MOST))
def test_waves_on_the_curve_end_in_a_size_from_which_it_wins(
    slope: float, crossing: float, depth: float, period: int, current: int
) -> None:
    # As a grid's last wave makes them: every `period` sizes it falls back a little.
    def margin(size: int) -> float:
        return slope * log(size / crossing) + depth * (size % period) / period

    size, expected = found(margin, current=current), every(margin)
    if size is None or expected is None:
        # It crosses nowhere or at the very end: what is seen of the last wave decides.
        last = expected if size is None else size
        assert last is None or slope * log(MOST / last) <= depth + 0.05
        return
    # Off by the waves at most: these move the crossing by their depth over the slope.
    assert abs(slope * log(size / expected)) <= depth + slope * log(1.03) + slope * log((expected + 2) / expected)


def test_where_it_wins_by_little_sizes_between_are_looked_at() -> None:
    def margin(size: int) -> float:
        return -0.2 if 250 < size < 1000 else 0.1 * abs(log(size / 300)) + 0.01

    assert 1000 <= (found(margin) or 0) <= 1020
    assert size_in_doubt([(100, 0.1), (400, 2.0)]) == 201
    assert size_in_doubt([(100, 0.1), (201, 2.0)]) is None
    assert size_in_doubt([(100, 1.0), (400, 2.0)]) is None
    assert size_in_doubt([(100, -0.1), (400, 2.0)]) is None


def test_a_crossing_between_two_sizes_is_where_the_line_through_them_crosses() -> None:
    margins = [(100, -1.0), (400, 1.0), (1600, 1.0)]
    assert first_of_wins(margins) == 400
    assert first_of_wins(margins, is_between=True) in {200, 201}
    assert first_of_wins([(100, -inf), (400, 1.0)], is_between=True) == 400
    assert first_of_wins([(100, -1e-12), (400, 1.0)], is_between=True) == 101


@given(st.integers(0, 10**9))
def test_it_ends_on_any_function_with_a_loss_in_front_of_the_answer(seed: int) -> None:
    random = Random(seed)
    values = [random.uniform(-1, 1) for _ in range(MOST)]
    size = found(lambda at: values[at - 1])
    if size is not None:
        assert values[size - 1] > 0
        assert size == 1 or min(values[max(0, int(size / 1.02) - 3) : size - 1]) <= 0


def test_large_sizes_are_odd_and_the_ends_and_the_current_one_are_among_the_first() -> None:
    sizes = first_sizes(1, 2**31 - 1, 4096)
    assert sizes[:6] == [1, 4, 16, 64, 257, 1025]
    assert {1, 4096, 4097, 2**31 - 1} <= set(sizes)
    assert all(size % 2 for size in sizes if size > 64 and size != 4096)
    assert first_sizes(5, 5, 9) == [5]
    assert first_sizes(6, 5, 6) == []
