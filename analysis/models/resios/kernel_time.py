"""One kernel under one launch, from its costs and occupancy to a `Prediction` (Resios eq. 4.4, chapters 5 and 6)."""

from __future__ import annotations

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Instruction, blocks
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.launch_work.block_launch import least_cycles
from warplens.analysis.models.launch_work.explained_time import explained_time
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.results.prediction import BoundBy, Hotspot, MemoryLevel, Prediction
from warplens.analysis.simulation.operation import Trace
from warplens.analysis.simulation.result import SimulationResult
from warplens.analysis.simulation.views import IdleTime, WarpTime
from warplens.analysis.workload.thread_program.unrolling import UNROLL_FACTOR

MODEL = "resios"

MODEL_ASSUMPTIONS = (
    Assumption(
        "machine", "bandwidth", "Memory and L2 bandwidth are split evenly over the multiprocessors that have work."
    ),
    Assumption(
        "machine",
        "scheduling",
        "All blocks take equally long; warps are served in turn; a part of the grid is simulated and extrapolated.",
    ),
    Assumption("machine", "pipes", "Instructions of different kinds do not issue in the same cycle."),
    Assumption(
        "machine",
        "unrolling",
        f"The device compiler unrolls straight-line innermost loops {UNROLL_FACTOR} times, with the loads together.",
    ),
)


BLOCK_LAUNCH_ASSUMPTION = Assumption(
    "machine",
    "block launch",
    "How long a multiprocessor of this GPU takes to start the next block is not known: it is assumed to take no time.",
)
"""Of a GPU whose profile does not say."""

OUTPUTS_ASSUMPTION = Assumption(
    "machine",
    "work per thread",
    "The outputs of a thread are computed together: what they share is loaded and computed once, the blocks' shape is "
    "known to the compiler.",
)
"""Of a launch with several outputs per thread."""


def kernel_time_s(case: KernelOnGpu) -> float:
    """Time of one launch, launch overhead not included: what `predict_kernel` says, without its reasons."""
    trace = case.trace
    return _time_s(case, trace, case.simulate(trace))


def predict_kernel(case: KernelOnGpu) -> Prediction:
    """Time of one launch and why.

    Equation: T = max(simulated cycles, roofline, start of an SM's last block + its latency) / clock. The roofline is
    the larger of DRAM bytes / bandwidth and issue cycles of all warps / SMs: no schedule is faster.
    The breakdown gives the busiest pipeline its busy time; the rest, in which it waited, is latency and goes to what
    the warps spent their time on.
    Units: seconds. Source: Resios eq. 4.4, algorithm 5.1, section 5.3.
    Assumes: `MODEL_ASSUMPTIONS`, `OUTPUTS_ASSUMPTION`, average trip counts and branch shares.
    Not modelled: clock changes, the tail of a grid that fills its last wave badly, once it is longer than the simulated
    waves; what a block's start takes beside the interval between two of them.
    """
    trace = case.trace
    idle = IdleTime(trace)
    warp_time = WarpTime(trace)
    result = case.simulate(trace, idle, warp_time)
    time_s = _time_s(case, trace, result)
    breakdown = _breakdown(case, trace, warp_time, time_s)
    hotspots = _hotspots(case.kernel, trace, idle.shares(result.simulated_cycles))
    level = _busiest_memory(case, trace)
    return explained_time(case, MODEL, time_s, breakdown, hotspots, _assumptions(case), level)


def _time_s(case: KernelOnGpu, trace: Trace, result: SimulationResult) -> float:
    return max(result.cycles, *_pipe_busy_cycles(case, trace), _block_launch_cycles(case, trace)) / case.gpu.clock_hz


def _assumptions(case: KernelOnGpu) -> tuple[Assumption, ...]:
    outputs = (OUTPUTS_ASSUMPTION,) if case.grid.has_several_outputs else ()
    launch = (BLOCK_LAUNCH_ASSUMPTION,) if case.gpu.block_launch_cycles is None else ()
    return (*MODEL_ASSUMPTIONS, *outputs, *launch)


def _block_launch_cycles(case: KernelOnGpu, trace: Trace) -> float:
    if case.gpu.block_launch_cycles is None:
        return 0.0
    alone = sum(operation.delay_cycles + operation.penalty_cycles for operation in trace.operations)
    columns = (np.array([float(n)]) for n in (case.grid.blocks, case.occupancy.blocks_per_sm, alone))
    return float(least_cycles(case.gpu, *columns)[0])


def _pipe_busy_cycles(case: KernelOnGpu, trace: Trace) -> tuple[float, ...]:
    """How long each pipeline of an SM must work for the grid, were it spread perfectly; a lower bound of the time."""
    shape = case.grid
    warps_per_sm = shape.warps / max(1, min(case.gpu.sm_count, shape.blocks))
    issue, *memory = trace.pipe_cycles_per_warp
    return tuple(cycles * warps_per_sm for cycles in (max(issue, trace.special_cycles_per_warp), *memory))


def _busiest_memory(case: KernelOnGpu, trace: Trace) -> MemoryLevel:
    levels: tuple[MemoryLevel, ...] = ("load/store", "l2", "dram")
    _, *memory = _pipe_busy_cycles(case, trace)
    return max(zip(memory, levels, strict=True), key=lambda busy: busy[0])[1]


def _breakdown(case: KernelOnGpu, trace: Trace, warp_time: WarpTime, time_s: float) -> dict[BoundBy, float]:
    """Shares of `time_s` that add up to it exactly: the last one takes the rounding."""
    issue, *memory = (cycles / case.gpu.clock_hz for cycles in _pipe_busy_cycles(case, trace))
    busiest = min(time_s, max(issue, *memory))
    rest = time_s - busiest
    waited = warp_time.warp_cycles
    total = sum(waited.values()) or 1.0
    compute_bound = issue >= max(memory)
    result: dict[BoundBy, float] = {
        "memory bandwidth": 0.0 if compute_bound else busiest,
        "computation": (busiest if compute_bound else 0.0) + rest * waited["compute"] / total,
        "synchronisation": rest * waited["sync"] / total,
    }
    result["memory latency"] = max(0.0, time_s - sum(result.values()))
    return result


def _hotspots(kernel: Kernel, trace: Trace, shares: tuple[float, ...]) -> tuple[Hotspot, ...]:
    """One per access (or per spilling statement), by idle time, then by the delay of a request."""
    statements: dict[NodeId | None, NodeId] = {
        i.access: i.statement for i in _instructions(kernel) if i.access is not None
    }
    found: dict[tuple[NodeId | None, NodeId], tuple[float, float]] = {}
    for operation, share in zip(trace.operations, shares, strict=True):
        if operation.kind != "memory":
            continue
        statement = statements.get(operation.access) if operation.statement is None else operation.statement
        if statement is None:
            continue
        key = (operation.access, statement)
        delay = (operation.delay_cycles + operation.penalty_cycles) / operation.count
        before_delay, before_share = found.get(key, (0.0, 0.0))
        found[key] = max(before_delay, delay), min(1.0, before_share + share)
    hotspots = (Hotspot(access, statement, *found[access, statement]) for access, statement in found)
    return tuple(sorted(hotspots, key=lambda spot: (-spot.idle_share, -spot.delay_cycles, spot.statement)))


def _instructions(kernel: Kernel) -> tuple[Instruction, ...]:
    return tuple(instruction for block, _ in blocks(kernel.program) for instruction in block.instructions)
