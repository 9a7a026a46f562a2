"""Algorithm 5.1: queues, units, policies, barriers, extrapolation."""

import pytest
from warplens.analysis.simulation.machine import Machine, Policy
from warplens.analysis.simulation.operation import Operation, Trace
from warplens.analysis.simulation.simulate import simulate
from warplens.analysis.simulation.views import IdleTime, Timeline

DYNAMIC: tuple[Policy, ...] = ("fifo", "loose round robin", "oldest first")
ALL: tuple[Policy, ...] = ("in turn", *DYNAMIC)


def compute(cycles: float, issue: float = 0.0) -> Operation:
    return Operation("compute", 1.0, cycles, (issue, 0.0, 0.0, 0.0))


def memory(cycles: float, penalty: float = 0.0) -> Operation:
    return Operation("memory", 1.0, cycles, (0.0, 0.0, 0.0, penalty))


SYNC = Operation("sync", 1.0, 0.0, (0.0, 0.0, 0.0, 0.0))


def machine(policy: Policy, units: int = 1, memory_units: int = 64, warps: int = 64, blocks: int = 64) -> Machine:
    return Machine(units, memory_units, warps, blocks, simulated_warps=256, policy=policy)


def order(trace: Trace, policy: Policy, operation: int) -> list[int]:
    timeline = Timeline(trace)
    simulate(trace, machine(policy), (timeline,))
    spans = [span for span in timeline.spans if span.operation == operation]
    return [span.warp for span in sorted(spans, key=lambda span: (span.end_cycles, span.warp))]


@pytest.mark.parametrize("policy", ALL)
def test_nothing_to_do_takes_no_time(policy: Policy) -> None:
    assert simulate(Trace((), 4, 10.0), machine(policy)).cycles == 0.0
    assert simulate(Trace((compute(5.0),), 4, 0.0), machine(policy)).cycles == 0.0
    assert simulate(Trace((compute(0.0), memory(0.0), SYNC), 4, 3.0), machine(policy)).cycles == 0.0


def test_policies_choose_different_warps() -> None:
    # Two computations in a row: the oldest goes on at once, the others let every warp have its first.
    trace = Trace((compute(4.0, 4.0), compute(4.0, 4.0)), 1, 3)
    assert order(trace, "oldest first", 1) == [0, 1, 2]
    ends = {}
    for policy in DYNAMIC:
        timeline = Timeline(trace)
        simulate(trace, machine(policy), (timeline,))
        ends[policy] = [span.end_cycles for span in timeline.spans if span.operation == 1]
    assert ends["oldest first"] == [8.0, 16.0, 24.0]
    assert ends["fifo"] == ends["loose round robin"] == [16.0, 20.0, 24.0]


@pytest.mark.parametrize("policy", ALL)
def test_a_barrier_holds_the_block_until_its_last_warp(policy: Policy) -> None:
    trace = Trace((memory(10.0, 5.0), SYNC, compute(1.0, 1.0)), warps_per_block=4, blocks_per_sm=2)
    timeline = Timeline(trace)
    simulate(trace, machine(policy), (timeline,))
    for block in (range(4), range(4, 8)):
        arrived = max(s.end_cycles for s in timeline.spans if s.warp in block and s.operation == 0)
        left = min(s.begin_cycles for s in timeline.spans if s.warp in block and s.operation == 2)
        assert left >= arrived


@pytest.mark.parametrize("policy", ALL)
def test_no_more_blocks_are_resident_than_fit(policy: Policy) -> None:
    trace = Trace((memory(10.0), compute(1.0)), warps_per_block=2, blocks_per_sm=5)
    timeline = Timeline(trace)
    result = simulate(trace, machine(policy, warps=5, blocks=8), (timeline,))
    events = sorted(
        event
        for span in timeline.spans
        for event in ((span.begin_cycles, 1, span.warp), (span.end_cycles, 0, span.warp))
    )
    active = most = 0
    for _, begins, _ in events:
        active += 1 if begins else -1
        most = max(most, active)
    assert most <= 4
    assert result.simulated_warps == 10


@pytest.mark.parametrize("policy", ALL)
def test_a_large_grid_is_extrapolated(policy: Policy) -> None:
    operations = (compute(3.0, 1.0), memory(40.0, 2.0), compute(2.0, 1.0))
    small = simulate(Trace(operations, 4, 64), machine(policy, warps=64))
    large = simulate(Trace(operations, 4, 64e9), machine(policy, warps=64))
    assert large.simulated_warps == small.simulated_warps == 256
    assert large.cycles == pytest.approx(small.cycles * 1e9)


@pytest.mark.parametrize("policy", ALL)
def test_memory_is_hidden_by_the_computation_of_other_warps(policy: Policy) -> None:
    operations = (compute(10.0, 10.0), memory(100.0, 1.0)) * 4
    many = simulate(Trace(operations, 1, 32), machine(policy))
    assert many.cycles < 1.2 * 32 * 4 * 10.0 + 100.0
    alone = simulate(Trace(operations, 1, 1), machine(policy))
    assert alone.cycles == pytest.approx(4 * (10.0 + 101.0))


@pytest.mark.parametrize("policy", ALL)
def test_one_warp_is_idle_while_its_memory_is_in_flight(policy: Policy) -> None:
    trace = Trace((compute(25.0), memory(75.0), memory(100.0)), 1, 1)
    idle = IdleTime(trace)
    result = simulate(trace, machine(policy), (idle,))
    assert result.cycles == pytest.approx(200.0)
    assert idle.shares(result.simulated_cycles) == pytest.approx((0.0, 0.375, 0.5))


@pytest.mark.parametrize("policy", ALL)
def test_the_slower_access_is_the_hotspot(policy: Policy) -> None:
    trace = Trace((memory(500.0, 128.0), memory(500.0, 4.0), compute(16.0, 1.0)), 8, 6)
    idle = IdleTime(trace)
    shares = idle.shares(simulate(trace, machine(policy), (idle,)).simulated_cycles)
    assert shares[0] > shares[1] > shares[2] == 0.0


def test_two_units_each_do_half_of_the_work() -> None:
    trace = Trace((compute(22.0, 2.0),) * 5, 1, 24)
    one = simulate(trace, machine("fifo", units=1))
    two = simulate(trace, machine("fifo", units=2))
    assert one.cycles == pytest.approx(5 * 24 * 2.0)
    assert two.cycles == pytest.approx(one.cycles)


def test_a_memory_unit_limits_the_requests_in_flight() -> None:
    trace = Trace((memory(100.0, 1.0),), 1, 8)
    assert simulate(trace, machine("in turn", memory_units=1)).cycles == pytest.approx(8 * 101.0)
    assert simulate(trace, machine("in turn", memory_units=4)).cycles == pytest.approx(2 * 104.0, rel=0.05)
    assert simulate(trace, machine("in turn", memory_units=8)).cycles == pytest.approx(108.0)


def test_both_formulations_agree_where_warps_stay_in_order() -> None:
    trace = Trace((compute(8.0, 2.0), memory(300.0, 9.0)) * 6, 2, 10)
    in_turn = simulate(trace, machine("in turn")).cycles
    fifo = simulate(trace, machine("fifo")).cycles
    assert fifo == pytest.approx(in_turn, rel=0.25)
