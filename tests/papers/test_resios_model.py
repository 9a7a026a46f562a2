"""Worked numbers of A. Resios, "GPU performance prediction using parametrized models", Utrecht 2011."""

from fractions import Fraction

import pytest
from warplens.analysis.facts.nest_facts import GridLoop, Kernel
from warplens.analysis.facts.program import BasicBlock, Instruction
from warplens.analysis.gpu.machine.gpu import Gpu, InstructionTiming
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.access_cost import RequestCount
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.models.launches.launch_heuristic import heuristic_block, heuristic_launch
from warplens.analysis.models.offload.transfer_time import fitted_transfer_time_s, transfer_time_s
from warplens.analysis.simulation.instruction_time import (
    instruction_delay_cycles,
    instruction_delay_paper_cycles,
    warps_to_peak,
)
from warplens.analysis.simulation.machine import Machine, Policy
from warplens.analysis.simulation.memory_time import (
    global_penalty_cycles,
    memory_delay_cycles,
    request_time,
    shared_penalty_cycles,
)
from warplens.analysis.simulation.operation import Operation, Trace
from warplens.analysis.simulation.simulate import simulate
from warplens.hwprofiles.loader import load_gpu

MADD = InstructionTiming("int_mad", 22.0, 16.0)
POLICIES: tuple[Policy, ...] = ("in turn", "fifo", "loose round robin", "oldest first")


@pytest.fixture
def gtx460() -> Gpu:
    return load_gpu("gtx460")


def kernel(extents: tuple[int, ...], *instructions: Instruction) -> Kernel:
    grid = tuple(
        GridLoop(NodeId(i), f"i{i}", Formula.constant(extent), Polynomial(()), 1) for i, extent in enumerate(extents)
    )
    return Kernel(
        root=NodeId(0),
        launches=Formula.constant(1),
        grid=grid,
        thread_order=tuple(loop.loop for loop in reversed(grid)),
        program=(BasicBlock(instructions, Fraction(1)),),
        accesses=(),
        private=(),
        reductions=(),
        register_pressure=16,
        live_values=(),
        arithmetic_intensity=Fraction(1),
    )


@pytest.mark.parametrize(
    ("tlp", "cycles"), [(1, 22.0), (5, 4.4), (11, 2.0), (12, 22 / (12 * 11) + 2), (48, 22 / (48 * 11) + 2)]
)
def test_eq_4_5_madd(tlp: int, cycles: float) -> None:
    assert instruction_delay_paper_cycles(MADD, tlp, 32, 11) == pytest.approx(cycles)


@pytest.mark.parametrize(("tlp", "printed"), [(12, 2.1667), (48, 2.0417)])
def test_eq_4_5_madd_printed_digits(tlp: int, printed: float) -> None:
    assert round(instruction_delay_paper_cycles(MADD, tlp, 32, 11), 4) == printed


def test_eq_4_5_madd_reaches_peak_at_11_warps() -> None:
    assert warps_to_peak(MADD, 32) == 11


@pytest.mark.parametrize("tlp", [1, 5, 11])
def test_eq_4_5_monotone_form_is_the_papers_up_to_peak(tlp: int) -> None:
    assert instruction_delay_cycles(MADD, tlp, 32) == pytest.approx(instruction_delay_paper_cycles(MADD, tlp, 32, 11))


def test_eq_4_5_monotone_form_is_the_papers_limit() -> None:
    assert instruction_delay_cycles(MADD, 12, 32) == 2.0
    assert instruction_delay_paper_cycles(MADD, 1e9, 32, 11) == pytest.approx(2.0)


@pytest.mark.parametrize("transactions", [1, 2, 16, 32])
def test_eq_4_8_figure_4_4a(transactions: int) -> None:
    penalty = global_penalty_cycles(128, transactions, 64.0)
    assert 8 * memory_delay_cycles(500.0, penalty, 8) == pytest.approx(500 + 16 * transactions)


@pytest.mark.parametrize("conflicts", [0, 1, 7, 31])
def test_eq_4_9_figure_4_4b(conflicts: int) -> None:
    penalty = shared_penalty_cycles(4, conflicts, 32, 32, 32.0)
    assert 8 * memory_delay_cycles(36.0, penalty, 8) == pytest.approx(37 + conflicts)


def test_eq_4_8_gtx460_share_of_one_sm_is_12_34_gb_per_s(gtx460: Gpu) -> None:
    assert gtx460.dram_bytes_per_cycle_per_sm * gtx460.clock_hz == pytest.approx(12.34e9, rel=1e-3)


