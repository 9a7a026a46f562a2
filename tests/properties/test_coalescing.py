"""Coalescing of one warp equals counting the sectors of its 32 addresses one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.one_launch.footprint import granules_touched
from support.one_launch.warp_lanes import warp_lanes
from support.one_launch.warp_requests import alignments, warp_request
from warplens.analysis.gpu.machine.gpu import Cache
from warplens.analysis.gpu.requests.coalescing import Move

_CACHE = Cache(196608, 128, 32, 39.0, 1e12)
_BLOCKS = st.tuples(st.integers(1, 70), st.integers(1, 6), st.integers(1, 3))


def _linearised(block: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    return [(x, y, z) for z in range(block[2]) for y in range(block[1]) for x in range(block[0])]


@given(block=_BLOCKS)
def test_every_thread_is_in_one_lane_in_cuda_order(block: tuple[int, int, int]) -> None:
    lanes, active = warp_lanes(block, (10**6, 10**6, 10**6), 32)
    seen = [tuple(lanes[:, warp, lane].tolist()) for warp, lane in np.argwhere(active)]
    threads = _linearised(block)
    if len(seen) == len(threads):
        assert seen == threads
    else:
        # Warps that are alike are given once: the others are the first one shifted.
        assert len(threads) % 32 == 0
        assert len(seen) == 32
        for first in range(0, len(threads), 32):
            shift = np.array(threads[first]) - np.array(seen[0])
            assert [tuple((np.array(s) + shift).tolist()) for s in seen] == threads[first : first + 32]


@given(
    block=_BLOCKS,
    strides=st.tuples(*(st.integers(-600, 600) for _ in range(3))),
    size=st.sampled_from([1, 2, 4, 8, 16]),
    threads=st.tuples(st.integers(1, 80), st.integers(1, 8), st.integers(1, 4)),
)
def test_sectors_and_lines_are_the_distinct_ones(
    block: tuple[int, int, int], strides: tuple[int, ...], size: int, threads: tuple[int, int, int]
) -> None:
    lanes, active = warp_lanes(block, threads, 32)
    addresses = np.tensordot(np.array(strides, dtype=np.int64), lanes, axes=1) * size
    request = warp_request(addresses, active, size, _CACHE, alignments((), 128, size))
    sectors: list[int] = []
    lines: list[int] = []
    for warp in range(addresses.shape[0]):
        touched = {
            byte for address in addresses[warp][active[warp]].tolist() for byte in range(address, address + size)
        }
        if touched:
            sectors.append(len({byte // 32 for byte in touched}))
            lines.append(len({byte // 128 for byte in touched}))
    assert abs(request.sectors - np.mean(sectors)) < 1e-9
    assert abs(request.lines - np.mean(lines)) < 1e-9


@given(moves=st.lists(st.tuples(st.integers(-300, 300), st.integers(1, 40)), max_size=3))
def test_alignments_are_those_of_all_combinations(moves: list[tuple[int, int]]) -> None:
    starts = np.zeros(1, dtype=np.int64)
    for step, count in moves:
        starts = (starts[:, None] + step * np.arange(count)).ravel()
    expected = np.bincount(starts % 128, minlength=128) / len(starts)
    got = alignments([Move(step, count) for step, count in moves], 128, 4)
    dense = np.zeros(128)
    dense[got.shifts_bytes] = got.weights
    assert np.allclose(dense, expected)


@given(elements=st.integers(1, 64), rows=st.integers(1, 12), pad=st.integers(0, 40), planes=st.integers(1, 4))
def test_footprint_of_a_box_of_rows(elements: int, rows: int, pad: int, planes: int) -> None:
    pitch = (elements * 4 + 31) // 32 * 32 + 32 * (pad + 1)
    walk = [(4, elements), (pitch, rows), (pitch * rows * 2, planes)]
    touched = {
        (4 * x + pitch * y + pitch * rows * 2 * z) // 32
        for x in range(elements)
        for y in range(rows)
        for z in range(planes)
    }
    assert granules_touched(walk, 4, 32) == len(touched)


def distinct_granules(walk: list[tuple[int, int]], size_bytes: int, granule_bytes: int) -> int:
    """By enumeration, from an address that is aligned."""
    starts = np.zeros(1, dtype=np.int64)
    for stride, count in walk:
        starts = np.unique(starts[:, None] + stride * np.arange(count))
    return len(np.unique((starts[:, None] + np.arange(size_bytes)) // granule_bytes))


@given(
    elements=st.integers(1, 64),
    pad=st.integers(1, 40),
    loops=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    apart=st.integers(1, 6),
    planes=st.integers(1, 3),
)
def test_loops_that_walk_the_same_rows_touch_them_once(
    elements: int, pad: int, loops: tuple[int, int], apart: int, planes: int
) -> None:
    # a[(apart * y + i) * n + x], as an image that a filter is moved over: rows i and rows y are the same.
    pitch = (elements * 4 + 31) // 32 * 32 + 32 * pad
    plane = pitch * (loops[0] + apart * loops[1])
    walk = [(4, elements), (pitch, loops[0]), (-apart * pitch, loops[1]), (plane, planes)]
    assert granules_touched(walk, 4, 32) == distinct_granules(walk, 4, 32)


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 6)), max_size=4))
def test_no_row_is_left_out(rows: list[tuple[int, int]]) -> None:
    walk = [(4, 8), *((32 * step, count) for step, count in rows)]
    assert granules_touched(walk, 4, 32) >= distinct_granules(walk, 4, 32)
