"""Which keys a profile has, in which unit and type: the one place that knows.

A key that is not here is an error in a profile, and so is one that is here and missing (unless it is optional).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from warplens.analysis.facts.program import PROFILED_OP_CLASSES
from warplens.analysis.gpu.machine.gpu import Coalescing

ValueType = Literal["int", "ints", "number", "text", "bool"]


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a section. `zero_means` says what a zero stands for; without it a value must be above zero.

    `needs_clock` marks a latency that is constant in nanoseconds: the entry says at which `clock_mhz` it was measured.
    """

    name: str
    unit: str
    type: ValueType = "number"
    optional: bool = False
    zero_means: str = ""
    needs_clock: bool = False
    choices: tuple[str, ...] = ()


Schema = dict[str, tuple[Key, ...]]

PLAUSIBLE: dict[str, tuple[float, float]] = {
    "B/clk/SM": (1, 4096),
    "G/s": (0.01, 1e5),
    "GB": (0.01, 1e5),
    "GB/s": (0.01, 1e6),
    "MB/s": (0.01, 1e9),
    "MHz": (1, 20_000),
    "SMs": (1, 10_000),
    "banks": (1, 1024),
    "blocks": (1, 4096),
    "bytes": (1, 1 << 44),
    "cores": (1, 100_000),
    "cycles": (0.01, 1e6),
    "instr": (1, 1 << 20),
    "instr/clk": (1e-4, 1024),
    "lines": (0.1, 1 << 20),
    "lines/clk/SM": (0.01, 64),
    "ms": (1e-3, 1e6),
    "ns": (1e-3, 1e6),
    "pages": (1, 1 << 30),
    "registers": (1, 1 << 24),
    "results/clk/SM": (1e-4, 8192),
    "schedulers": (1, 64),
    "threads": (1, 1 << 16),
    "units": (1, 1024),
    "us": (1e-3, 1e6),
    "walks": (0.1, 1024),
    "warp-instr/clk": (0.01, 64),
    "warps": (0.01, 4096),
}
"""By unit, between what a value other than zero must lie: wider than any machine needs, narrower than a wrong unit."""

GPU_SCHEMA: Schema = {
    "device": (
        Key("compute_capability", "-", "text"),
        Key("sm_count", "SMs", "int"),
        Key("sm_clock_mhz", "MHz"),
        Key("warp_size_threads", "threads", "int"),
        Key("warp_schedulers_per_sm", "schedulers", "int"),
        Key("issue_warps_per_clk_per_sm", "warp-instr/clk"),
        Key("load_store_units_per_sm", "units", "int"),
        Key("memory_warps_to_peak", "warps"),
        Key("kernel_start_us", "us", optional=True),
        Key("block_launch_cycles", "cycles", optional=True),
        Key("coalescing", "-", "text", optional=True, choices=get_args(Coalescing)),
        Key("warp_shuffles", "-", "bool", optional=True),
    ),
    "occupancy": (
        Key("max_threads_per_block", "threads", "int"),
        Key("max_threads_per_sm", "threads", "int"),
        Key("max_warps_per_sm", "warps", "int"),
        Key("max_blocks_per_sm", "blocks", "int"),
        Key("registers_per_sm", "registers", "int"),
        Key("registers_max_per_thread", "registers", "int"),
        Key("registers_max_per_block", "registers", "int"),
        Key("register_alloc_unit", "registers", "int"),
        Key("register_alloc_granularity", "-", "text", choices=("warp", "block")),
        Key("warp_alloc_granularity", "warps", "int"),
        Key("launch_check_granularity", "warps", "int", optional=True),
        Key("shared_per_sm_bytes", "bytes", "int"),
        Key("shared_per_block_bytes", "bytes", "int"),
        Key("shared_alloc_unit_bytes", "bytes", "int"),
        Key("shared_reserved_per_block_bytes", "bytes", "int", zero_means="nothing is reserved"),
    ),
    "shared": (
        Key("banks", "banks", "int"),
        Key("bank_width_bytes", "bytes", "int"),
        Key("latency_cycles", "cycles"),
        Key("bytes_per_clk_per_sm", "B/clk/SM"),
    ),
    "l1": (
        Key("size_bytes", "bytes", "int", zero_means="global loads bypass it"),
        Key("shared_carveouts_kb", "KB", "ints"),
        Key("line_bytes", "bytes", "int"),
        Key("sector_bytes", "bytes", "int"),
        Key("latency_cycles", "cycles"),
        Key("bytes_per_clk_per_sm", "B/clk/SM"),
        Key("lines_per_clk_per_sm", "lines/clk/SM"),
    ),
    "l2": (
        Key("size_bytes", "bytes", "int", zero_means="there is no such cache"),
        Key("lookup_bytes", "bytes", "int", optional=True),
        Key("bytes_per_clk_per_sm", "B/clk/SM", optional=True),
        Key("line_bytes", "bytes", "int"),
        Key("sector_bytes", "bytes", "int"),
        Key("latency_cycles", "cycles", zero_means="there is no such cache", needs_clock=True),
        Key("bandwidth_gb_per_s", "GB/s", zero_means="there is no such cache"),
        Key("partial_stores_g_per_s", "G/s", optional=True),
    ),
    "dram": (
        Key("size_gb", "GB"),
        Key("latency_cycles", "cycles", needs_clock=True),
        Key("bandwidth_gb_per_s", "GB/s"),
        Key("theoretical_bandwidth_gb_per_s", "GB/s"),
        Key("least_run_bytes", "bytes", "int", optional=True),
    ),
    "instructions": (
        Key("special_unit_runs", "-", "text", choices=("none", "fp32_special", "fp32_special, convert")),
        *(Key(f"lat_{op}", "cycles") for op in PROFILED_OP_CLASSES),
        *(Key(f"tput_{op}", "results/clk/SM") for op in PROFILED_OP_CLASSES),
        *(Key(f"peak_warps_{op}", "warps", optional=True) for op in PROFILED_OP_CLASSES),
    ),
    "host": (
        Key("h2d_bandwidth_gb_per_s", "GB/s"),
        Key("d2h_bandwidth_gb_per_s", "GB/s"),
        Key("h2d_pageable_bandwidth_gb_per_s", "GB/s", optional=True),
        Key("d2h_pageable_bandwidth_gb_per_s", "GB/s", optional=True),
        Key("latency_us", "us"),
        Key("launch_overhead_us", "us"),
        Key("launch_interval_us", "us", optional=True),
        Key("context_init_ms", "ms"),
        Key("resios_peak_mb_per_s", "MB/s", optional=True),
        Key("resios_slope_mb_per_s_per_kb", "MB/s/kB", optional=True),
        Key("resios_intercept_mb_per_s", "MB/s", optional=True),
    ),
    "mwp_cwp": (
        Key("departure_delay_coalesced_cycles", "cycles", optional=True),
        Key("departure_delay_uncoalesced_cycles", "cycles", optional=True),
        Key("memory_latency_cycles", "cycles", optional=True),
        Key("issue_cycles", "cycles", optional=True),
    ),
    "gpuperf": (
        Key("sync_factor", "-", optional=True),
        Key("departure_delay_cycles", "cycles", optional=True),
    ),
}

