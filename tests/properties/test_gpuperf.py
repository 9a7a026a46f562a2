"""GPUPerf's equations on any input: the stack adds up, no number is absurd, a removed overhead is worth its term."""

from __future__ import annotations

from dataclasses import fields, replace
from math import inf, isfinite

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from warplens.analysis.models.gpuperf.gpuperf import GpuPerfInputs, GpuPerfResult, execution_time, gpuperf

counts = st.one_of(st.just(0.0), st.floats(1e-3, 1e12))
at_least_one = st.one_of(st.just(1.0), st.floats(1.0, 1e6))
positive = st.floats(1e-3, 1e6)
widths = st.sampled_from((4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 192.0, 21.3))


@st.composite
def inputs(draw: st.DrawFn) -> GpuPerfInputs:
    insts = draw(counts)
    simd_width = draw(widths)
    fp_insts = insts * draw(st.floats(0.0, 1.0))
    return GpuPerfInputs(
        insts=insts,
        mem_insts=insts * draw(st.floats(0.0, 1.0)),
        sfu_insts=insts * draw(st.floats(0.0, 1.0)),
        sync_insts=insts * draw(st.floats(0.0, 1.0)),
        fp_insts=fp_insts,
        divergent_insts=draw(counts),
        bank_replay_cycles=draw(counts),
        warps_per_sm=draw(counts),
        resident_warps=draw(st.integers(1, 64)) * 1.0,
        active_sms=draw(st.one_of(st.just(0.0), at_least_one)),
        ilp=draw(at_least_one),
        mlp=draw(at_least_one),
        avg_inst_lat=draw(st.one_of(st.just(0.0), positive)),
        warp_size=draw(st.sampled_from((32.0, 64.0))),
        simd_width=simd_width,
        sfu_width=draw(widths),
        fp_width=draw(st.floats(1.0, 1024.0)),
        sync_factor=draw(st.sampled_from((0.0, 64.0))),
        dram_lat=draw(positive),
        departure_delay=draw(positive),
        trans_per_request=draw(st.floats(1.0, 64.0)),
        miss_ratio=draw(st.floats(0.0, 1.0)),
        hit_lat=draw(st.one_of(st.just(0.0), positive)),
        bandwidth_bytes_per_cycle=draw(positive),
        bytes_per_request=draw(counts),
        least_bytes=draw(counts),
        busy_mem_cycles=draw(counts),
        most_sync_cycles=draw(st.one_of(st.just(inf), counts)),
    )


def value(result: GpuPerfResult, name: str) -> float:
    return float(np.asarray(getattr(result, name)))


@given(inputs())
def test_every_term_is_finite_and_not_negative(given_inputs: GpuPerfInputs) -> None:
    result = gpuperf(given_inputs)
    names = [field.name for field in fields(result)] + ["w_serial", "b_serial", "t_comp", "t_exec"]
    for name in names:
        assert isfinite(value(result, name)), name
        assert value(result, name) >= 0, name
    assert value(result, "f_overlap") <= 1
    assert value(result, "mwp") <= given_inputs.resident_warps
    assert value(result, "cwp") <= given_inputs.resident_warps


@given(inputs())
def test_the_stack_is_t_comp(given_inputs: GpuPerfInputs) -> None:
    result = gpuperf(given_inputs)
    stack = value(result, "t_fp") + value(result, "b_fp") + value(result, "b_itilp") + value(result, "b_serial")
    assert value(result, "t_comp") == stack
    assert stack == pytest.approx(value(result, "w_parallel") + value(result, "w_serial"), rel=1e-9)


@given(inputs())
def test_time_lies_between_the_longer_of_both_and_their_sum(given_inputs: GpuPerfInputs) -> None:
    result = gpuperf(given_inputs)
    t_comp, t_mem, t_exec = (value(result, name) for name in ("t_comp", "t_mem", "t_exec"))
    assert max(t_comp, t_mem) * (1 - 1e-12) <= t_exec <= (t_comp + t_mem) * (1 + 1e-12)
    assert t_mem >= value(result, "t_mem_alone") * (1 - 1e-12)
    assert t_mem >= given_inputs.busy_mem_cycles


@given(inputs())
def test_without_overheads_the_launch_gains_no_more_than_b_serial(given_inputs: GpuPerfInputs) -> None:
    result = gpuperf(given_inputs)
    free = gpuperf(replace(given_inputs, sync_insts=0.0, sfu_insts=0.0, divergent_insts=0.0, bank_replay_cycles=0.0))
    assert value(free, "b_serial") == 0
    gained = value(result, "t_exec") - value(free, "t_exec")
    assert -1e-9 * value(result, "t_exec") <= gained <= value(result, "b_serial") + 1e-9 * value(result, "t_exec")


@given(inputs())
def test_with_latency_hidden_the_launch_gains_no_more_than_b_itilp(given_inputs: GpuPerfInputs) -> None:
    given_inputs = replace(given_inputs, divergent_insts=0.0)
    result = gpuperf(given_inputs)
    hidden = gpuperf(replace(given_inputs, ilp=1e12))
    # Where computation holds back the requests (eq. 15), faster computation shortens T_mem too.
    assume(value(result, "t_mem") == value(hidden, "t_mem"))
    assume(value(result, "f_overlap") == value(hidden, "f_overlap"))
    gained = value(result, "t_exec") - value(hidden, "t_exec")
    assert gained <= value(result, "b_itilp") + 1e-9 * value(result, "t_exec")


@given(inputs())
def test_memory_at_its_least_gains_b_memlp_at_least(given_inputs: GpuPerfInputs) -> None:
    result = gpuperf(given_inputs)
    t_mem_min = min(value(result, "t_mem"), value(result, "t_mem_min"))
    least = float(execution_time(value(result, "t_comp"), t_mem_min, result.f_overlap))
    gained = value(result, "t_exec") - least
    assert gained >= value(result, "b_memlp") - 1e-9 * value(result, "t_exec")


@given(inputs(), st.sampled_from(("mem_insts", "insts", "warps_per_sm")))
def test_nothing_to_do_takes_no_time_of_that_kind(given_inputs: GpuPerfInputs, what: str) -> None:
    idle = replace(given_inputs, busy_mem_cycles=0.0, divergent_insts=0.0, bank_replay_cycles=0.0)
    result = gpuperf(replace(idle, **{what: 0.0, "mem_insts": 0.0, "sync_insts": 0.0, "sfu_insts": 0.0}))
    assert value(result, "t_mem") == 0
    if what != "mem_insts":
        assert value(result, "t_exec") == 0


@given(st.lists(inputs(), min_size=1, max_size=5))
def test_columns_are_their_rows(rows: list[GpuPerfInputs]) -> None:
    columns = {field.name: np.array([getattr(row, field.name) for row in rows]) for field in fields(GpuPerfInputs)}
    together = np.asarray(gpuperf(GpuPerfInputs(**columns)).t_exec)
    assert together == pytest.approx(np.array([value(gpuperf(row), "t_exec") for row in rows]), rel=1e-12)
