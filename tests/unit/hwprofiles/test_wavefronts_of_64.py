"""The MI250X: wavefronts of 64 lanes through occupancy, coalescing and launches.

Occupancy measured on an MI250 by AMD: "Occupancy limiters example" of the Omniperf documentation
(github.com/ROCm/omniperf f5f0bac). Waves per SIMD against registers: LLVM's getMaxNumVGPRs for gfx90a, 512 / waves
rounded down to 8.
"""

import numpy as np
import pytest
from support.one_launch.warp_lanes import warp_lanes
from support.one_launch.warp_requests import alignments, warp_request
from warplens.analysis.gpu.launch.occupancy import occupancy
from warplens.hwprofiles.loader import load_gpu


@pytest.mark.parametrize(
    ("threads", "registers", "shared_bytes", "fraction", "limited_by"),
    [
        (256, 128, 0, 0.5, "registers"),
        (256, 96, 65536, 0.125, "shared memory"),
        (1024, 64, 0, 1.0, "threads"),
    ],
)
def test_occupancy_is_what_amd_measured(
    threads: int, registers: int, shared_bytes: int, fraction: float, limited_by: str
) -> None:
    found = occupancy(load_gpu("mi250x"), threads, registers, shared_bytes)
    assert (found.fraction, found.limited_by) == (fraction, limited_by)


@pytest.mark.parametrize(
    ("registers", "waves_per_simd"),
    [(64, 8), (65, 7), (72, 7), (73, 6), (80, 6), (96, 5), (128, 4), (129, 3), (168, 3), (256, 2), (257, 1), (512, 1)],
)
def test_registers_bound_the_wavefronts_of_a_simd(registers: int, waves_per_simd: int) -> None:
    assert occupancy(load_gpu("mi250x"), 64, registers, 0).warps_per_sm == 4 * waves_per_simd


def test_no_block_has_more_registers_than_its_threads_may_have() -> None:
    assert occupancy(load_gpu("mi250x"), 64, 513, 0).blocks_per_sm == 0


def test_a_wavefront_of_floats_touches_four_lines() -> None:
    gpu = load_gpu("mi250x")
    lanes, active = warp_lanes((256, 1, 1), (1 << 20, 1, 1), gpu.warp_size_threads)
    request = warp_request(4 * lanes[0], active, 4, gpu.l1, alignments([], gpu.l1.line_bytes, 4))
    assert lanes.shape[-1] == 64
    assert np.all(active)
    assert (request.sectors, request.lines, request.ideal_sectors) == (4, 4, 4)
