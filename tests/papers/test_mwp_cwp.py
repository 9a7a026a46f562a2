"""Worked numbers of S. Hong, H. Kim, "An analytical model for a GPU architecture ...", ISCA 2009."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from warplens.analysis.models.mwp_cwp.mwp_cwp import (
    COMPUTATION_BOUND,
    MEMORY_BOUND,
    NO_MEMORY,
    NOT_ENOUGH_WARPS,
    MwpCwpInputs,
    MwpCwpResult,
    memory_bound_cycles,
    mwp_cwp,
    mwp_cwp_continuous,
    synch_cycles,
)

TABLE_2 = MwpCwpInputs(
    mem_ld_cycles=420,
    departure_del_uncoal_cycles=10,
    departure_del_coal_cycles=4,
    uncoal_per_mw=32,
    uncoal_mem_insts=6,
    coal_mem_insts=0,
    comp_insts=27,
    synch_insts=6,
    issue_cycles=4,
    load_bytes_per_warp=128,
    freq_hz=1e9,
    mem_bandwidth_bytes_per_s=80e9,
    active_sms=16,
    active_blocks_per_sm=5,
    blocks=80,
    warps_per_block=4,
)


@dataclass(frozen=True)
class Machine:
    """Columns of tables 3 and 6; the paper gives the 8800s the FX5600's memory parameters."""

    sms: int
    freq_hz: float
    bandwidth_bytes_per_s: float
    departure_del_uncoal_cycles: float
    mem_ld_cycles: float
    uncoal_per_mw: int | None
    max_warps_per_sm: int


MACHINES = {
    "8800GTX": Machine(16, 1.35e9, 86.4e9, 10, 420, 32, 24),
    "FX5600": Machine(16, 1.35e9, 76.8e9, 10, 420, 32, 24),
    "8800GT": Machine(14, 1.5e9, 57.6e9, 10, 420, 32, 24),
    "GTX280": Machine(30, 1.3e9, 141.7e9, 40, 450, None, 32),
}
"""GTX280's transactions per memory instruction are in the technical report only."""


@dataclass(frozen=True)
class Application:
    """A row of table 5: instructions of a thread."""

    comp_insts: float
    mem_insts: float
    coalesced: bool = False


APPLICATIONS = {
    "Sepia": Application(71, 6),
    "Linear": Application(111, 30),
    "SVM": Application(10871, 819, coalesced=True),
    "Mat. naive": Application(12043, 4001),
    "Mat. tiled": Application(9780, 201),
    "Blackscholes": Application(137, 7),
}


def on_machine(app: Application, machine: Machine, warps_per_block: int = 4, blocks_per_sm: int = 6) -> MwpCwpResult:
    return mwp_cwp(
        MwpCwpInputs(
            mem_ld_cycles=machine.mem_ld_cycles,
            departure_del_uncoal_cycles=machine.departure_del_uncoal_cycles,
            departure_del_coal_cycles=4,
            uncoal_per_mw=machine.uncoal_per_mw or 1,
            uncoal_mem_insts=0 if app.coalesced else app.mem_insts,
            coal_mem_insts=app.mem_insts if app.coalesced else 0,
            comp_insts=app.comp_insts,
            synch_insts=0,
            issue_cycles=4,
            load_bytes_per_warp=128,
            freq_hz=machine.freq_hz,
            mem_bandwidth_bytes_per_s=machine.bandwidth_bytes_per_s,
            active_sms=machine.sms,
            active_blocks_per_sm=blocks_per_sm,
            blocks=machine.sms * blocks_per_sm * 10,
            warps_per_block=warps_per_block,
        )
    )


def figure(warps: int, mwp: int, comp_cycles: float, mem_cycles: float, mem_insts: int = 1) -> MwpCwpInputs:
    """A timeline of section 3.2: `comp_cycles` and `mem_cycles` are of one period each; MWP is set by departures."""
    return MwpCwpInputs(
        mem_ld_cycles=mem_cycles,
        departure_del_uncoal_cycles=0,
        departure_del_coal_cycles=mem_cycles / mwp,
        uncoal_per_mw=1,
        uncoal_mem_insts=0,
        coal_mem_insts=mem_insts,
        comp_insts=0,
        synch_insts=0,
        issue_cycles=comp_cycles,
        load_bytes_per_warp=0,
        freq_hz=1e9,
        mem_bandwidth_bytes_per_s=1e9,
        active_sms=1,
        active_blocks_per_sm=1,
        blocks=1,
        warps_per_block=warps,
    )


