"""Worked numbers of Sim et al., "A performance analysis framework for identifying potential benefits in GPGPU
applications", PPoPP 2012: the slides' figures, and its equations by hand for a Tesla C2050."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from warplens.analysis.models.gpuperf.gpuperf import (
    GpuPerfInputs,
    average_access_time,
    dram_latency,
    gpuperf,
    inter_thread_ilp,
    inter_thread_mlp,
    max_inter_thread_ilp,
    overlap_factor,
    sfu_overhead,
)

C2050 = GpuPerfInputs(
    insts=100.0,
    mem_insts=10.0,
    sfu_insts=0.0,
    sync_insts=0.0,
    fp_insts=40.0,
    divergent_insts=0.0,
    bank_replay_cycles=0.0,
    warps_per_sm=96.0,
    resident_warps=48.0,
    active_sms=14.0,
    ilp=4 / 3,
    mlp=1.0,
    avg_inst_lat=18.0,
    warp_size=32.0,
    simd_width=32.0,
    sfu_width=4.0,
    fp_width=32.0,
    sync_factor=64.0,
    dram_lat=440.0,
    departure_delay=20.0,
    trans_per_request=1.0,
    miss_ratio=1.0,
    hit_lat=0.0,
    bandwidth_bytes_per_cycle=144 / 1.15,
    bytes_per_request=128.0,
    least_bytes=0.0,
    busy_mem_cycles=0.0,
    most_sync_cycles=inf,
)
"""The C2050 at full occupancy with two rounds of warps: 100 instructions per warp, 10 of them to memory, coalesced."""


@pytest.mark.parametrize(
    ("tlp", "expected"), [(1, 4 / 3), (2, 8 / 3), (3, 3.0)], ids=["TLP 1: 4/3", "TLP 2: 8/3", "TLP 3: ITILP_max"]
)
def test_eq_4_slide_13(tlp: int, expected: float) -> None:
    assert inter_thread_ilp(4 / 3, tlp, 3.0) == pytest.approx(expected)


@pytest.mark.parametrize(("simd_width", "expected"), [(32, 18.0), (16, 9.0), (8, 4.5)])
def test_eq_5_fp_latency_18(simd_width: int, expected: float) -> None:
    assert max_inter_thread_ilp(18, 32, simd_width) == expected


def test_eq_3_latency_hidden() -> None:
    assert gpuperf(C2050).w_parallel == pytest.approx(100 * 96 * 18 / 18)


def test_eq_3_one_warp_shows_latency() -> None:
    alone = gpuperf(replace(C2050, warps_per_sm=1.0, resident_warps=1.0))
    assert alone.w_parallel == pytest.approx(100 * 18 / (4 / 3))
    assert alone.b_itilp == pytest.approx(100 * 18 / (4 / 3) - 100)


def test_eq_6_sum_of_overheads() -> None:
    result = gpuperf(replace(C2050, sync_insts=2.0, sfu_insts=20.0, divergent_insts=5.0, bank_replay_cycles=7.0))
    assert result.o_cfdiv == pytest.approx(5 * 96)
    assert result.o_bank == pytest.approx(7 * 96)
    barriers, special = 2 * 96 * 64 * 440 * 10 / 100, 20 * 96 * 8 * (20 / 100 - 0.125)
    assert result.w_serial == pytest.approx(barriers + special + 5 * 96 + 7 * 96)
    assert result.t_comp == pytest.approx(100 * 96 * 18 / 18 + barriers + special + 5 * 96 + 7 * 96)


def test_eq_7_8_two_barriers() -> None:
    result = gpuperf(replace(C2050, sync_insts=2.0))
    assert result.o_sync == pytest.approx(2 * 96 * 64 * 440 * 10 / 100)


def test_eq_7_extension_barriers_wait_for_no_more_than_memory_takes() -> None:
    assert gpuperf(replace(C2050, sync_insts=2.0, most_sync_cycles=1760.0)).o_sync == 1760.0


@pytest.mark.parametrize(
    ("sfu_insts", "factor"), [(1, 0.0), (8 / 7, 0.0), (2, 0.2 - 0.125), (8, 0.5 - 0.125)], ids=lambda v: f"{v:.3g}"
)
def test_eq_9_10_sfu_beside_eight_others(sfu_insts: float, factor: float) -> None:
    assert sfu_overhead(sfu_insts, 8 + sfu_insts, 1, 32, 4, 32) == pytest.approx(sfu_insts * 8 * factor)


def test_eq_9_10_nothing_but_sfu_is_what_the_unit_takes() -> None:
    only = replace(C2050, insts=10.0, sfu_insts=10.0, mem_insts=0.0, fp_insts=0.0)
    assert gpuperf(only).t_exec == pytest.approx(10 * 96 * 32 / 4)


def test_eq_11_memory_bound() -> None:
    assert gpuperf(C2050).t_mem == pytest.approx(10 * 96 / 22 * 440)


def test_eq_12_l1_and_l2_hits() -> None:
    assert average_access_time(440, 0.25, 0.5 * 18 + 0.25 * 130) == pytest.approx(110 + 9 + 32.5)


@pytest.mark.parametrize(("transactions", "cycles"), [(1, 440), (2, 460), (32, 1060)])
def test_eq_13_departure_delay_20(transactions: int, cycles: int) -> None:
    assert dram_latency(440, transactions, 20) == cycles


@pytest.mark.parametrize(
    ("mlp", "cwp", "mwp", "peak", "expected"),
    [(1, 45, 22, 30.7, 22), (2, 45, 22, 30.7, 30.7), (1, 4, 22, 30.7, 3), (2, 1, 22, 30.7, 2)],
    ids=["MWP", "bandwidth", "CWP - 1", "at least one warp"],
)
def test_eq_14_15(mlp: float, cwp: float, mwp: float, peak: float, expected: float) -> None:
    assert inter_thread_mlp(mlp, cwp, mwp, peak) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("warps", "cwp", "mwp", "factor"),
    [(4, 3, 3, 0.75), (4, 4, 2, 1.0), (1, 1, 1, 0.0)],
    ids=["slide 17", "slide 18", "1"],
)
def test_eq_17(warps: int, cwp: int, mwp: int, factor: float) -> None:
    assert overlap_factor(warps, cwp, mwp) == factor


def test_eq_1_2_16_memory_hides_computation() -> None:
    result = gpuperf(C2050)
    assert result.t_comp == pytest.approx(9600)
    assert result.t_overlap == pytest.approx(9600)
    assert result.t_exec == pytest.approx(19200)


def test_eq_1_16_computation_hides_memory_but_the_first_warps() -> None:
    result = gpuperf(replace(C2050, insts=4000.0, mem_insts=1.0))
    # CWP = (440 + 4000) / 4000 is below MWP = 22: of N warps one does not overlap.
    assert result.f_overlap == pytest.approx(47 / 48)
    assert result.t_exec == pytest.approx(result.t_comp)
    assert result.t_comp == pytest.approx(4000 * 96)


def test_eq_a1_to_a4() -> None:
    result = gpuperf(C2050)
    assert result.cwp == pytest.approx((10 * 440 + 100) / 100)
    assert gpuperf(replace(C2050, mem_insts=20.0)).cwp == 48


def test_eq_a5_to_a7() -> None:
    result = gpuperf(C2050)
    bandwidth_per_warp = 1.15 * 128 / 440
    assert result.mwp_peak_bw == pytest.approx(144 / (bandwidth_per_warp * 14))
    assert result.mwp == pytest.approx(440 / 20)
    assert gpuperf(replace(C2050, departure_delay=2.0)).mwp == pytest.approx(30.745, abs=1e-3)


def test_peak_bandwidth_of_eq_11_is_that_of_the_memory() -> None:
    streaming = gpuperf(replace(C2050, departure_delay=2.0))
    assert streaming.t_mem == pytest.approx(10 * 96 * 14 * 128 / (144 / 1.15))


def test_b_memlp_is_the_memory_time_that_shows_beyond_what_must_move() -> None:
    strided = replace(C2050, departure_delay=2.0, bytes_per_request=4096.0, trans_per_request=32.0)
    result = gpuperf(replace(strided, least_bytes=10 * 96 * 14 * 128.0))
    assert result.t_mem_min == pytest.approx(10 * 96 * 14 * 128 / (144 / 1.15))
    assert result.b_memlp == pytest.approx(result.t_mem - 9600 - result.t_mem_min)


def test_benefits_stack_up_to_t_comp() -> None:
    result = gpuperf(replace(C2050, resident_warps=4.0, sync_insts=1.0, sfu_insts=30.0, divergent_insts=3.0))
    assert result.t_fp == pytest.approx(40 * 96)
    assert result.b_fp == pytest.approx(60 * 96)
    assert result.t_comp == result.t_fp + result.b_fp + result.b_itilp + result.b_serial
    assert result.t_comp == pytest.approx(result.w_parallel + result.w_serial)  # eq. 2


def test_columns_and_numbers_agree() -> None:
    warps = np.array([1.0, 8.0, 48.0])
    columns = gpuperf(replace(C2050, resident_warps=warps, sync_insts=2.0))
    each = [gpuperf(replace(C2050, resident_warps=count, sync_insts=2.0)).t_exec for count in warps]
    assert columns.t_exec == pytest.approx(np.array(each))
