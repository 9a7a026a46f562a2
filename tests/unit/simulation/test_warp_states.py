"""The timeline of warps: states add up to the simulated time, and what is cut is said."""

from itertools import pairwise

import pytest
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.simulation.machine import Machine
from warplens.analysis.simulation.operation import BARRIER, Operation, Trace
from warplens.analysis.simulation.simulate import simulate
from warplens.analysis.simulation.warp_states import INTERVALS_SHOWN, WARPS_SHOWN, WarpStates, WarpTimeline

COMPUTE = Operation("compute", 1.0, 4.0, (2.0, 0.0, 0.0, 0.0))
LOAD = Operation("memory", 1.0, 100.0, (0.0, 0.0, 0.0, 10.0), access=NodeId(7))


def timeline_of(trace: Trace, warps: int, blocks: int) -> WarpTimeline:
    states = WarpStates(trace, warps)
    machine = Machine(1, warps, warps, blocks, simulated_warps=4 * warps)
    result = simulate(trace, machine, (states,))
    return states.timeline(result.simulated_cycles, result.simulated_warps)


def test_one_warp_computes_and_waits_for_its_data() -> None:
    timeline = timeline_of(Trace((COMPUTE, LOAD, COMPUTE), 1, 1), 1, 1)
    assert [(i.state, i.begin_cycles, i.end_cycles, i.access) for i in timeline.intervals] == [
        ("computes", 0.0, 4.0, None),
        ("waits for data", 4.0, 114.0, NodeId(7)),
        ("computes", 114.0, 118.0, None),
    ]
    assert timeline.simulated_cycles == timeline.shown_cycles == 118.0
    assert dict(timeline.shares)["computes"] == pytest.approx(8 / 118)


def test_requests_queue_for_bandwidth_behind_those_of_other_warps() -> None:
    timeline = timeline_of(Trace((LOAD,), 1, 3), 3, 3)
    waits = {i.place: i.end_cycles - i.begin_cycles for i in timeline.intervals if i.state == "waits for bandwidth"}
    # Each request takes 10 cycles of the memory; the first has it for itself.
    assert waits == {1: 10.0, 2: 20.0}
    assert {i.end_cycles - i.begin_cycles for i in timeline.intervals if i.state == "waits for data"} == {110.0}


def test_a_barrier_is_waited_at_until_the_last_warp_of_the_block() -> None:
    timeline = timeline_of(Trace((LOAD, BARRIER), 2, 1), 2, 1)
    assert [(i.place, i.begin_cycles, i.end_cycles) for i in timeline.intervals if i.state == "waits at a barrier"] == [
        (0, 110.0, 120.0)
    ]


@pytest.mark.parametrize(("warps_per_block", "blocks"), [(1, 7), (4, 9), (8, 64)])
def test_a_place_is_never_in_two_states_and_shares_are_of_the_whole_time(warps_per_block: int, blocks: int) -> None:
    trace = Trace((COMPUTE, LOAD, BARRIER, COMPUTE, LOAD), warps_per_block, blocks)
    timeline = timeline_of(trace, 8 * warps_per_block, 8)
    for place in timeline.places:
        mine = [i for i in timeline.intervals if i.place == place]
        assert all(a.end_cycles <= b.begin_cycles for a, b in pairwise(mine))
        assert all(i.warp % timeline.resident_warps == place for i in mine)
    assert 0 < sum(share for _, share in timeline.shares) <= 1 + 1e-9
    if timeline.places == tuple(range(timeline.resident_warps)) and timeline.shown_cycles == timeline.simulated_cycles:
        whole = timeline.resident_warps * timeline.simulated_cycles
        for state, share in timeline.shares:
            drawn = sum(i.end_cycles - i.begin_cycles for i in timeline.intervals if i.state == state)
            assert drawn / whole == pytest.approx(share)


def test_a_long_simulation_is_cut_after_a_cycle_that_every_place_reaches() -> None:
    trace = Trace((COMPUTE, LOAD) * 200, 1, 64)
    timeline = timeline_of(trace, 64, 64)
    assert len(timeline.places) <= WARPS_SHOWN
    assert len(timeline.intervals) <= INTERVALS_SHOWN + len(timeline.places)
    assert timeline.shown_cycles < timeline.simulated_cycles
    ends = {max(i.end_cycles for i in timeline.intervals if i.place == place) for place in timeline.places}
    assert ends == {timeline.shown_cycles}
