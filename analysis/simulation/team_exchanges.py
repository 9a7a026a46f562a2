"""What the threads of a team run to put their values together, and where they wait for each other.

Within a warp each lane gets the others' value in log2(32) steps of a move and an operation (a butterfly, so that all
lanes have the result). Over a block the first lane of each warp stores its warp's value to shared memory; behind a
barrier every warp loads them, puts them together in log2(warps) steps, and a second barrier lets the memory be used
again. It happens as often as the loop is left whose iterations the team shares.

Source: NVIDIA, Faster parallel reductions on Kepler, 2014 (butterfly); CUDA C++ Programming Guide, warp shuffles.
Assumes: a word on its way to another lane issues as a shift does (combining.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, log2

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import OP_CLASSES, BasicBlock, Branch, OpClass, Region, ThreadLoop
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.gpu.launch.launches import Column, Table
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.simulation.combining import MOVE, combining_operation
from warplens.analysis.simulation.executions import shares_of
from warplens.analysis.simulation.grid import count
from warplens.analysis.simulation.instruction_time import issue_cycles
from warplens.analysis.simulation.operation import BARRIER, Operation, Trace


@dataclass(frozen=True, slots=True)
class Exchange:
    """Values that a team puts together at one place of its program, `times` in a row's life."""

    reductions: tuple[Reduction, ...]
    times: float


@dataclass(frozen=True, slots=True)
class TeamExchanges:
    """All of a kernel's. `barriers` are waits between phases, those of the exchanges not among them."""

    threads: int
    exchanges: tuple[Exchange, ...]
    barriers: float


def team_exchanges(sized: SizedKernel) -> TeamExchanges | None:
    """What the team of a kernel exchanges at these sizes; None where threads share nothing."""
    team = sized.kernel.team
    if team is None:
        return None
    entries = dict(_entries(sized.kernel.program, sized.sizes, 1.0))
    exchanges = tuple(Exchange(one.reductions, entries.get(one.after, 1.0)) for one in team.sums)
    barriers = sum(entries.get(statement, 1.0) for statement in team.barriers)
    return TeamExchanges(team.threads, exchanges, 0.0 if team.is_warp else barriers)


def exchanges_per_warp(sized: SizedKernel, launches: int) -> Table:
    """Instructions that each warp runs for them. Shape: (launches, op classes)."""
    counts = np.zeros((launches, len(OP_CLASSES)))
    exchanged = sized.shared(team_exchanges)
    for exchange in exchanged.exchanges if exchanged is not None else ():
        assert exchanged is not None
        for op, often in _instructions(sized.kernel, exchange, exchanged.threads):
            counts[:, OP_CLASSES.index(op)] += often
    return counts


def barriers_per_warp(sized: SizedKernel, launches: int) -> Column:
    """How often each warp waits between phases. Shape: (launches,)."""
    exchanged = sized.shared(team_exchanges)
    return np.full(launches, 0.0 if exchanged is None else exchanged.barriers)


def with_exchanges(trace: Trace, sized: SizedKernel, gpu: Gpu) -> Trace:
    """Let warps run them behind the program; those of a block wait for each other.

    Not modelled: that they stand between the program's parts, which takes as long.
    """
    exchanged = sized.shared(team_exchanges)
    if exchanged is None or not trace.operations:
        return trace
    waits = (BARRIER,) if trace.warps_per_block > 1 else ()
    operations = list(trace.operations)
    for exchange in exchanged.exchanges:
        operations += [_operation(sized.kernel, exchange, exchanged.threads, gpu), *waits]
    if exchanged.barriers:
        operations += waits
    return replace(trace, operations=tuple(operations))


def _entries(program: tuple[Region, ...], sizes: Mapping[str, int], times: float) -> Iterator[tuple[NodeId, float]]:
    """How often each loop is entered, and each block of a statement run, by a thread; the last place of each counts."""
    for region in program:
        match region:
            case ThreadLoop():
                yield region.loop, times
                yield from _entries(region.body, sizes, times * count(region.trip_count, sizes))
            case Branch():
                yield region.statement, times
                for side, share in zip((region.then, region.otherwise), shares_of(region, per_warp=False), strict=True):
                    yield from _entries(side, sizes, times * share)
            case BasicBlock():
                yield from ((one, times) for one in {each.statement for each in region.instructions})


def _instructions(kernel: Kernel, exchange: Exchange, threads: int) -> Iterator[tuple[OpClass, float]]:
    """Instructions of one warp, with how often it runs them over its life."""
    warps = max(1, threads // 32)
    steps = min(5.0, log2(threads)) + (ceil(log2(warps)) if warps > 1 else 0)
    for reduction in exchange.reductions:
        operation = combining_operation(kernel, reduction)
        words = 2 if operation.startswith(("fp64", "int64")) else 1
        yield MOVE, exchange.times * words * (steps + (2 if warps > 1 else 0))
        yield operation, exchange.times * steps


def _operation(kernel: Kernel, exchange: Exchange, threads: int, gpu: Gpu) -> Operation:
    issued = issue = delay = 0.0
    for op, often in _instructions(kernel, exchange, threads):
        timing = gpu.timing(op)
        issued += often
        issue += often * issue_cycles(timing, gpu.warp_size_threads)
        delay += often * timing.latency_cycles
    # Several values go side by side.
    delay /= max(1, len(exchange.reductions))
    if threads > gpu.warp_size_threads:
        delay += exchange.times * 2 * gpu.shared.latency_cycles
    return Operation("compute", issued, delay, (issue, 0.0, 0.0, 0.0))
