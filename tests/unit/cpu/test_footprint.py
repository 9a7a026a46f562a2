"""Lines touched: the closed form against counting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.cpu.footprint import footprint, walk_of

LINE = 64


def counted(strides: list[int], trips: list[int], offsets: list[int], element: int) -> float:
    """Average number of distinct lines over all element-aligned starts."""
    places = [0]
    for stride, trip in zip(strides, trips, strict=True):
        places = [place + stride * k for place in places for k in range(trip)]
    places = [place + offset for place in places for offset in offsets]
    starts = range(0, LINE, element)
    return sum(len({(start + place) // LINE for place in places}) for start in starts) / len(starts)


@given(st.sampled_from([1, 2, 4, 8, 16, 64]), st.integers(1, 60), st.sampled_from([4, 8]))
def test_one_loop_over_neighbours(step: int, trips: int, element: int) -> None:
    stride = step * element
    stride = min(stride, LINE)
    walk = walk_of([stride], [0], element)
    assert footprint(walk, [trips], LINE).lines == pytest.approx(counted([stride], [trips], [0], element))


@given(st.integers(1, 20), st.integers(1, 20), st.integers(9, 40))
def test_rows_apart(rows: int, columns: int, gap: int) -> None:
    row_bytes = 8 * (columns + gap)
    walk = walk_of([row_bytes, 8], [0], 8)
    found = footprint(walk, [rows, columns], LINE).lines
    assert found == pytest.approx(counted([row_bytes, 8], [rows, columns], [0], 8), abs=1e-9)


@given(st.integers(1, 12), st.integers(1, 12))
def test_rows_that_follow_each_other_are_one_stretch(rows: int, columns: int) -> None:
    walk = walk_of([8 * columns, 8], [0], 8)
    expected = counted([8 * columns, 8], [rows, columns], [0], 8)
    assert footprint(walk, [rows, columns], LINE).lines == pytest.approx(expected)


def test_stencil_row_holds_three_rows() -> None:
    # a[i-1][j], a[i][j-1], a[i][j], a[i][j+1], a[i+1][j] along j: three rows of n + 2 elements
    n = 1000
    walk = walk_of([8 * n, 8], [-8 * n, -8, 0, 8, 8 * n], 8)
    one_row = (8 * (n + 1)) / LINE + 1
    assert footprint(walk, [1, n], LINE).lines == pytest.approx(3 * 8 * n / LINE, rel=0.01)
    assert footprint(walk, [1, n], LINE).lines < 3 * one_row + 1


@given(st.integers(1, 50), st.integers(20, 400), st.integers(0, 1))
def test_references_far_apart_touch_what_each_touches(trips: int, gap: int, near: int) -> None:
    offsets = [0, 8 * near, 64 * gap, 64 * gap + 8 * near]
    found = footprint(walk_of([8], offsets, 8), [trips], LINE).lines
    assert found == pytest.approx(counted([8], [trips], sorted(set(offsets)), 8), rel=0.05, abs=0.3)


def test_mirrored_rows_are_no_box() -> None:
    # a[i*n + j] and a[(n-1-i)*n + n-1-j]: two lines an iteration
    n = 1000
    walk = walk_of([8 * n, 8], [0, 8 * (n * n - 1)], 8)
    assert footprint(walk, [1, 1], LINE).lines == 2.0


def test_two_loops_of_one_stride_overlap() -> None:
    # image[j + q]: q moves by the stride of j
    walk = walk_of([4, 4], [0], 4)
    assert footprint(walk, [1000, 3], LINE).lines == pytest.approx(counted([4], [1002], [0], 4))


def test_a_standing_reference_is_one_line() -> None:
    assert footprint(walk_of([], [0], 8), [], LINE).lines == 1.0
