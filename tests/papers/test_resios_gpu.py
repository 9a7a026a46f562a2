"""Resios 2011: the GTX 460's numbers, occupancy, coalescing and bank conflicts as the thesis gives them."""

from math import gcd

import numpy as np
import pytest
from support.one_launch.bank_conflicts import conflict_degree
from support.one_launch.warp_requests import alignments, warp_request
from warplens.analysis.gpu.launch.occupancy import occupancy
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.loader import load_gpu


@pytest.fixture
def gtx460() -> Gpu:
    return load_gpu("gtx460")


@pytest.mark.parametrize(
    ("ops", "latency", "throughput", "warps_to_peak"),
    [
        (("int_add", "logic", "fp32_add", "fp32_mul"), 16, 32, 16),
        (("int_mul",), 20, 16, 16),
        (("int_mad",), 22, 16, 11),
        (("int_div",), 317, 1.8, 5),
        (("fp32_fma",), 18, 32, 16),
        (("fp32_div",), 711, 0.75, 4),
        (("fp32_sqrt",), 269, 1.6, 5),
    ],
    ids=lambda value: f"table-3.1-{value[0]}" if isinstance(value, tuple) else None,
)
def test_table_3_1(gtx460: Gpu, ops, latency: float, throughput: float, warps_to_peak: float) -> None:
    for op in ops:
        timing = gtx460.timing(op)
        assert (timing.latency_cycles, timing.results_per_cycle_per_sm) == (latency, throughput)
        assert timing.warps_to_peak == warps_to_peak


def test_chapters_2_and_3_hardware(gtx460: Gpu) -> None:
    limits = gtx460.occupancy
    assert (gtx460.sm_count, gtx460.clock_hz, gtx460.load_store_units_per_sm) == (7, 1.35e9, 16)
    assert (limits.max_warps_per_sm, limits.max_blocks_per_sm, limits.max_threads_per_sm) == (48, 8, 1536)
    assert (limits.registers_per_sm, limits.registers_max_per_thread) == (32768, 63)
    assert limits.shared_per_sm_bytes == 48 * 1024
    assert (gtx460.l1.latency_cycles, gtx460.shared.latency_cycles) == (36, 36)
    assert (gtx460.l2.latency_cycles, gtx460.dram.latency_cycles) == pytest.approx((300, 500))
    assert (gtx460.shared.banks, gtx460.shared.bank_width_bytes) == (32, 4)


def test_equations_4_2_and_4_3_overheads(gtx460: Gpu) -> None:
    assert gtx460.host.resios_fit == (5000, 100, 692)
    assert gtx460.host.context_init_s == pytest.approx(65e-3)
    assert gtx460.host.launch_overhead_s == pytest.approx(4e-6)


def test_equation_4_8_bandwidth_of_one_sm(gtx460: Gpu) -> None:
    assert gtx460.dram_bytes_per_cycle_per_sm * gtx460.clock_hz == pytest.approx(12.34e9, rel=1e-3)
    # Figure of ch. 4: 64 bytes per shader clock on the whole chip.
    assert gtx460.dram_bytes_per_cycle_per_sm * gtx460.sm_count == pytest.approx(64)


@pytest.mark.parametrize(("registers", "warps"), [(20, 48), (32, 32), (63, 16)])
def test_section_5_2_1_registers_limit_resident_warps(gtx460: Gpu, registers: int, warps: int) -> None:
    # n_w2 = registers per SM / (warp size x registers per thread), whole warps.
    assert occupancy(gtx460, 256, registers, 0).warps_per_sm == warps
    assert warps <= min(48, 32768 // (32 * registers))


@pytest.mark.parametrize("stride", range(1, 34), ids=lambda stride: f"listing-3.3-stride-{stride}")
def test_listing_3_3_bank_conflicts(gtx460: Gpu, stride: int) -> None:
    degree = conflict_degree(np.arange(32, dtype=np.int64) * 4 * stride, 4, gtx460.shared)
    assert degree == gcd(32, stride)
    assert (degree == 1) == (stride % 2 == 1)


@pytest.mark.parametrize(("stride", "lines"), [(1, 1), (2, 2), (4, 4), (32, 32), (1000, 32)])
def test_chapter_6_lines_of_a_strided_request(gtx460: Gpu, stride: int, lines: int) -> None:
    addresses = (np.arange(32, dtype=np.int64) * 4 * stride)[None, :]
    active = np.ones((1, 32), dtype=np.bool_)
    assert warp_request(addresses, active, 4, gtx460.l1, alignments((), 128, 4)).lines == lines
