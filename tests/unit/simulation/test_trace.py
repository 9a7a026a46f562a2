"""The trace of a kernel: delays, loops, branches, spills, staging."""

from fractions import Fraction

import pytest
from warplens.analysis.facts.nest_facts import GridLoop, Kernel, Registers
from warplens.analysis.facts.program import BasicBlock, Branch, Instruction, Region, ThreadLoop
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.access_cost import RequestCount
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.simulation.grid import grid
from warplens.analysis.simulation.launch_counts import COPIES_IN_FLIGHT, ArrayCopy, LaunchCounts
from warplens.analysis.simulation.operation import Operation, Trace
from warplens.analysis.simulation.trace import SLICES, build_trace
from warplens.hwprofiles.loader import load_gpu

LOAD, STORE, STATEMENT, LOOP = NodeId(10), NodeId(11), NodeId(1), NodeId(2)
NO_SPILLS = Registers(16, 255, 0, 0, 0)


@pytest.fixture
def gpu() -> Gpu:
    return load_gpu("a100")


def block(*ops: str, ilp: Fraction = Fraction(1), load_chain: Fraction = Fraction(1)) -> BasicBlock:
    access = {"load": LOAD, "store": STORE}
    return BasicBlock(tuple(Instruction(op, (), STATEMENT, access.get(op)) for op in ops), ilp, load_chain)


def kernel(*program: Region) -> Kernel:
    return Kernel(
        root=NodeId(0),
        launches=Formula.constant(1),
        grid=(GridLoop(NodeId(0), "i", Formula.parameter("n"), Polynomial(()), 1),),
        thread_order=(NodeId(0),),
        program=program,
        accesses=(),
        private=(),
        reductions=(),
        register_pressure=16,
        live_values=(),
        arithmetic_intensity=Fraction(1),
    )


COALESCED = RequestCount("global", 4.0, 1.0, 4.0, 4.0, 1)
REQUESTS = {LOAD: COALESCED, STORE: COALESCED}
IN_REGISTER = {LOAD: RequestCount("register", 0.0, 0.0, 0.0, 0.0, 1)}
IN_TILE = {LOAD: RequestCount("shared", 0.0, 0.0, 0.0, 0.0, 1)}


def trace(gpu: Gpu, *program: Region, n: int = 1 << 20, registers: Registers = NO_SPILLS, **more: object) -> Trace:
    launch, sized = LaunchConfig((256, 1, 1)), SizedKernel(kernel(*program), {"n": n, "t": 1000})
    counts = LaunchCounts(
        grid(sized.kernel, launch, sized.sizes, gpu.warp_size_threads),
        more.get("requests", REQUESTS),
        more.get("copies", ()),
        registers,
        reloads_hit_l1=registers.spill_loads > 0,
    )
    return build_trace(sized, launch, counts, gpu)


def total(made: Trace, kind: str) -> float:
    return sum(operation.delay_cycles for operation in made.operations if operation.kind == kind)


def executed(made: Trace, kind: str) -> float:
    return sum(operation.count for operation in made.operations if operation.kind == kind)


def loop(*body: Region, trips: Formula | None = None) -> ThreadLoop:
    return ThreadLoop(LOOP, trips or Formula.parameter("t"), body)


def test_delays_are_latencies_of_arithmetic_over_the_ilp_of_the_block(gpu: Gpu) -> None:
    made = trace(gpu, block("fp32_add", "fp32_add", "load", ilp=Fraction(3, 2)))
    compute, memory = made.operations
    assert compute.delay_cycles == pytest.approx(2 * gpu.timing("fp32_add").latency_cycles / 1.5)
    # A warp waits for its only load, whatever else it computes.
    assert memory.delay_cycles == pytest.approx(gpu.dram.latency_cycles)
    assert memory.access == LOAD


@pytest.mark.parametrize("chain", [1, 2, 3])
def test_a_warp_waits_once_for_each_load_of_the_longest_chain(gpu: Gpu, chain: int) -> None:
    made = trace(gpu, block(*3 * ["load"], "fp32_add", ilp=Fraction(4), load_chain=Fraction(chain)))
    assert total(made, "memory") == pytest.approx(chain * gpu.dram.latency_cycles)


