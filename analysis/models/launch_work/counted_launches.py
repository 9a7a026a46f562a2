"""What launches of a kernel ask of a GPU's memory and how many of their blocks run together: a row per launch.

The search counts thousands of launches at once, a prediction one: the same columns, with one row. What depends on the
block's shape and the outputs only is counted once per pair of them, whatever is staged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from warplens.analysis.facts.nest_facts import Registers
from warplens.analysis.gpu.caches.served import ServedShares, requested_sectors, served_shares
from warplens.analysis.gpu.caches.waves import wave_traffic
from warplens.analysis.gpu.launch.distinct_rows import Integers, distinct_rows
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.launches import Column, Launches, launches_of
from warplens.analysis.gpu.launch.occupancy import blocks_by_shared_memory, resident_blocks
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import Tiles, tiles_of_launches
from warplens.analysis.gpu.requests.requests import WarpRequests, warp_requests
from warplens.analysis.gpu.staging.staged_traffic import staged_dram_share, staged_dram_waits
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.launch_work.instruction_counts import instruction_counts, private_accesses
from warplens.analysis.models.launch_work.staged_arrays import StagedArrays, staged_arrays, staged_by
from warplens.analysis.models.launch_work.thread_registers import thread_registers
from warplens.analysis.workload.kernels.work_per_thread import registers_needed


@dataclass(frozen=True, slots=True, eq=False)
class RegisterColumns:
    """Registers of a thread, which depend on its outputs only. Shape: `number` (tiles,) an index of `found`.

    `needed` (tiles,) are those without any for loads in flight: blocks that share the caches are counted with these.
    """

    found: tuple[Registers, ...]
    number: Integers
    needed: Integers

    @property
    def per_thread(self) -> Integers:
        """Shape: (tiles,)."""
        return np.array([each.per_thread for each in self.found], dtype=np.int64)[self.number]

    @property
    def spill_stores(self) -> Column:
        """Shape: (tiles,)."""
        return np.array([each.spill_stores + each.local_stores for each in self.found])[self.number]

    @property
    def spill_loads(self) -> Column:
        """Shape: (tiles,)."""
        return np.array([each.spill_loads + each.local_loads for each in self.found])[self.number]

    @property
    def spill_slots(self) -> Column:
        """Shape: (tiles,)."""
        return np.array([float(each.spill_slots + each.local_words) for each in self.found])[self.number]

    def take(self, rows: Integers) -> RegisterColumns:
        """Return those of some tiles, in that order."""
        return RegisterColumns(self.found, self.number[rows], self.needed[rows])


@dataclass(frozen=True, slots=True, eq=False)
class CountedLaunches:
    """Launches of a kernel on a GPU. Shape: columns (launches,), `tile` an index of `tiles`, `requests`, `registers`.

    `resident` are the blocks that an SM keeps, 0 where it can't run one. `staged_dram_shares` has a column for each of
    `staging.arrays`: the share of what is copied there that L2 does not have, `staged_dram_waits` the
    share that is on its way from device memory when blocks ask for it.
    `in_registers` are the accesses that stay in a register.
    """

    sized: SizedKernel
    gpu: Gpu
    launches: Launches
    tiles: Tiles
    tile: Integers
    requests: WarpRequests
    registers: RegisterColumns
    resident: Column
    staging: StagedArrays
    served: ServedShares
    staged_dram_shares: tuple[Column, ...]
    staged_dram_waits: tuple[Column, ...]
    in_registers: frozenset[NodeId]

    def row(self, row: int) -> CountedLaunches:
        """Return one of the launches alone."""
        if len(self.launches) == 1:
            return self
        this, of_tile = np.array([row]), self.tile[row : row + 1]
        return CountedLaunches(
            self.sized,
            self.gpu,
            self.launches.take(this),
            self.tiles.take(of_tile),
            np.zeros(1, dtype=np.int64),
            self.requests.take(of_tile),
            self.registers.take(of_tile),
            self.resident[this],
            self.staging.take(this),
            self.served.take(this),
            tuple(share[this] for share in self.staged_dram_shares),
            tuple(share[this] for share in self.staged_dram_waits),
            self.in_registers,
        )

    def launch(self, row: int) -> LaunchConfig:
        """Return one of the launches with what it stages as it was counted."""
        x, y, z = self.launches.block[row].tolist()
        along_x, along_y, along_z = self.launches.outputs_per_thread[row].tolist()
        return LaunchConfig((x, y, z), self.staging.choices(row), (along_x, along_y, along_z))


def count_launches(sized: SizedKernel, launches: Launches, gpu: Gpu) -> CountedLaunches:
    """Count launches that stage what blocks can stage of `launches.arrays`.

    Raises: KeyError for a parameter without value.
    Assumes: array bases aligned to a line; resident threads in step; the registers that `thread_registers` counts.
    Not modelled: caches' associativity and write-allocation, the far partition of a split L2, atomics' cost
    (atomic_queues.py has what they take at least).
    """
    tiles, tile = tiles_of_launches(sized, launches, gpu)
    return _counted(sized, launches, tiles, tile, staged_arrays(sized, launches, tiles, tile, gpu), gpu)


def count_launch(sized: SizedKernel, launch: LaunchConfig, gpu: Gpu) -> CountedLaunches:
    """Count one launch that stages what it says itself: one row of the same."""
    launches = launches_of(launch)
    tiles, tile = tiles_of_launches(sized, launches, gpu)
    return _counted(sized, launches, tiles, tile, staged_by(launch, sized, tiles, gpu), gpu)


def _counted(
    sized: SizedKernel, launches: Launches, tiles: Tiles, tile: Integers, staging: StagedArrays, gpu: Gpu
) -> CountedLaunches:
    requests = warp_requests(sized, tiles, gpu)
    registers = _registers(sized, tiles, gpu)
    resident, sharing = _resident(tiles, tile, (registers.per_thread, registers.needed), staging, gpu)
    served, dram_shares, dram_waits = _served(sized, tiles, tile, requests, staging, np.maximum(1.0, sharing), gpu)
    return CountedLaunches(
        sized,
        gpu,
        launches,
        tiles,
        tile,
        requests,
        registers,
        resident,
        staging,
        served,
        dram_shares,
        dram_waits,
        private_accesses(sized.kernel),
    )


def _with_local(registers: Registers, sized: SizedKernel, outputs: tuple[int, int, int]) -> Registers:
    """With the accesses of the thread's own arrays in local memory, by runs of the block that runs most often."""
    own = sized.kernel.own
    if not own.local_words:
        return registers
    times = prod(outputs) / max(1.0, sized.shared(instruction_counts).busiest)
    return replace(
        registers,
        local_stores=float(own.stores.evaluate(sized.sizes)) * times,
        local_loads=float(own.loads.evaluate(sized.sizes)) * times,
        local_words=own.local_words * prod(outputs),
    )