def test_table_2_step_by_step() -> None:
    result = mwp_cwp(TABLE_2)
    assert result.mem_l_cycles == 730
    assert result.departure_delay_cycles == 320
    assert result.mwp_without_bw == 2.28125
    assert result.mwp_peak_bw == pytest.approx(28.5156, abs=1e-4)
    assert result.mwp == 2.28125
    assert result.comp_cycles == 132
    assert result.mem_cycles == 4380
    assert result.cwp_full == pytest.approx(34.18, abs=5e-3)
    assert result.cwp == result.n == 20
    assert result.rep == 1
    assert result.case == MEMORY_BOUND
    assert result.exec_cycles == pytest.approx(38428.19, abs=5e-3)
    assert result.synch_cycles == pytest.approx(12300.0)
    assert result.total_cycles == pytest.approx(50728.19, abs=5e-3)


def test_table_2_with_the_papers_rounding_of_mwp() -> None:
    # 38449.2: the paper prints it to the ten.
    rounded = round(float(memory_bound_cycles(4380, 132 / 6, 20, 2.28)), -1)
    synch = synch_cycles(320, 2.28, 6, 5, 1)
    assert rounded == 38450
    assert synch == pytest.approx(12288)
    assert rounded + synch == pytest.approx(50738)


def test_table_2_bandwidth_with_the_papers_rounding() -> None:
    per_warp_0_175 = replace(TABLE_2, freq_hz=0.175e9 * 730 / 128)
    assert mwp_cwp(per_warp_0_175).mwp_peak_bw == pytest.approx(28.57, abs=5e-3)


def test_table_2_cpi_is_cycles_over_the_instructions_of_an_sm() -> None:
    # 33 instructions, 4 warps per block, 5 blocks per SM (equation 25).
    assert mwp_cwp(TABLE_2).cpi == pytest.approx(38428.19 / (33 * 4 * 5), rel=1e-6)


def test_repetitions_of_section_3_4_1() -> None:
    assert mwp_cwp(replace(TABLE_2, blocks=40, active_sms=4, active_blocks_per_sm=2)).rep == 5


def test_a_column_gives_each_row_what_a_number_gives() -> None:
    blocks_per_sm = np.array([1.0, 2.0, 5.0, 8.0])
    mem_insts = np.array([0.0, 1.0, 6.0, 6.0])
    together = mwp_cwp(replace(TABLE_2, active_blocks_per_sm=blocks_per_sm, uncoal_mem_insts=mem_insts))
    for row, (blocks, insts) in enumerate(zip(blocks_per_sm, mem_insts, strict=True)):
        alone = mwp_cwp(replace(TABLE_2, active_blocks_per_sm=float(blocks), uncoal_mem_insts=float(insts)))
        assert np.asarray(together.total_cycles)[row] == alone.total_cycles
        assert together.case[row] == alone.case


def test_case_1_of_figure_5() -> None:
    # Eight warps, MWP 2, CWP 4: four waiting periods. Equation 1 and the figure count MWP computation periods, 23
    # counts MWP - 1.
    result = mwp_cwp(figure(8, 2, comp_cycles=100, mem_cycles=300))
    assert (result.mwp, result.cwp, result.case) == (2, 4, MEMORY_BOUND)
    assert result.exec_cycles == 4 * 300 + (2 - 1) * 100


def test_case_2_of_figure_5_takes_as_long_as_case_1() -> None:
    one = mwp_cwp(figure(8, 2, comp_cycles=100, mem_cycles=300))
    two = mwp_cwp(figure(4, 2, comp_cycles=100, mem_cycles=300, mem_insts=2))
    assert two.exec_cycles == one.exec_cycles


def test_case_3_of_figure_6() -> None:
    result = mwp_cwp(figure(16, 8, comp_cycles=100, mem_cycles=300))
    assert (result.mwp, result.cwp, result.case) == (8, 4, COMPUTATION_BOUND)
    assert result.exec_cycles == 16 * 100 + 300


