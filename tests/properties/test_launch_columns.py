"""Columns of launches against one launch at a time: occupancy, bank conflicts, alignments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.one_launch.bank_conflicts import conflict_degree
from support.one_launch.footprint import granules_touched
from support.one_launch.occupancy import occupancy
from warplens.analysis.gpu.caches.reuse import granules_touched as granules_of_columns
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.launch.occupancy import resident_blocks
from warplens.analysis.gpu.machine.gpu import SharedMemory
from warplens.analysis.gpu.placement.grid_extents import outputs_run, working_threads
from warplens.analysis.gpu.placement.tiles import tiles_of
from warplens.analysis.gpu.staging.bank_conflicts import row_conflict_degrees
from warplens.hwprofiles.loader import gpu_names, load_gpu


@pytest.mark.parametrize("name", gpu_names())
def test_resident_blocks_of_columns(name: str) -> None:
    gpu = load_gpu(name)
    threads, registers, shared, blocks = (
        axis.ravel()
        for axis in np.meshgrid(
            [0, 1, 31, 32, 96, 256, 352, 1024, 2048],
            [0, 1, 17, 32, 63, 64, 128, 255, 256],
            [0, 1, 1000, 16384, 49152, 102400, 400000],
            [0, 1, 100, 10**9],
            indexing="ij",
        )
    )
    found = resident_blocks(gpu, threads, registers, shared.astype(np.float64), blocks.astype(np.float64))
    rows = zip(threads.tolist(), registers.tolist(), shared.tolist(), blocks.tolist(), strict=True)
    expected = [occupancy(gpu, *row) for row in rows]
    assert found.tolist() == [each.blocks_per_sm for each in expected]


@given(
    st.lists(st.lists(st.integers(0, 3000), min_size=32, max_size=32), min_size=1, max_size=4),
    st.lists(st.booleans(), min_size=32, max_size=32),
    st.sampled_from([1, 2, 4, 8, 12, 16]),
    st.sampled_from(
        [SharedMemory(32, 4, 20.0, 128.0), SharedMemory(32, 8, 20.0, 256.0), SharedMemory(16, 4, 20.0, 64.0)]
    ),
)
def test_conflicts_of_rows(
    starts: list[list[int]], active: list[bool], element_bytes: int, shared: SharedMemory
) -> None:
    addresses = np.array(starts, dtype=np.int64) * element_bytes
    on = np.array(active)
    expected = [conflict_degree(row[on], element_bytes, shared) if on.any() else 1 for row in addresses]
    rows = np.broadcast_to(on, addresses.shape)
    assert row_conflict_degrees(addresses, rows, element_bytes, shared).tolist() == expected


STRIDES = st.one_of(st.integers(1, 5000), st.integers(1, 6).map(lambda rows: 4096 * rows))


@given(
    st.lists(st.tuples(STRIDES, st.lists(st.integers(0, 40), min_size=3, max_size=3)), max_size=4),
    st.integers(1, 200),
    st.sampled_from([32, 64, 128]),
)
def test_granules_of_columns(walk: list[tuple[int, list[int]]], span_bytes: int, granule_bytes: int) -> None:
    columns = [(stride, np.array(counts, dtype=np.float64)) for stride, counts in walk]
    found = np.broadcast_to(granules_of_columns(columns, span_bytes, granule_bytes), (3,))
    for row in range(3):
        one = [(stride, counts[row]) for stride, counts in walk]
        assert found[row] == pytest.approx(granules_touched(one, span_bytes, granule_bytes))


EXTENTS = st.tuples(st.integers(0, 5000), st.integers(0, 100), st.integers(0, 9))
SMALL = st.tuples(st.integers(1, 64), st.integers(1, 8), st.integers(1, 4))


@given(EXTENTS, SMALL, SMALL)
def test_threads_and_outputs_of_columns(iterations: Extent, block: Extent, outputs: Extent) -> None:
    tiles = tiles_of(np.array([block]), np.array([outputs]), iterations, 32)
    working, run = 1, []
    for axis in range(3):
        working *= working_threads(iterations[axis], block[axis], outputs[axis], axis)
        run.append(outputs_run(iterations[axis], block[axis], outputs[axis], axis))
    assert tiles.working_threads()[0] == working
    assert tiles.outputs_run()[0].tolist() == run


def test_tiles_of_one_first_warp_share_their_rows() -> None:
    block = np.array([[32, 4, 1], [64, 2, 1], [16, 16, 1], [16, 32, 1], [8, 8, 4]])
    tiles = tiles_of(block, np.ones_like(block), (4096, 4096, 4096), 32)
    assert len(tiles.rows.first_row) == 3
    assert tiles.warps.tolist() == [4, 4, 8, 16, 8]


def test_a_bank_that_is_wider_holds_two_words() -> None:
    kepler = SharedMemory(32, 8, 20.0, 256.0)
    lanes = np.arange(32, dtype=np.int64)[None, :]
    on = np.ones_like(lanes, dtype=np.bool_)
    assert row_conflict_degrees(lanes * 8, on, 4, kepler).tolist() == [1]
    assert row_conflict_degrees(lanes * 8, on, 4, replace(kepler, bank_width_bytes=4)).tolist() == [2]