def test_a_warp_waits_for_the_longest_of_the_loads_that_are_in_flight_together(gpu: Gpu) -> None:
    near = RequestCount("global", 4.0, 1.0, 0.0, 0.0, 1)
    two = BasicBlock(
        (Instruction("load", (), STATEMENT, LOAD), Instruction("load", (), STATEMENT, STORE)), Fraction(2), Fraction(1)
    )
    assert total(trace(gpu, two), "memory") == pytest.approx(gpu.dram.latency_cycles)
    assert total(trace(gpu, two, requests={LOAD: near, STORE: COALESCED}), "memory") == pytest.approx(
        gpu.dram.latency_cycles
    )
    assert total(trace(gpu, two, requests={LOAD: near, STORE: near}), "memory") == pytest.approx(gpu.l1.latency_cycles)


@pytest.mark.parametrize(("loads", "turns"), [(12, 1.0), (18, 1.5), (48, 4.0)])
def test_only_as_many_words_are_in_flight_as_there_are_registers_for(gpu: Gpu, loads: int, turns: float) -> None:
    made = trace(gpu, block(*loads * ["load"], ilp=Fraction(loads)))
    assert total(made, "memory") == pytest.approx(turns * gpu.dram.latency_cycles)


def test_what_is_collected_is_copied_behind_the_body_and_a_barrier(gpu: Gpu) -> None:
    collected = ArrayCopy((STORE,), 1.0, 4224.0, 32.0, 32.0, 128.0, 1.0, is_written=True)
    in_tile = {STORE: RequestCount("shared", 0.0, 0.0, 0.0, 0.0, 1), LOAD: COALESCED}
    made = trace(gpu, block("load", "store"), requests=in_tile, copies=(collected,))
    assert [operation.kind for operation in made.operations] == ["memory", "memory", "sync", "memory"]
    copy = made.operations[-1]
    # A store waits for what it reads of shared memory, not for memory to take it.
    assert copy.delay_cycles == pytest.approx(gpu.shared.latency_cycles)
    assert copy.pipe_cycles[3] * made.warps_per_block == pytest.approx(128 * 32 / gpu.dram_bytes_per_cycle_per_sm)


def test_the_penalty_is_not_divided_by_ilp(gpu: Gpu) -> None:
    (memory,) = trace(gpu, block("load", ilp=Fraction(4))).operations
    assert memory.pipe_cycles[3] == pytest.approx(128 / gpu.dram_bytes_per_cycle_per_sm)


def test_neighbouring_computation_is_one_operation_and_memory_splits_it(gpu: Gpu) -> None:
    made = trace(gpu, block("int_add", "int_mul", "load", "fp32_add", "fp32_mul", "store"))
    assert [operation.kind for operation in made.operations] == ["compute", "memory", "compute", "memory"]


def test_a_store_does_not_wait_for_its_latency(gpu: Gpu) -> None:
    (store,) = trace(gpu, block("store")).operations
    assert store.delay_cycles == 0.0
    assert store.pipe_cycles[3] > 0.0


@pytest.mark.parametrize("trips", [1, 3, 8, 9, 1000, 10**18])
def test_a_loop_multiplies_delays_and_the_length_is_bounded(gpu: Gpu, trips: int) -> None:
    once = trace(gpu, block("load", "fp32_fma"))
    made = trace(gpu, loop(block("load", "fp32_fma"), trips=Formula.constant(trips)))
    assert len(made.operations) <= 2 * SLICES
    assert total(made, "memory") == pytest.approx(trips * total(once, "memory"))
    assert total(made, "compute") == pytest.approx(trips * total(once, "compute"))
    assert executed(made, "memory") == pytest.approx(trips)


def test_nested_loops_multiply(gpu: Gpu) -> None:
    made = trace(gpu, loop(loop(block("load", "fp32_add"), trips=Formula.constant(50))))
    assert executed(made, "memory") == pytest.approx(50_000)


def test_a_loop_without_iterations_leaves_nothing(gpu: Gpu) -> None:
    assert trace(gpu, loop(block("load"), trips=Formula.constant(0))).operations == ()
    assert trace(gpu, loop(block("load"), trips=Formula.constant(-7))).operations == ()


def test_a_divergent_branch_runs_both_sides_and_another_its_share(gpu: Gpu) -> None:
    sides = (block("fp32_add"),), (block("load"),)
    divergent = trace(gpu, Branch(STATEMENT, True, *sides, then_share=Fraction(1, 4)))
    uniform = trace(gpu, Branch(STATEMENT, False, *sides, then_share=Fraction(1, 4)))
    assert executed(divergent, "compute") == executed(divergent, "memory") == 1.0
    assert executed(uniform, "compute") == 0.25
    assert executed(uniform, "memory") == 0.75