def test_eq_4_8_gtx460_coalesced_request(gtx460: Gpu) -> None:
    request = RequestCount("global", sectors=4.0, lines=1.0, l2_sectors=4.0, dram_sectors=4.0, conflict_degree=1)
    time = request_time(request, 4, gtx460, active_sms=7)
    assert time.latency_cycles == 500
    assert time.dram_cycles == pytest.approx(128 / (64 / 7))


@pytest.mark.parametrize(
    ("size_bytes", "seconds"),
    [(1e3, 1e3 / 792e6), (43.08e3, 43.08e3 / 5000e6), (1e6, 1e6 / 5000e6), (64e6, 64e6 / 5000e6)],
)
def test_eq_4_2_with_size_in_kb(size_bytes: float, seconds: float, gtx460: Gpu) -> None:
    assert transfer_time_s(size_bytes, gtx460.host, "h2d") == pytest.approx(seconds)


def test_eq_4_2_is_flat_up_to_43_kb_then_linear() -> None:
    fit = (5000.0, 100.0, 692.0)
    assert fitted_transfer_time_s(40e3, fit) / fitted_transfer_time_s(10e3, fit) < 1.5
    assert fitted_transfer_time_s(80e6, fit) / fitted_transfer_time_s(20e6, fit) == pytest.approx(4.0)


def test_eq_4_3_gtx460_overheads(gtx460: Gpu) -> None:
    assert gtx460.host.context_init_s == pytest.approx(65e-3)
    assert gtx460.host.launch_overhead_s == pytest.approx(4e-6)


@pytest.mark.parametrize("op", ["int_mul", "int_mad"])
def test_section_7_1_block_of_160_threads(op: str, gtx460: Gpu) -> None:
    instruction = Instruction("int_mul" if op == "int_mul" else "int_mad", (), NodeId(1))
    assert gtx460.sm_count == 7
    assert heuristic_block(SizedKernel(kernel((1024,), instruction), {}), gtx460, registers_per_thread=16) == (
        160,
        1,
        1,
    )


def test_section_7_2_block_of_32_by_32(gtx460: Gpu) -> None:
    transpose = kernel(
        (2048, 2048),
        Instruction("load", (), NodeId(1), NodeId(2)),
        Instruction("store", (0,), NodeId(1), NodeId(3)),
    )
    assert heuristic_launch(SizedKernel(transpose, {}), gtx460).block == (32, 32, 1)


def machine(policy: Policy, compute_units: int = 1, memory_units: int = 1) -> Machine:
    return Machine(compute_units, memory_units, 64, 64, simulated_warps=256, policy=policy)


def dependent_madds(count: int, warps: int) -> Trace:
    return Trace((Operation("compute", 1.0, 22.0, (2.0, 0.0, 0.0, 0.0)),) * count, 1, warps)


@pytest.mark.parametrize("policy", ["in turn", "fifo", "loose round robin"])
@pytest.mark.parametrize("tlp", [1, 5, 11, 12, 48])
def test_algorithm_5_1_gives_eq_4_5_for_dependent_madds(policy: Policy, tlp: int) -> None:
    result = simulate(dependent_madds(7, tlp), machine(policy))
    assert result.cycles == pytest.approx(7 * tlp * instruction_delay_cycles(MADD, tlp, 32))


@pytest.mark.parametrize("tlp", [5, 48])
def test_algorithm_5_1_oldest_first_runs_out_of_parallelism(tlp: int) -> None:
    # The oldest warp runs to its end alone on the unit, so that the last ones have fewer left to overlap with.
    result = simulate(dependent_madds(7, tlp), machine("oldest first"))
    assert result.cycles > 7 * tlp * instruction_delay_cycles(MADD, tlp, 32)
    assert result.cycles < 7 * tlp * 22.0


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("warps", [1, 8, 33])
@pytest.mark.parametrize("memory_units", [1, 64])
@pytest.mark.parametrize("transactions", [1, 32])
def test_algorithm_5_1_gives_eq_4_6_for_one_request_each(
    policy: Policy, warps: int, memory_units: int, transactions: int
) -> None:
    if policy == "in turn":
        memory_units = 64
    penalty = global_penalty_cycles(128, transactions, 64.0)
    trace = Trace((Operation("memory", 1.0, 500.0, (0.0, 0.0, 0.0, penalty)),), 1, warps)
    expected = warps * memory_delay_cycles(500.0, penalty, warps)
    assert simulate(trace, machine(policy, memory_units=memory_units)).cycles == pytest.approx(expected)
