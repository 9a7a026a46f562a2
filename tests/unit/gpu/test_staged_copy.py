"""Copies to shared memory: the lines and sectors of a block's requests, beside the addresses written out."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.one_launch.shared_region import shared_regions
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import SharedChoice
from warplens.analysis.gpu.staging.staged_copy import StagedCopy, copy_of_choice
from warplens.hwprofiles.loader import load_gpu

WORD = 4


def copy(rows: int, columns: int, threads: int, alignment: int = 128, name: str = "k20") -> StagedCopy:
    choice = SharedChoice("a", (), rows * columns * WORD, 0.0, 0.0, 0.0, 1.0, columns * WORD, alignment)
    return copy_of_choice(choice, threads, load_gpu(name))


def counted(rows: int, columns: int, threads: int, starts: list[int], granule: int, warp: int) -> float:
    """Distinct granules of all requests, rows in pages of their own that start at each of `starts` within a page."""
    total = 0
    words = np.arange(rows * columns)
    requests = [
        words[round_ + first : min(round_ + first + warp, round_ + threads)]
        for round_ in range(0, len(words), threads)
        for first in range(0, threads, warp)
    ]
    for start in starts:
        for request in requests:
            addresses = request // columns * 2**20 + start + request % columns * WORD
            total += len(np.unique(addresses // granule))
    return total / len(starts)


@pytest.mark.parametrize(("edge", "lines"), [(4, 4), (8, 4), (16, 2), (32, 1)])
def test_a_request_touches_a_line_in_each_row_of_a_narrow_tile(edge: int, lines: int) -> None:
    # Measured on a K20 with nvprof (transactions per request of a tiled matrix product).
    found = copy(edge, edge, edge * edge)
    assert found.lines / found.requests == lines


def test_a_row_that_is_not_aligned_touches_a_line_more() -> None:
    assert copy(8, 32, 256, alignment=4).lines == pytest.approx(8 * (1 + (128 - 4) / 128))


def test_rows_of_a_halo_take_partly_used_sectors() -> None:
    found = copy(30, 30, 256, alignment=32)
    assert found.requests == ceil(900 / 32)
    assert found.sectors * 32 > 900 * WORD


@given(
    rows=st.integers(1, 9),
    columns=st.integers(1, 70),
    threads=st.sampled_from([16, 32, 64, 256]),
    alignment=st.sampled_from([4, 16, 32, 64, 128]),
)
def test_it_is_what_the_addresses_touch(rows: int, columns: int, threads: int, alignment: int) -> None:
    found = copy(rows, columns, threads, alignment)
    starts = list(range(0, 128, alignment))
    for granule, touched in ((128, found.lines), (32, found.sectors)):
        exact = counted(rows, columns, threads, starts, granule, 32)
        # Where requests end within a row is taken for evenly spread over the lines: off by a line at each of the ends.
        cuts = max(0.0, found.requests - 1)
        assert abs(touched - exact) <= cuts + 1e-9
        # Whole warps never end within a line of such rows; half a warp may, always at the same place.
        if threads >= 32 and (columns % 32 == 0 or 32 % columns == 0):
            assert touched == pytest.approx(exact)


def test_a_block_smaller_than_a_warp_makes_a_request_per_copy_of_its_threads() -> None:
    assert copy(8, 8, 16).requests == 4


def test_rows_that_a_tile_covers_from_end_to_end_are_one_piece(gemm: Kernel) -> None:
    whole = next(r for r in shared_regions(gemm, (32, 1, 1), {"n": 20}) if r.accesses[0].access.array == "b")
    assert whole.row_bytes == whole.elements * WORD
    tile = next(r for r in shared_regions(gemm, (16, 16, 1), {"n": 1024}) if r.accesses[0].access.array == "b")
    assert (tile.row_bytes, tile.alignment_bytes) == (64, 64)


def test_an_odd_pitch_leaves_rows_at_any_element(gemm: Kernel) -> None:
    tile = next(r for r in shared_regions(gemm, (16, 16, 1), {"n": 1021}) if r.accesses[0].access.array == "b")
    assert (tile.row_bytes, tile.alignment_bytes) == (64, 4)
