"""What every model reads of a kernel under its launches: counts per warp, per block and per SM, a column per number.

The models' equations are written over these columns, so that one launch and thousands of them take the same code.
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launches import Column, Flags, Launches, Table
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel


@dataclass(frozen=True, slots=True, eq=False)
class KernelWork:
    """Work of a kernel under each of its launches; the granularity of a count is in its name.

    Shape: columns (launches,); tables (launches, accesses) in the order of `kernel.accesses`, or (launches, op classes)
    in the order of `OP_CLASSES`. A warp's counts are over its whole life, its outputs included.
    A launch that an SM can't run has `is_launchable` False and counts as if one block at a time ran. Of many launches
    one that stages what is not worth staging has it False too.
    """

    sized: SizedKernel
    gpu: Gpu
    launches: Launches
    is_launchable: Flags

    threads: Column
    """Threads with an iteration to run."""
    blocks: Column
    warps_per_block: Column
    active_sms: Column
    """SMs that have a block: min(SMs, blocks), at least 1."""
    resident_blocks_per_sm: Column
    """Limited by registers, shared memory, the SM and the grid."""
    resident_warps_per_sm: Column
    registers_per_thread: Column
    shared_bytes_per_block: Column

    arithmetic_per_warp: Table
    """Instructions issued per op class: prologue, loop control, both sides of divergent branches, reductions' trees."""
    divergent_per_warp: Column
    """Of the instructions issued (memory included), those of sides that the average thread does not take."""
    requests_per_warp: Table
    """Memory instructions issued per access, global and shared; 0 for one that stays in a register."""
    waiting_requests_per_warp: Table
    """Of `requests_per_warp`, loads and atomics: something waits for their result (an update is a load and a store)."""
    is_store: Flags
    """Per access, shape (accesses,): nothing ever waits for it."""
    is_staged: Flags
    """Shape (launches, accesses): the request goes to shared memory."""
    sectors_per_request: Table
    """Sectors touched (memory_time.sector_bytes each); 0 where staged."""
    lines_per_request: Table
    l2_sectors_per_request: Table
    """Of the sectors, those that L1 does not have."""
    dram_sectors_per_request: Table
    """Of those, the ones that L2 does not have."""
    dram_run: Table
    """By how much an access's bytes of device memory cost more for lying in short runs; 1 where staged."""
    waits_l2: Table
    waits_dram: Table
    """Shares of an access's requests that wait for L2 or what is behind it, and for device memory; 0 where staged."""
    partial_sectors_per_request: Table
    """Sectors of which stores write a part, where the GPU says what these cost; spread over an update's load too."""
    conflict_degree: Table
    """Passes of a shared-memory request, 1 without bank conflict."""
    spill_requests_per_warp: Column
    """Stores and reloads of registers that did not fit, a word of every thread each."""
    spill_reloads_per_warp: Column
    """Of them, reloads: something waits for them."""
    spill_l2_requests_per_warp: Column
    """Of them, those that go to L2: all stores, and reloads where L1 does not hold what resident threads spilled."""
    spill_dram_share: Column
    """Of those, what L2 has no room for: all resident threads' spills and own arrays are in it, or in DRAM."""
    staging_requests_per_warp: Column
    """Copies (an element per thread) that fill the block's shared memory, a load and a shared store each, or write back
    what is collected there, a shared load and a store each."""
    staging_store_share: Column
    """Share of them that write back; 0..1."""
    staging_bytes_per_request: Column
    staging_lines_per_request: Column
    staging_sectors_per_request: Column
    """What one stores, the lines and the sectors of L2 that it touches: averages of a launch, 0 where it has none."""
    staging_dram_share: Column
    """Share of these sectors that come from DRAM, the rest from L2; 0..1."""
    staging_dram_waits: Column
    """Share of the copies to shared memory that wait for device memory; 0..1."""
    barriers_per_warp: Column
    ilp: Column
    """Independent instructions of a warp: instructions over longest chain, weighted by how often blocks run; >= 1."""
    mlp: Column
    """Loads of a warp that are in flight together, weighted like `ilp`; >= 1."""

    @property
    def kernel(self) -> Kernel:
        """The kernel whose launches these are."""
        return self.sized.kernel

    @property
    def warps(self) -> Column:
        """Warps of the grid."""
        return self.blocks * self.warps_per_block
