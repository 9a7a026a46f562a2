"""MWP-CWP for any inputs: always a time, never below what no schedule can beat, never slower on a faster machine."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from warplens.analysis.models.mwp_cwp.mwp_cwp import (
    COMPUTATION_BOUND,
    NO_MEMORY,
    NOT_ENOUGH_WARPS,
    MwpCwpInputs,
    MwpCwpResult,
    mwp_cwp,
    mwp_cwp_continuous,
)

counts = st.one_of(st.just(0.0), st.integers(1, 10**6).map(float), st.floats(0.01, 100.0))
cycles = st.one_of(st.just(0.0), st.floats(0.01, 2000.0))

any_inputs = st.builds(
    MwpCwpInputs,
    mem_ld_cycles=cycles,
    departure_del_uncoal_cycles=cycles,
    departure_del_coal_cycles=cycles,
    uncoal_per_mw=st.floats(1.0, 512.0),
    uncoal_mem_insts=counts,
    coal_mem_insts=counts,
    comp_insts=counts,
    synch_insts=counts,
    issue_cycles=st.one_of(st.just(0.0), st.floats(0.05, 64.0)),
    load_bytes_per_warp=st.one_of(st.just(0.0), st.floats(1.0, 32768.0)),
    freq_hz=st.floats(0.5e9, 3e9),
    mem_bandwidth_bytes_per_s=st.floats(1e9, 1e13),
    active_sms=st.integers(1, 200).map(float),
    active_blocks_per_sm=st.integers(1, 64).map(float),
    blocks=st.one_of(st.just(0.0), st.integers(1, 10**9).map(float)),
    warps_per_block=st.integers(1, 32).map(float),
)

inputs = any_inputs.filter(lambda i: i.mem_ld_cycles > 0)
"""A memory instruction waits."""


def finite(result: MwpCwpResult) -> bool:
    unlimited = {"mwp_peak_bw", "cwp_full", "case"}
    return all(
        np.isfinite(getattr(result, field.name)) and getattr(result, field.name) >= 0
        for field in fields(result)
        if field.name not in unlimited
    )


@given(any_inputs)
def test_every_number_is_finite_and_not_negative(i: MwpCwpInputs) -> None:
    for result in (mwp_cwp(i), mwp_cwp_continuous(i)):
        assert finite(result)
        assert result.computation_cycles <= result.exec_cycles
        assert result.mwp <= result.n
        assert result.cwp <= result.n
        assert (result.case == NO_MEMORY) == (i.mem_insts == 0)


@given(any_inputs)
def test_no_work_takes_no_time(i: MwpCwpInputs) -> None:
    assert mwp_cwp(replace(i, blocks=0.0)).total_cycles == 0
    nothing = replace(i, comp_insts=0.0, coal_mem_insts=0.0, uncoal_mem_insts=0.0, synch_insts=0.0)
    assert mwp_cwp_continuous(nothing).total_cycles == 0


@given(inputs)
def test_the_continuous_form_is_the_papers_where_its_cases_hold(i: MwpCwpInputs) -> None:
    paper, ours = mwp_cwp(i), mwp_cwp_continuous(i)
    if int(paper.case) in {NO_MEMORY, NOT_ENOUGH_WARPS, COMPUTATION_BOUND}:
        assert np.isclose(ours.exec_cycles, paper.exec_cycles, rtol=1e-9)
    else:
        assert ours.exec_cycles >= paper.exec_cycles * (1 - 1e-9)
        if paper.mem_cycles >= paper.comp_cycles:
            assert ours.exec_cycles <= 2 * paper.exec_cycles * (1 + 1e-9)


@given(inputs)
def test_a_barrier_makes_no_more_than_the_papers_warps_wait(i: MwpCwpInputs) -> None:
    paper, ours = mwp_cwp(i), mwp_cwp_continuous(i)
    assert ours.synch_cycles <= paper.synch_cycles
    if paper.mwp <= i.warps_per_block:
        assert ours.synch_cycles == paper.synch_cycles


@given(inputs)
def test_no_schedule_is_faster(i: MwpCwpInputs) -> None:
    result = mwp_cwp_continuous(i)
    issuing = result.comp_cycles * result.n * result.rep
    departing = result.departure_delay_cycles * i.mem_insts * result.n * result.rep
    moving = i.load_bytes_per_warp * i.mem_insts * result.n * i.active_sms / i.mem_bandwidth_bytes_per_s * i.freq_hz
    one_warp = (result.mem_cycles + result.comp_cycles) * result.rep
    assert result.exec_cycles >= max(issuing, departing, moving * result.rep, one_warp) * (1 - 1e-9)


FASTER = (
    "mem_ld_cycles",
    "departure_del_uncoal_cycles",
    "departure_del_coal_cycles",
    "uncoal_per_mw",
    "load_bytes_per_warp",
    "issue_cycles",
)


@given(inputs, st.sampled_from(FASTER), st.floats(0.05, 0.999))
def test_less_of_it_never_takes_longer(i: MwpCwpInputs, name: str, factor: float) -> None:
    better = replace(i, **{name: getattr(i, name) * factor})
    assume(better.uncoal_per_mw >= 1)
    assert mwp_cwp_continuous(better).exec_cycles <= mwp_cwp_continuous(i).exec_cycles * (1 + 1e-9)


@given(inputs, st.floats(1.001, 100.0))
def test_more_bandwidth_never_takes_longer(i: MwpCwpInputs, factor: float) -> None:
    now = mwp_cwp_continuous(i)
    then = mwp_cwp_continuous(replace(i, mem_bandwidth_bytes_per_s=i.mem_bandwidth_bytes_per_s * factor))
    assert then.exec_cycles <= now.exec_cycles * (1 + 1e-9)
    # Synchronisation is the exception: it grows with the warps that wait together, by no more than they do.
    assert then.total_cycles <= now.total_cycles * (1 + 1e-9) + then.synch_cycles - now.synch_cycles


@given(inputs, st.sampled_from((*FASTER, "mem_bandwidth_bytes_per_s")))
def test_a_small_change_makes_a_small_change(i: MwpCwpInputs, name: str) -> None:
    near = replace(i, **{name: getattr(i, name) * (1 + 1e-7)})
    assert np.isclose(mwp_cwp_continuous(near).exec_cycles, mwp_cwp_continuous(i).exec_cycles, rtol=1e-4)


@given(st.lists(inputs, min_size=1, max_size=5))
def test_a_column_is_its_rows(rows: list[MwpCwpInputs]) -> None:
    column = MwpCwpInputs(*(np.array([getattr(row, field.name) for row in rows]) for field in fields(MwpCwpInputs)))
    together = mwp_cwp_continuous(column)
    for index, row in enumerate(rows):
        alone = mwp_cwp_continuous(row)
        assert together.case[index] == alone.case
        assert np.isclose(np.asarray(together.total_cycles)[index], alone.total_cycles, rtol=1e-12)


def streaming(comp_cycles: float, mem_insts: float, departure_cycles: float) -> MwpCwpInputs:
    """32 warps, all of them resident; a memory instruction takes 300 cycles."""
    return MwpCwpInputs(
        mem_ld_cycles=300.0,
        departure_del_uncoal_cycles=0.0,
        departure_del_coal_cycles=departure_cycles,
        uncoal_per_mw=1.0,
        uncoal_mem_insts=0.0,
        coal_mem_insts=mem_insts,
        comp_insts=0.0,
        synch_insts=0.0,
        issue_cycles=comp_cycles / mem_insts,
        load_bytes_per_warp=0.0,
        freq_hz=1e9,
        mem_bandwidth_bytes_per_s=1e11,
        active_sms=1.0,
        active_blocks_per_sm=4.0,
        blocks=4.0,
        warps_per_block=8.0,
    )


@pytest.mark.parametrize(("comp_cycles", "cwp", "jump"), [(100.0, 4.0, 35 / 27), (300.0, 2.0, 33 / 17)])
def test_the_papers_cases_jump_where_mwp_passes_cwp(comp_cycles: float, cwp: float, jump: float) -> None:
    # A memory that takes requests a trifle faster is slower by up to twice.
    below, above = (streaming(comp_cycles, 1.0, 300.0 / (cwp * factor)) for factor in (1 - 1e-9, 1 + 1e-9))
    assert mwp_cwp(below).cwp == cwp
    assert mwp_cwp(above).exec_cycles / mwp_cwp(below).exec_cycles == pytest.approx(jump, rel=1e-6)
    assert mwp_cwp_continuous(above).exec_cycles == pytest.approx(mwp_cwp_continuous(below).exec_cycles, rel=1e-6)


def test_the_papers_cases_jump_where_computation_passes_memory() -> None:
    # A trifle more computation is faster tenfold, and faster than the SM can issue it.
    below, above = (streaming(100 * 300.0 * factor, 100.0, 10.0) for factor in (1 - 1e-9, 1 + 1e-9))
    assert mwp_cwp(below).exec_cycles / mwp_cwp(above).exec_cycles > 10
    assert mwp_cwp(above).exec_cycles < 0.1 * mwp_cwp(above).comp_cycles * mwp_cwp(above).n
    assert mwp_cwp_continuous(above).exec_cycles == pytest.approx(mwp_cwp_continuous(below).exec_cycles, rel=1e-6)


@given(inputs, st.sampled_from((1e-3, 1e-6)))
def test_a_memory_instruction_of_few_warps_costs_no_more_than_all_of_it(i: MwpCwpInputs, share: float) -> None:
    none = replace(i, uncoal_mem_insts=0.0, coal_mem_insts=0.0)
    rare = mwp_cwp_continuous(replace(none, coal_mem_insts=share))
    without, n = mwp_cwp_continuous(none), rare.n
    longest = rare.comp_cycles * n + np.maximum(1.0, n / np.maximum(rare.mwp, 1e-30)) * rare.mem_cycles
    assert without.exec_cycles <= rare.exec_cycles * (1 + 1e-9)
    assert rare.exec_cycles <= longest * rare.rep * (1 + 1e-9)
