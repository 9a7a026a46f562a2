"""A better machine is never slower, times stay above their lower bounds, idle time is a share of the whole."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.simulation.machine import Machine, Policy
from warplens.analysis.simulation.operation import PIPES, Operation, Trace
from warplens.analysis.simulation.simulate import simulate
from warplens.analysis.simulation.views import IdleTime, Timeline, WarpTime

cycles = st.one_of(st.just(0.0), st.floats(0.01, 1000.0))
counts = st.sampled_from((0.3, 1.0, 2.0, 128.0))


@st.composite
def operations(draw: st.DrawFn) -> Operation:
    match draw(st.sampled_from(("compute", "memory", "memory", "sync"))):
        case "compute":
            return Operation("compute", draw(counts), draw(cycles), (draw(cycles), 0.0, 0.0, 0.0))
        case "memory":
            pipes = (draw(cycles), draw(cycles), draw(cycles), draw(cycles))
            return Operation("memory", draw(counts), draw(cycles), pipes)
        case _:
            return Operation("sync", 1.0, 0.0, (0.0, 0.0, 0.0, 0.0))


traces = st.builds(
    Trace,
    st.lists(operations(), max_size=8).map(tuple),
    st.integers(1, 6),
    st.one_of(st.integers(0, 12).map(float), st.floats(0.0, 50.0)),
)
machines = st.builds(
    Machine,
    compute_units=st.integers(1, 5),
    memory_units=st.integers(1, 40),
    resident_warps=st.integers(1, 24),
    resident_blocks=st.integers(1, 5),
    simulated_warps=st.integers(1, 60),
)
POLICIES: tuple[Policy, ...] = ("in turn", "fifo", "loose round robin", "oldest first")


def faster(operation: Operation, pipe: int, factor: float) -> Operation:
    """The same operation where one pipe has more bandwidth."""
    pipes = list(operation.pipe_cycles)
    pipes[pipe] *= factor
    return replace(operation, pipe_cycles=(pipes[0], pipes[1], pipes[2], pipes[3]))


@given(traces, machines, st.integers(0, len(PIPES) - 1), st.floats(0.0, 1.0))
def test_more_bandwidth_or_throughput_is_never_slower(trace: Trace, machine: Machine, pipe: int, factor: float) -> None:
    better = replace(trace, operations=tuple(faster(operation, pipe, factor) for operation in trace.operations))
    assert simulate(better, machine).cycles <= simulate(trace, machine).cycles * (1 + 1e-9)


@given(traces, machines, st.integers(0, 7), st.floats(0.0, 1.0))
def test_a_shorter_latency_of_one_operation_is_never_slower(
    trace: Trace, machine: Machine, index: int, factor: float
) -> None:
    better = replace(
        trace,
        operations=tuple(
            replace(operation, delay_cycles=operation.delay_cycles * factor) if i == index else operation
            for i, operation in enumerate(trace.operations)
        ),
    )
    assert simulate(better, machine).cycles <= simulate(trace, machine).cycles * (1 + 1e-9)


@given(traces, machines, st.floats(0.01, 1.0))
def test_a_higher_clock_scales_what_is_counted_in_cycles_only(trace: Trace, machine: Machine, factor: float) -> None:
    # Cycles of a faster clock are shorter, DRAM keeps its seconds: relative to compute, its cycles grow.
    slow = replace(trace, operations=tuple(operation.times(1 / factor) for operation in trace.operations))
    quick = replace(
        trace,
        operations=tuple(
            replace(operation, pipe_cycles=(*operation.pipe_cycles[:3], operation.pipe_cycles[3] / factor))
            for operation in trace.operations
        ),
    )
    slow = replace(
        slow,
        operations=tuple(
            replace(after, count=before.count) for before, after in zip(trace.operations, slow.operations, strict=True)
        ),
    )
    assert simulate(quick, machine).cycles <= simulate(slow, machine).cycles * (1 + 1e-9)


@given(traces, machines, st.sampled_from(POLICIES))
def test_never_below_the_lower_bounds(trace: Trace, machine: Machine, policy: Policy) -> None:
    result = simulate(trace, replace(machine, policy=policy))
    if not trace.operations or not trace.blocks_per_sm:
        assert result.cycles == 0.0
        return
    assert 0.0 <= result.cycles < float("inf")
    if policy == "in turn":
        alone = sum(operation.delay_cycles for operation in trace.operations)
        assert result.simulated_cycles >= alone * (1 - 1e-9)
        for busy in trace.pipe_cycles_per_warp:
            assert result.simulated_cycles >= busy * result.simulated_warps * (1 - 1e-9)


@given(traces, machines)
def test_never_above_one_warp_after_the_other(trace: Trace, machine: Machine) -> None:
    machine = replace(machine, compute_units=1)
    serial = sum(
        operation.delay_cycles / min(1.0, operation.count) + sum(operation.pipe_cycles)
        for operation in trace.operations
    )
    result = simulate(trace, machine)
    assert result.simulated_cycles <= serial * result.simulated_warps * (1 + 1e-9)


@given(traces, machines, st.sampled_from(POLICIES))
def test_idle_shares_are_parts_of_the_time(trace: Trace, machine: Machine, policy: Policy) -> None:
    idle = IdleTime(trace)
    timeline = Timeline(trace)
    warp_time = WarpTime(trace)
    result = simulate(trace, replace(machine, policy=policy), (idle, timeline, warp_time))
    shares = idle.shares(result.simulated_cycles)
    assert len(shares) == len(trace.operations)
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert sum(shares) <= 1 + 1e-9
    assert all(
        share == 0.0 for share, operation in zip(shares, trace.operations, strict=True) if operation.kind != "memory"
    )
    assert all(span.begin_cycles <= span.end_cycles <= result.simulated_cycles * (1 + 1e-9) for span in timeline.spans)
    assert sum(warp_time.warp_cycles.values()) <= result.simulated_cycles * machine.resident_warps * 6 * (1 + 1e-9)


@given(traces, machines, st.sampled_from(POLICIES))
def test_every_warp_does_every_operation_in_order(trace: Trace, machine: Machine, policy: Policy) -> None:
    timeline = Timeline(trace)
    result = simulate(trace, replace(machine, policy=policy), (timeline,))
    seen: dict[int, list[tuple[int, float, float]]] = {}
    for span in timeline.spans:
        seen.setdefault(span.warp, []).append((span.operation, span.begin_cycles, span.end_cycles))
    shown = [i for i, operation in enumerate(trace.operations) if policy == "in turn" or operation.kind != "sync"]
    assert len(seen) == (result.simulated_warps if shown else 0)
    for spans in seen.values():
        assert sorted(operation for operation, _, _ in spans) == shown
        in_order = sorted(spans)
        assert all(before[2] <= after[1] for before, after in pairwise(in_order))


@pytest.mark.parametrize("policy", ["fifo", "loose round robin", "oldest first"])
@given(traces, st.integers(1, 4))
def test_listening_changes_nothing(policy: Policy, trace: Trace, units: int) -> None:
    machine = Machine(units, units, 16, 4, 32, policy)
    assert simulate(trace, machine, (IdleTime(trace),)) == simulate(trace, machine)