def test_figure_5_4_a_loop_of_ten_iterations_with_ilp_two(gpu: Gpu) -> None:
    two_iterations = block("fp32_add", "load", ilp=Fraction(2), load_chain=Fraction(1, 2))
    made = trace(gpu, loop(two_iterations, trips=Formula.constant(10)))
    assert total(made, "memory") == pytest.approx(gpu.dram.latency_cycles * 10 / 2)
    assert total(made, "compute") == pytest.approx(gpu.timing("fp32_add").latency_cycles * 10 / 2)


def test_spills_are_requests_with_the_timing_of_l1_in_the_busiest_block(gpu: Gpu) -> None:
    spilling = Registers(255, 255, spill_stores=3, spill_loads=5, spill_slots=3)
    made = trace(gpu, block("int_add"), loop(block("fp32_fma")), registers=spilling)
    spilled = [operation for operation in made.operations if operation.kind == "memory"]
    assert sum(operation.count for operation in spilled) == pytest.approx(8 * 1000)
    assert sum(operation.delay_cycles for operation in spilled) == pytest.approx(5 * 1000 * gpu.l1.latency_cycles)
    assert all(operation.access is None and operation.statement == STATEMENT for operation in spilled)
    assert all(operation.pipe_cycles[3] == 0.0 for operation in spilled)


def test_registers_of_an_iteration_are_no_memory(gpu: Gpu) -> None:
    made = trace(gpu, block("load", "fp32_add"), requests=IN_REGISTER)
    assert [operation.kind for operation in made.operations] == ["compute"]


def staged(stagings: float) -> ArrayCopy:
    """8192 bytes from device memory, a word of each thread at a time."""
    return ArrayCopy((LOAD,), stagings, 8192.0, 64.0, 64.0, 256.0, 1.0)


def test_staging_once_copies_then_waits_for_the_block(gpu: Gpu) -> None:
    made = trace(gpu, loop(block("load", "fp32_fma")), copies=(staged(1.0),), requests=IN_TILE)
    copy, barrier, *rest = made.operations
    # 8192 bytes in words of 4, 32 of them a request, over the 8 warps of the block
    assert copy.count == pytest.approx(8192 / 128 / 8)
    # of which four are in flight together
    assert copy.delay_cycles == pytest.approx(8 / COPIES_IN_FLIGHT * gpu.dram.latency_cycles)
    assert barrier.kind == "sync"
    assert all(operation.pipe_cycles[3] == 0.0 for operation in rest)


def test_staging_in_chunks_happens_inside_the_loop_between_barriers(gpu: Gpu) -> None:
    made = trace(gpu, loop(block("load", "fp32_fma")), copies=(staged(32.0),), requests=IN_TILE)
    kinds = [operation.kind for operation in made.operations]
    assert kinds[:2] == ["memory", "sync"]
    assert kinds[-1] == "sync"
    assert kinds.count("sync") == 2 * SLICES
    from_dram = sum(operation.pipe_cycles[3] for operation in made.operations) * gpu.dram_bytes_per_cycle_per_sm
    assert from_dram == pytest.approx(32 * 8192 / 8)


def test_fewer_blocks_than_sms_share_the_bandwidth_among_fewer(gpu: Gpu) -> None:
    (full,) = trace(gpu, block("load")).operations
    (alone,) = trace(gpu, block("load"), n=256).operations
    assert alone.pipe_cycles[3] == pytest.approx(full.pipe_cycles[3] / gpu.sm_count)
    assert trace(gpu, block("load"), n=256).blocks_per_sm == pytest.approx(1 / gpu.sm_count)


def test_no_operation_of_an_empty_program(gpu: Gpu) -> None:
    assert trace(gpu).operations == ()


def test_an_operation_scales_but_keeps_its_name() -> None:
    one = Operation("memory", 2.0, 10.0, (1.0, 2.0, 3.0, 4.0), STATEMENT, LOAD)
    assert one.times(0.5) == Operation("memory", 1.0, 5.0, (0.5, 1.0, 1.5, 2.0), STATEMENT, LOAD)