_CACHE_LEVEL = (
    Key("size_bytes", "bytes", "int"),
    Key("bandwidth_gb_per_s", "GB/s"),
    Key("shared_by_all_cores", "-", "bool"),
    Key("ways", "lines", "int", zero_means="a hash spreads the lines over the sets"),
    Key("latency_ns", "ns"),
)

CPU_SCHEMA: Schema = {
    "device": (
        Key("core_count", "cores", "int"),
        Key("clock_mhz", "MHz"),
        Key("issue_per_cycle", "instr/clk"),
        Key("vector_bytes", "bytes", "int"),
        Key("loads_per_cycle", "instr/clk"),
        Key("stores_per_cycle", "instr/clk"),
        Key("line_bytes", "bytes", "int"),
        Key("parallel_region_overhead_us", "us"),
        Key("misses_in_flight_per_set", "lines"),
        Key("native_vector_bytes", "bytes", "int", optional=True),
        Key("fused_multiply_add_cycles", "cycles", optional=True),
        Key("vector_integer_cycles", "cycles", optional=True),
        Key("write_backs_apart", "-", "bool", optional=True),
        Key("window_instructions", "instr", optional=True),
    ),
    "l1": _CACHE_LEVEL,
    "l2": _CACHE_LEVEL,
    "l3": _CACHE_LEVEL,
    "dram": (
        Key("bandwidth_one_core_gb_per_s", "GB/s"),
        Key("bandwidth_all_cores_gb_per_s", "GB/s"),
        Key("latency_ns", "ns"),
        Key("misses_in_flight_per_core", "lines"),
    ),
    "translation": (
        Key("page_bytes", "bytes", "int"),
        Key("entries", "pages", "int"),
        Key("page_walk_ns", "ns"),
        Key("page_walks_in_flight", "walks"),
    ),
    "instructions": (
        *(Key(f"lat_{op}", "cycles") for op in PROFILED_OP_CLASSES),
        *(Key(f"per_cycle_{op}", "instr/clk") for op in PROFILED_OP_CLASSES),
        *(Key(f"vectorises_{op}", "-", "bool") for op in PROFILED_OP_CLASSES),
    ),
}
