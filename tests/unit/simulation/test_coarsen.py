import pytest
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.simulation.coarsen import LONGEST_TRACE, coarsen
from warplens.analysis.simulation.machine import Machine
from warplens.analysis.simulation.operation import Operation, Trace
from warplens.analysis.simulation.simulate import simulate

SYNC = Operation("sync", 1.0, 0.0, (0.0, 0.0, 0.0, 0.0))


def body(requests: int) -> list[Operation]:
    result = []
    for number in range(requests):
        result.append(Operation("compute", 3.0, 12.0, (2.0, 0.0, 0.0, 0.0), NodeId(number)))
        result.append(Operation("memory", 1.0, 400.0 + number, (0.0, 1.0, 2.0, 3.0), NodeId(number), NodeId(number)))
    return result


def test_a_short_trace_stays_as_it_is() -> None:
    operations = tuple(body(LONGEST_TRACE // 2))
    assert coarsen(operations) == operations


@pytest.mark.parametrize("requests", [49, 100, 1000])
def test_a_long_trace_keeps_its_work(requests: int) -> None:
    operations = [*body(requests), SYNC, *body(7)]
    short = coarsen(operations)
    assert len(short) <= LONGEST_TRACE + 6
    assert [operation for operation in short if operation.kind == "sync"] == [SYNC]
    for kind in ("compute", "memory"):
        before = [operation for operation in operations if operation.kind == kind]
        after = [operation for operation in short if operation.kind == kind]
        assert sum(o.count for o in after) == pytest.approx(sum(o.count for o in before))
        assert sum(o.delay_cycles for o in after) == pytest.approx(sum(o.delay_cycles for o in before))
    assert Trace(short, 1, 1).pipe_cycles_per_warp == pytest.approx(Trace(tuple(operations), 1, 1).pipe_cycles_per_warp)


def test_a_sum_of_requests_is_named_after_the_longest() -> None:
    short = coarsen(body(200), longest=4)
    named = [operation.access for operation in short if operation.kind == "memory"]
    assert named[-1] == NodeId(199)


@pytest.mark.parametrize("blocks", [1, 8, 64])
def test_the_time_hardly_changes(blocks: int) -> None:
    machine = Machine(4, 64, 64, 32, simulated_warps=64)
    full = simulate(Trace(tuple(body(300)), 2, blocks), machine).cycles
    short = simulate(Trace(coarsen(body(300)), 2, blocks), machine).cycles
    assert short == pytest.approx(full, rel=0.1)
