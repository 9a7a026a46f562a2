"""A GPU as the models see it: frozen, a unit in every field, no hidden defaults.

Values come from a profile (warplens.hwprofiles); `provenance` says for each profile key what kind of value it is, and
`assumptions` lists those that a user should be told about.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal

from warplens.analysis.facts.program import TIMED_AS, OpClass
from warplens.analysis.gpu.machine.value_uncertainty import ValueUncertainty
from warplens.analysis.ir.assumption import Assumption

ProvenanceKind = Literal[
    "datasheet", "datasheet_mirror", "programming_guide", "vendor_header", "vendor_spreadsheet_port", "paper_spec",
    "measured", "measured_proxy", "model_fit", "derived", "simulator_config", "memory", "assumed",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the value of a profile key came from; `measured_on` names a sibling device.

    A fit (kind "model_fit") says what it was fitted to and what it was checked on.
    """

    key: str
    kind: ProvenanceKind
    source: str
    measured_on: str = ""
    fitted_to: str = ""
    checked_on: str = ""


@dataclass(frozen=True, slots=True)
class OccupancyLimits:
    """What bounds the warps resident on an SM (cuda_occupancy.h)."""

    max_threads_per_block: int
    max_threads_per_sm: int
    max_warps_per_sm: int
    max_blocks_per_sm: int
    registers_per_sm: int
    registers_max_per_thread: int
    registers_max_per_block: int
    register_alloc_unit: int
    register_alloc_granularity: Literal["warp", "block"]
    warp_alloc_granularity: int
    """Sub-partitions, each with its share of the registers."""
    launch_check_granularity: int
    """Warps that a launch's registers are rounded up to when they are held against `registers_max_per_block`."""
    shared_per_sm_bytes: int
    shared_per_block_bytes: int
    shared_alloc_unit_bytes: int
    shared_reserved_per_block_bytes: int


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """Shared memory of one SM."""

    banks: int
    bank_width_bytes: int
    latency_cycles: float
    bytes_per_cycle_per_sm: float


@dataclass(frozen=True, slots=True)
class Cache:
    """A cache level; L1 is per SM, L2 per GPU. `size_bytes` 0 means that global loads bypass it."""

    size_bytes: int
    line_bytes: int
    sector_bytes: int
    latency_cycles: float
    bandwidth_bytes_per_s: float
    """Of the whole GPU."""
    shared_carveouts_bytes: tuple[int, ...] = ()
    """What can be set aside of these bytes as shared memory, increasing (Volta and later); empty: nothing is."""
    lines_per_cycle_per_sm: float = 1.0
    """Different lines that an SM's load/store path takes requests for, per cycle; bypassed or not."""
    lookup_bytes: int = 0
    """Of a line that a slice of L2 moves while it looks up the next one; 0: no more than a sector."""
    partial_stores_per_s: float | None = None
    """Sectors of which stores write a part, of the whole GPU; None where nobody measured it: as fast as whole ones."""


@dataclass(frozen=True, slots=True)
class Dram:
    """Device memory."""

    size_bytes: int
    latency_cycles: float
    bandwidth_bytes_per_s: float
    """Achievable: the measured value where there is one, else the theoretical (see provenance)."""
    theoretical_bandwidth_bytes_per_s: float
    least_run_bytes: int = 0
    """What a shorter run of bytes costs as much as; 0 where nothing is known, as if any run cost its bytes."""


@dataclass(frozen=True, slots=True)
class InstructionTiming:
    """`latency_cycles` of a dependent instruction; `results_per_cycle_per_sm` counts threads, not warps."""

    op: OpClass
    latency_cycles: float
    results_per_cycle_per_sm: float
    warps_to_peak: float | None = None
    """Resios' max_i of eq. 4.5 where it was measured; else latency * throughput / warp size (Little's law)."""


@dataclass(frozen=True, slots=True)
class HostLink:
    """Between host and device; a direction takes `latency_s + size_bytes / bandwidth`, or Resios' fit if any."""

    h2d_bandwidth_bytes_per_s: float
    d2h_bandwidth_bytes_per_s: float
    latency_s: float
    launch_overhead_s: float
    """Of a launch by itself, until the host knows of its end."""
    context_init_s: float
    """Once per process."""
    resios_fit: tuple[float, float, float] | None = None
    """(peak MB/s, slope a, intercept b) of Resios eq. 4.2 with the size in kB (see transfer_time.py)."""
    launch_interval_s: float | None = None
    """Between launches that follow each other; None where nobody measured it: each takes `launch_overhead_s`."""