def test_case_4_of_figure_6_takes_one_waiting_period_and_all_computation() -> None:
    result = mwp_cwp(figure(16, 8, comp_cycles=100, mem_cycles=300, mem_insts=2))
    assert result.case == COMPUTATION_BOUND
    assert result.exec_cycles == 16 * 2 * 100 + 300


def test_case_5_of_figure_7_is_where_text_and_equations_differ() -> None:
    # Text: eight computation periods and a waiting period. The condition printed with equation 23 takes it first.
    inputs = figure(8, 8, comp_cycles=300, mem_cycles=100)
    to_the_letter, continuous = mwp_cwp(inputs), mwp_cwp_continuous(inputs)
    assert to_the_letter.cwp < 2
    assert (to_the_letter.case, to_the_letter.exec_cycles) == (MEMORY_BOUND, 7 * 300 + 100)
    assert (continuous.case, continuous.exec_cycles) == (COMPUTATION_BOUND, 8 * 300 + 100)


@pytest.mark.parametrize(("warps", "cycles"), [(1, 300 + 100), (2, 300 + 100 + 100)])
def test_cases_6_and_7_of_figure_8(warps: int, cycles: float) -> None:
    result = mwp_cwp(figure(warps, 4, comp_cycles=100, mem_cycles=300))
    assert (result.mwp, result.cwp, result.case) == (warps, warps, NOT_ENOUGH_WARPS)
    assert result.exec_cycles == cycles


def test_the_first_micro_benchmark_has_no_memory_instruction() -> None:
    result = on_machine(Application(23 * 1000, 0), MACHINES["FX5600"])
    assert result.case == NO_MEMORY
    assert result.cpi == pytest.approx(4)


@pytest.mark.parametrize("machine", ["8800GTX", "FX5600", "8800GT"])
@pytest.mark.parametrize("app", [name for name in APPLICATIONS if name != "SVM"])
def test_uncoalesced_applications_are_limited_by_departure_delay(app: str, machine: str) -> None:
    # Section 5.2: it "makes all other applications never reach the peak memory bandwidth".
    result = on_machine(APPLICATIONS[app], MACHINES[machine])
    assert result.mwp == result.mwp_without_bw == 2.28125
    assert result.mwp < result.mwp_peak_bw
    assert result.case == MEMORY_BOUND


@pytest.mark.parametrize("machine", ["8800GTX", "FX5600", "8800GT"])
def test_svm_has_the_highest_mwp_and_the_lowest_cpi(machine: str) -> None:
    results = {name: on_machine(app, MACHINES[machine]) for name, app in APPLICATIONS.items()}
    assert max(results, key=lambda name: float(results[name].mwp)) == "SVM"
    assert min(results, key=lambda name: float(results[name].cpi)) == "SVM"


def test_svm_has_higher_mwp_and_cwp_than_the_tiled_product() -> None:
    svm = on_machine(APPLICATIONS["SVM"], MACHINES["FX5600"])
    # A tile of 20 x 20 threads: 13 warps in the only block that the registers leave room for.
    tiled = on_machine(APPLICATIONS["Mat. tiled"], MACHINES["FX5600"], warps_per_block=13, blocks_per_sm=1)
    assert svm.mwp > tiled.mwp
    assert svm.cwp > tiled.cwp


def test_the_8800gt_has_the_least_bandwidth_and_with_it_the_highest_cpi() -> None:
    streaming = Application(10, 10, coalesced=True)
    cpi = {name: float(on_machine(streaming, machine).cpi) for name, machine in MACHINES.items()}
    assert max(cpi, key=cpi.__getitem__) == "8800GT"


@pytest.mark.parametrize("app", ["Sepia", "Linear", "Mat. naive", "Blackscholes"])
def test_cpi_of_uncoalesced_loads_grows_with_their_number(app: str) -> None:
    # Section 5.1: "for uncoalesced load cases, the cost of load instructions linearly increases".
    known = APPLICATIONS[app]
    cpi = [
        float(on_machine(replace(known, mem_insts=known.mem_insts * factor), MACHINES["FX5600"]).cpi)
        for factor in (1, 2, 4)
    ]
    assert cpi == sorted(cpi)
