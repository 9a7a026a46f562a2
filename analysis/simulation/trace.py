"""The trace of a kernel: its program flattened to what one warp does (Resios 5.2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from operator import mul

from warplens.analysis.facts.nest_facts import Registers
from warplens.analysis.facts.program import BasicBlock, Branch, Instruction, Region, ThreadLoop, blocks
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.access_cost import RequestCount
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.simulation.arithmetic_units import Occupied, occupied_together, occupied_units
from warplens.analysis.simulation.coarsen import coarsen
from warplens.analysis.simulation.executions import busiest_block, shares_of
from warplens.analysis.simulation.grid import Grid, count, trips_of_warp
from warplens.analysis.simulation.launch_counts import ArrayCopy, LaunchCounts
from warplens.analysis.simulation.memory_time import RequestTime, request_time, staging_time
from warplens.analysis.simulation.operation import BARRIER, Operation, Trace
from warplens.analysis.simulation.spill_time import spill_times
from warplens.analysis.workload.instructions.ilp import SLOW_PATHS, load_depths
from warplens.analysis.workload.thread_program.tile_reads import addresses_in_tiles, reads_tile
from warplens.analysis.workload.thread_program.unrolling import MOST_WORDS_IN_FLIGHT, copies_of

SLICES = 8
"""A loop's body appears up to this often in the trace, each time for its part of the iterations: warps that are in
different slices overlap computation with memory, to within 1/8 of the shorter of the two."""

TRACE_LENGTH = 40
"""Slices are only made while the trace stays shorter than this; it bounds the time of a simulation."""


def build_trace(sized: SizedKernel, launch: LaunchConfig, counts: LaunchCounts, gpu: Gpu) -> Trace:
    """What each warp of a launch does.

    Delays are latencies over the ILP of their basic block. A divergent branch is both its sides, another one each
    side by its share. Loops multiply the delays of their body by the average trip count; the body is repeated a few
    times with its part of the iterations, so that the length does not depend on trip counts. A store occupies the
    memory system and does not wait for its latency. Spills are requests in the block that runs most often
    (spill_time.py). Arrays staged in shared memory are read once per block, before the body, and a barrier follows;
    those collected there are written behind the body and a barrier.
    Reads of staged arrays need no address arithmetic, loops over them control once per chunk (tile_reads.py).
    An instruction runs once per output of the thread along the grid loops that it varies along; outputs do not wait for
    each other, so that the ILP of a block grows with its instructions, but where operations with slow paths keep the
    compiler from mixing them.
    Units: cycles of one SM. Source: Resios 5.2.1, figure 5.4; spills 6.4.
    Assumes: average trip counts; requests of a full warp; an access without count takes an L2 round trip.
    The arithmetic of a loop's body, loops inside it left out, occupies its units beside each other
    (arithmetic_units.py): warps are anywhere in it.
    Not modelled: the barriers of chunks beyond one per slice; that long bodies are unrolled less (nvcc 13: 4 times with
    1 or 4 outputs of a matrix product, twice with 16, not with 64).
    """
    program, shape = sized.kernel.program, counts.grid
    active_sms = max(1, min(gpu.sm_count, shape.blocks))
    flattener = _Flattener(
        gpu=gpu,
        sizes=sized.sizes,
        requests=counts.requests,
        active_sms=active_sms,
        warps_per_block=shape.simulated_warps_per_block,
        registers=counts.registers,
        spilling=busiest_block(program, sized.sizes),
        shape=shape,
        spill_times=spill_times(gpu, active_sms, counts.reloads_hit_l1, counts.spills_dram_share),
        staged=frozenset(access for copy in counts.copies for access in copy.accesses),
        units=occupied_units(gpu),
        chunk=launch.block[0],
    )
    chunked = _in_chunks(program, counts.copies)
    once = tuple(copy for copy in counts.copies if copy not in chunked and not copy.is_written)
    written = tuple(copy for copy in counts.copies if copy.is_written)
    operations = [*flattener.staging(once), *flattener.flatten(program, TRACE_LENGTH, chunked)]
    if written:
        *copied, barrier = flattener.staging(written)
        operations += [barrier, *copied]
    return Trace(coarsen(_merged(operations)), shape.simulated_warps_per_block, shape.blocks / gpu.sm_count)


@dataclass(frozen=True, slots=True)
class _Flattener:
    gpu: Gpu
    sizes: Mapping[str, int]
    requests: Mapping[NodeId, RequestCount]
    active_sms: int
    warps_per_block: int
    registers: Registers
    spilling: BasicBlock | None
    shape: Grid
    spill_times: tuple[RequestTime, RequestTime]
    staged: frozenset[NodeId]
    units: Mapping[str, Occupied]
    chunk: int
    """Iterations of a loop that one filling of a staged array serves."""

    def flatten(
        self,
        program: tuple[Region, ...],
        budget: int,
        chunked: tuple[ArrayCopy, ...] = (),
        beside: float | None = None,
    ) -> list[Operation]:
        """One execution of a program part; loops are sliced while the result has less than `budget` operations.

        `beside` is `_side_by_side` of what it is a side of.
        """
        beside = self._side_by_side(program) if beside is None else beside
        result: list[Operation] = []
        for region in program:
            match region:
                case BasicBlock():
                    result.extend(self._block(region, beside))
                case ThreadLoop():
                    staged = tuple(copy for copy in chunked if _reads(region, copy))
                    chunked = tuple(copy for copy in chunked if copy not in staged)
                    result.extend(self._loop(region, budget, staged))
                case Branch():
                    shares = shares_of(region, per_warp=True)
                    for side, share in zip((region.then, region.otherwise), shares, strict=True):
                        if share:
                            result.extend(_scaled(self.flatten(side, budget, beside=beside), share))
        return list(_merged(result))

    def _loop(self, loop: ThreadLoop, budget: int, staged: tuple[ArrayCopy, ...]) -> list[Operation]:
        trips = count(loop.trip_count, self.sizes)
        body = self._body(loop, budget) if trips else []
        if loop.is_uneven and trips:
            body = [_for_all_lanes(each, trips_of_warp(trips, loop.is_uneven) / trips) for each in body]
        if not body:
            return []
        slices = max(1, min(SLICES, ceil(trips), budget // len(body)))
        if all(operation.kind == "compute" for operation in body):
            slices = 1
        copies = [*_scaled(list(self.staging(staged)), 1 / slices)]
        protect = [BARRIER] if staged else []
        return [*copies, *_scaled(body, trips / slices), *protect] * slices

    def _body(self, loop: ThreadLoop, budget: int) -> list[Operation]:
        """One iteration; control of an unrolled loop by its share."""
        match loop.body:
            case (BasicBlock() as block,) if loop.unroll > 1:
                return list(_merged(self._block(block, self._side_by_side(loop.body, loop), loop)))
        return self.flatten(loop.body, budget)

    def _block(self, block: BasicBlock, beside: float, loop: ThreadLoop | None = None) -> list[Operation]:
        times = self._executions(block, loop)
        ilp = max(1.0, float(block.ilp)) * self._outputs_side_by_side(block, loop)
        together = self._loads_together(block, times, loop)
        result = [
            self._instruction(instruction, ilp, together).times(often)
            for instruction, often in zip(block.instructions, times, strict=True)
            if not self._is_in_register(instruction)
        ]
        if beside < 1:
            result = [_with_issue(o, o.pipe_cycles[0] * beside) if o.kind == "compute" else o for o in result]
        if block is self.spilling and block.instructions:
            registers = self.registers
            if registers.spill_loads + registers.spill_stores + registers.local_loads + registers.local_stores:
                spill = _spill(self.gpu, self.spill_times, self.registers, ilp)
                result.insert(0, replace(spill, statement=block.instructions[0].statement))
        return _issued_together(_merged(result))

    def _outputs_side_by_side(self, block: BasicBlock, loop: ThreadLoop | None) -> float:
        """By how much the ILP of a block grows with a thread's outputs."""
        is_cut = any(instruction.op in SLOW_PATHS for instruction in block.instructions)
        if not self.shape.has_several_outputs or is_cut or not block.instructions:
            return 1.0
        shares = [_share(instruction, loop) for instruction in block.instructions]
        return float(sum(map(mul, self._copies(block), shares)) / sum(shares))

    def _copies(self, block: BasicBlock) -> list[float]:
        return [self.shape.copies_per_warp(instruction.variation) for instruction in block.instructions]

    def _executions(self, block: BasicBlock, loop: ThreadLoop | None) -> list[float]:
        """Executions per execution of the block, of a thread's outputs together, without what reads of tiles save."""
        times = self._executed_shares(block, loop)
        return list(map(mul, self._copies(block), times)) if self.shape.has_several_outputs else times

    def _executed_shares(self, block: BasicBlock, loop: ThreadLoop | None) -> list[float]:
        """Executions per execution of the block, without what reads of staged arrays save."""
        shares = [_share(instruction, loop) for instruction in block.instructions]
        if not reads_tile(block, self.staged):
            return shares
        addresses = addresses_in_tiles(block, self.staged)
        control = 1.0
        if loop is not None:
            control = loop.unroll / max(loop.unroll, min(self.chunk, count(loop.trip_count, self.sizes)))
        return [
            0.0 if place in addresses else share * control if _is_control(instruction, loop) else share
            for place, (instruction, share) in enumerate(zip(block.instructions, shares, strict=True))
        ]

    def _loads_together(self, block: BasicBlock, times: Sequence[float], loop: ThreadLoop | None) -> float:
        """By how much the latencies of a block's loads are longer, one after the other, than what a warp waits.

        It waits for the longest of the loads that are in flight together, once for each load of the longest chain.
        """
        depths = load_depths(block.instructions)
        longest: dict[int, float] = {}
        total = words = 0.0
        for instruction, depth, often in zip(block.instructions, depths, times, strict=True):
            if instruction.op in {"load", "atomic"} and not self._is_in_register(instruction):
                latency = self._request_time(instruction).latency_cycles
                longest[depth] = max(longest.get(depth, 0.0), latency)
                total += latency * often
                words += often * -(-instruction.size_bytes // 4)
        copies = min(loop.unroll, copies_of(sum(times))) if loop is not None else 1
        chain = float(block.load_chain) * (loop.unroll / copies if loop is not None else 1)
        deepest = max(1, max(depths, default=0))
        waited = sum(longest.values()) / deepest * max(chain, words / MOST_WORDS_IN_FLIGHT)
        return max(1.0, total / waited) if waited > 0 else 1.0

    def _instruction(self, instruction: Instruction, ilp: float, together: float) -> Operation:
        gpu = self.gpu
        match instruction.op:
            case "load" | "store" | "atomic":
                waits = instruction.op != "store"
                time = self._request_time(instruction)
                return _memory_operation(
                    gpu, time, together if waits else 0.0, instruction.statement, instruction.access
                )
            case op:
                units = self.units[op]
                delay = gpu.timing(op).latency_cycles / ilp
                cycles = units.busy, 0.0, 0.0, 0.0
                return Operation("compute", 1.0, delay, cycles, instruction.statement, None, units.special)

    def _side_by_side(self, program: tuple[Region, ...], loop: ThreadLoop | None = None) -> float:
        """Cycles of the arithmetic of a part of the program over those that it takes one unit after the other.

        What its loops run is left out. `loop` is that of a part that is unrolled.
        """
        if not self.gpu.has_units_apart:
            return 1.0
        issued = list(self._issued(program, 1.0, loop))
        one_by_one = sum(units.busy * often for units, often in issued)
        return occupied_together(issued) / one_by_one if one_by_one else 1.0

    def _issued(
        self, program: tuple[Region, ...], share: float, loop: ThreadLoop | None = None
    ) -> Iterator[tuple[Occupied, float]]:
        """The arithmetic of a part of the program outside its loops, and how often it is issued."""
        for region in program:
            match region:
                case BasicBlock():
                    times = self._executions(region, loop)
                    for instruction, often in zip(region.instructions, times, strict=True):
                        if instruction.op not in {"load", "store", "atomic"}:
                            yield self.units[instruction.op], often * share
                case Branch():
                    sides = zip((region.then, region.otherwise), shares_of(region, per_warp=True), strict=True)
                    for side, taken in sides:
                        yield from self._issued(side, share * taken)
                case ThreadLoop():
                    pass

    def _is_in_register(self, instruction: Instruction) -> bool:
        request = None if instruction.access is None else self.requests.get(instruction.access)
        return request is not None and request.memory == "register"

    def _request_time(self, instruction: Instruction) -> RequestTime:
        request = None if instruction.access is None else self.requests.get(instruction.access)
        if request is None:
            return _unknown_request(self.gpu)
        return request_time(request, instruction.size_bytes, self.gpu, self.active_sms)

    def staging(self, copies: tuple[ArrayCopy, ...]) -> Iterator[Operation]:
        """Copies of regions into shared memory over the block's life, split over its warps, and the barrier."""
        gpu = self.gpu
        for copy in copies:
            requests = copy.requests / self.warps_per_block
            # Requests of several arrays wait together where each has one.
            together = len(copies) if requests <= 1 else min(requests, copy.in_flight)
            access = copy.accesses[0] if copy.accesses else None
            time = staging_time(gpu, self.active_sms, copy)
            one = _memory_operation(gpu, time, together, None, access)
            yield one.times(requests * copy.stagings)
        if copies:
            yield BARRIER


def _for_all_lanes(operation: Operation, longer: float) -> Operation:
    """An operation of a loop that a warp runs longer than its threads do: requests move what these ask for."""
    issue, load_store, l2, dram = operation.pipe_cycles
    return replace(
        operation,
        delay_cycles=operation.delay_cycles * longer,
        pipe_cycles=(issue * longer, load_store, l2, dram),
        special_cycles=operation.special_cycles * longer,
    )


def _share(instruction: Instruction, loop: ThreadLoop | None) -> float:
    """Executions per iteration of an unrolled loop: its control runs once for all copies of the body."""
    return 1 / loop.unroll if loop is not None and _is_control(instruction, loop) else 1.0


def _is_control(instruction: Instruction, loop: ThreadLoop | None) -> bool:
    return loop is not None and instruction.statement == loop.loop


def _in_chunks(program: tuple[Region, ...], copies: tuple[ArrayCopy, ...]) -> tuple[ArrayCopy, ...]:
    """What is copied again for each chunk of a loop; the rest is copied once, before the body."""
    loops = [region for region in program if isinstance(region, ThreadLoop)]
    again = (copy for copy in copies if copy.stagings > 1)
    return tuple(copy for copy in again if any(_reads(loop, copy) for loop in loops))


def _reads(loop: ThreadLoop, copy: ArrayCopy) -> bool:
    """Whether a loop reads what a block copies."""
    return any(
        instruction.access in copy.accesses
        for block, _ in blocks((loop,))
        for instruction in block.instructions
        if instruction.access is not None
    )


def _issued_together(operations: tuple[Operation, ...]) -> list[Operation]:
    """The issue slots of a block's requests taken by its first computation, which saves the simulation a pipeline."""
    first = next((i for i, operation in enumerate(operations) if operation.kind == "compute"), None)
    if first is None:
        return list(operations)
    slots = sum(operation.pipe_cycles[0] for operation in operations if operation.kind == "memory")
    result = [_with_issue(operation, 0.0) if operation.kind == "memory" else operation for operation in operations]
    result[first] = _with_issue(result[first], result[first].pipe_cycles[0] + slots)
    return result


def _with_issue(operation: Operation, cycles: float) -> Operation:
    _, load_store, l2, dram = operation.pipe_cycles
    return Operation(
        operation.kind,
        operation.count,
        operation.delay_cycles,
        (cycles, load_store, l2, dram),
        operation.statement,
        operation.access,
        operation.special_cycles,
    )


def _memory_operation(
    gpu: Gpu, time: RequestTime, ilp: float, statement: NodeId | None, access: NodeId | None
) -> Operation:
    """A request whose latency is divided by `ilp`; 0 for one that nothing waits for."""
    return Operation(
        "memory",
        1.0,
        time.latency_cycles / ilp if ilp else 0.0,
        (1.0 / gpu.issue_warps_per_cycle_per_sm, time.load_store_cycles, time.l2_cycles, time.dram_cycles),
        statement,
        access,
    )


def _unknown_request(gpu: Gpu) -> RequestTime:
    load_store = gpu.warp_size_threads / gpu.load_store_units_per_sm
    return RequestTime(gpu.l2.latency_cycles, load_store, 0.0, 0.0)


def _spill(gpu: Gpu, times: tuple[RequestTime, RequestTime], registers: Registers, ilp: float) -> Operation:
    """All spills and reloads of one execution of the block; only the reloads wait."""
    spill, reload = (_memory_operation(gpu, time, ilp, None, None) for time in times)
    stores = spill.times(registers.spill_stores + registers.local_stores)
    loads = reload.times(registers.spill_loads + registers.local_loads)
    issue, load_store, l2, dram = map(sum, zip(stores.pipe_cycles, loads.pipe_cycles, strict=True))
    return Operation("memory", stores.count + loads.count, loads.delay_cycles, (issue, load_store, l2, dram))


def _scaled(operations: Sequence[Operation], factor: float) -> Iterable[Operation]:
    return (operation.times(factor) if operation.kind != "sync" else operation for operation in operations)


def _merged(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """Neighbouring compute operations become one; operations that never run are dropped."""
    result: list[Operation] = []
    for operation in operations:
        if not operation.count:
            continue
        last = result[-1] if result else None
        if last is not None and last.kind == operation.kind == "compute":
            issue = last.pipe_cycles[0] + operation.pipe_cycles[0]
            result[-1] = Operation(
                "compute",
                last.count + operation.count,
                last.delay_cycles + operation.delay_cycles,
                (issue, 0.0, 0.0, 0.0),
                last.statement,
                None,
                last.special_cycles + operation.special_cycles,
            )
        else:
            result.append(operation)
    return tuple(result)