def _registers(sized: SizedKernel, tiles: Tiles, gpu: Gpu) -> RegisterColumns:
    first, which = distinct_rows(list(tiles.outputs.T))
    outputs = [(x, y, z) for x, y, z in tiles.outputs[first].tolist()]
    found = tuple(_with_local(thread_registers(sized.kernel, gpu, each), sized, each) for each in outputs)
    needed = np.array([registers_needed(sized.kernel, each) for each in outputs], dtype=np.int64)
    return RegisterColumns(found, which, np.minimum(needed, gpu.occupancy.registers_max_per_thread)[which])


def _resident(
    tiles: Tiles, tile: Integers, registers: Sequence[Integers], staging: StagedArrays, gpu: Gpu
) -> list[Column]:
    """Blocks of an SM with each number of registers per thread of the tiles, 0 where a block can't be launched."""
    each, blocks = len(registers), tiles.blocks.prod(axis=1)
    threads = np.tile(tiles.block.prod(axis=1), each)
    nothing_staged = np.zeros(len(threads))
    resident = resident_blocks(gpu, threads, np.concatenate(registers), nothing_staged, np.tile(blocks, each))
    by_shared_memory = blocks_by_shared_memory(gpu.occupancy, staging.size_bytes)
    return [np.minimum(of_tiles[tile], by_shared_memory) for of_tiles in np.split(resident, each)]


def _served(
    sized: SizedKernel,
    tiles: Tiles,
    tile: Integers,
    requests: WarpRequests,
    staging: StagedArrays,
    resident: Column,
    gpu: Gpu,
) -> tuple[ServedShares, tuple[Column, ...], tuple[Column, ...]]:
    """Shares of L2 and DRAM per request, and of what is staged, which comes through L2."""
    requested = requested_sectors(sized, tiles, requests)
    waves = wave_traffic(sized, tiles, tile, resident, gpu)
    staged = {access: each.chosen for each in staging.arrays for access in each.accesses}
    chosen = [staged.get(group.walks[0].facts.access.id) for group in sized.groups]
    going_out = waves.reached_by([None if flags is None else ~flags for flags in chosen]) if staged else waves
    shares = served_shares(sized, going_out, tiles, tile, requested, resident, staging.size_bytes, gpu)
    if not staging.arrays:
        return shares, (), ()
    blocks = tiles.filled_blocks[tile]
    copied = [(each.array, each.copy.sectors * each.stagings * blocks) for each in staging.arrays]
    return (
        shares,
        tuple(staged_dram_share(waves, array, sectors) for array, sectors in copied),
        tuple(staged_dram_waits(waves, array, sectors) for array, sectors in copied),
    )