Coalescing = Literal["words in order", "lines", "sectors"]
"""What a request of a warp is cut into: "words in order" is one transaction where the threads' words follow each other
from an aligned start, else one per thread (compute capability 1.0, 1.1); "lines" are those that the warp touches (1.2
to 2.x); "sectors" alike (all later GPUs)."""


@dataclass(frozen=True, slots=True)
class MwpCwpMachine:
    """Machine parameters of MWP-CWP (Hong & Kim 2009, table 6); None where nobody published the fit for this GPU."""

    departure_delay_coalesced_cycles: float | None
    """Between the coalesced requests of two warps."""
    departure_delay_uncoalesced_cycles: float | None
    """Between two transactions of one uncoalesced request."""
    memory_latency_cycles: float | None
    """Mem_LD: of a request that is one transaction."""
    issue_cycles: float | None
    """Issue_cycles of table 1, of any instruction of a warp."""


@dataclass(frozen=True, slots=True)
class GpuPerfMachine:
    """Machine parameters of GPUPerf (Sim et al. 2012); None where nobody published them for this GPU."""

    sync_factor: float | None
    """Gamma of eq. 8, without a unit."""
    departure_delay_cycles: float | None
    """Delta of eq. 13 and A.5: between two transactions."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU. `memory_warps_to_peak` is Resios' max_p of eq. 4.6: requests per SM in flight that saturate memory."""

    id: str
    name: str
    compute_capability: str
    sm_count: int
    clock_hz: float
    warp_size_threads: int
    warp_schedulers_per_sm: int
    issue_warps_per_cycle_per_sm: float
    load_store_units_per_sm: int
    memory_warps_to_peak: float
    occupancy: OccupancyLimits
    shared: SharedMemory
    l1: Cache
    l2: Cache
    dram: Dram
    instructions: tuple[InstructionTiming, ...]
    host: HostLink
    provenance: tuple[Provenance, ...]
    assumptions: tuple[Assumption, ...]
    mwp_cwp: MwpCwpMachine | None = None
    """None where the profile has none of them; so is `gpuperf`."""
    gpuperf: GpuPerfMachine | None = None
    has_units_apart: bool = False
    """Whether integers, floats and doubles have units of their own, which work beside each other."""
    l2_port_bytes_per_cycle: float = inf
    """What one SM gets from L2 at most, however few others ask."""
    kernel_start_s: float = 0.0
    """Of a launch that does next to nothing, as profilers and events measure it."""
    block_launch_cycles: float | None = None
    """Between the starts of two blocks on an SM, at least; None where nobody measured it for this GPU."""
    coalescing: Coalescing = "sectors"
    has_warp_shuffles: bool = True
    """Whether threads of a warp read each other's registers."""
    special_unit_ops: tuple[OpClass, ...] = ()
    """Arithmetic of units beside the others: both run at once, and each instruction only shares the issue slots."""
    uncertainties: tuple[ValueUncertainty, ...] = ()
    """Of each resource whose values were not measured on this GPU, the one that may be furthest off."""
    _timings: dict[OpClass, InstructionTiming] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        timings = {timing.op: timing for timing in self.instructions}
        for op, others in TIMED_AS.items():
            known = [timings[other] for other in others if other in timings]
            if known:
                slowest = min(known, key=lambda timing: timing.results_per_cycle_per_sm)
                timings.setdefault(op, replace(slowest, op=op))
        object.__setattr__(self, "_timings", timings)

    def timing(self, op: OpClass) -> InstructionTiming:
        """Timing of a class of arithmetic; raises KeyError (a loaded profile has all of them)."""
        return self._timings[op]

    def has_timing(self, op: OpClass) -> bool:
        """Whether `timing` has one; a loaded profile has all of them."""
        return op in self._timings

    @property
    def dram_bytes_per_cycle_per_sm(self) -> float:
        """Fair share of one SM (Resios 4.8: bandwidth split evenly over the SMs)."""
        return self.dram.bandwidth_bytes_per_s / self.clock_hz / self.sm_count
