"""A checked GPU profile as the models' value: units converted once, here."""

from __future__ import annotations

from math import inf
from typing import Literal, cast

from warplens.analysis.facts.program import OP_CLASSES, PROFILED_OP_CLASSES, TIMED_AS, OpClass
from warplens.analysis.gpu.machine.gpu import (
    Cache,
    Coalescing,
    Dram,
    Gpu,
    GpuPerfMachine,
    HostLink,
    InstructionTiming,
    MwpCwpMachine,
    OccupancyLimits,
    SharedMemory,
)
from warplens.hwprofiles.profile import Profile
from warplens.hwprofiles.uncertainty import value_uncertainties

_GIGA = 1e9
_UNITS_APART_SINCE = 7


def build_gpu(profile: Profile) -> Gpu:
    """Build the value from a complete profile.

    L2 and DRAM latency are constant in nanoseconds, so they are converted from the clock they were measured at to the
    profile's clock; L1 and shared latency are constant in cycles.
    """
    clock_hz = profile.number("device.sm_clock_mhz") * 1e6
    sm_count = profile.integer("device.sm_count")
    partial_stores = _optional(profile, "l2.partial_stores_g_per_s")
    return Gpu(
        id=profile.id,
        name=profile.name,
        compute_capability=profile.text("device.compute_capability"),
        sm_count=sm_count,
        clock_hz=clock_hz,
        warp_size_threads=profile.integer("device.warp_size_threads"),
        warp_schedulers_per_sm=profile.integer("device.warp_schedulers_per_sm"),
        issue_warps_per_cycle_per_sm=profile.number("device.issue_warps_per_clk_per_sm"),
        load_store_units_per_sm=profile.integer("device.load_store_units_per_sm"),
        memory_warps_to_peak=profile.number("device.memory_warps_to_peak"),
        occupancy=_occupancy(profile),
        shared=SharedMemory(
            banks=profile.integer("shared.banks"),
            bank_width_bytes=profile.integer("shared.bank_width_bytes"),
            latency_cycles=profile.number("shared.latency_cycles"),
            bytes_per_cycle_per_sm=profile.number("shared.bytes_per_clk_per_sm"),
        ),
        l1=Cache(
            size_bytes=profile.integer("l1.size_bytes"),
            line_bytes=profile.integer("l1.line_bytes"),
            sector_bytes=profile.integer("l1.sector_bytes"),
            latency_cycles=profile.number("l1.latency_cycles"),
            bandwidth_bytes_per_s=profile.number("l1.bytes_per_clk_per_sm") * sm_count * clock_hz,
            shared_carveouts_bytes=tuple(size * 1024 for size in profile.integers("l1.shared_carveouts_kb")),
            lines_per_cycle_per_sm=profile.number("l1.lines_per_clk_per_sm"),
        ),
        l2=Cache(
            size_bytes=profile.integer("l2.size_bytes"),
            line_bytes=profile.integer("l2.line_bytes"),
            sector_bytes=profile.integer("l2.sector_bytes"),
            latency_cycles=_at_clock(profile, "l2.latency_cycles", clock_hz),
            bandwidth_bytes_per_s=profile.number("l2.bandwidth_gb_per_s") * _GIGA,
            lookup_bytes=int(_optional(profile, "l2.lookup_bytes") or 0),
            partial_stores_per_s=None if partial_stores is None else partial_stores * _GIGA,
        ),
        dram=Dram(
            size_bytes=round(profile.number("dram.size_gb") * _GIGA),
            latency_cycles=_at_clock(profile, "dram.latency_cycles", clock_hz),
            bandwidth_bytes_per_s=profile.number("dram.bandwidth_gb_per_s") * _GIGA,
            theoretical_bandwidth_bytes_per_s=profile.number("dram.theoretical_bandwidth_gb_per_s") * _GIGA,
            least_run_bytes=int(_optional(profile, "dram.least_run_bytes") or 0),
        ),
        instructions=tuple(
            InstructionTiming(
                op,
                profile.number(f"instructions.lat_{op}"),
                profile.number(f"instructions.tput_{op}"),
                _optional(profile, f"instructions.peak_warps_{op}"),
            )
            for op in PROFILED_OP_CLASSES
        ),
        host=_host(profile),
        provenance=profile.provenance(),
        assumptions=profile.assumptions(),
        mwp_cwp=_mwp_cwp(profile),
        gpuperf=_gpuperf(profile),
        has_units_apart=_has_units_apart(profile.text("device.compute_capability")),
        l2_port_bytes_per_cycle=_optional(profile, "l2.bytes_per_clk_per_sm") or inf,
        kernel_start_s=(_optional(profile, "device.kernel_start_us") or 0.0) * 1e-6,
        block_launch_cycles=_optional(profile, "device.block_launch_cycles"),
        coalescing=_coalescing(profile),
        has_warp_shuffles="device.warp_shuffles" not in profile.entries or profile.flag("device.warp_shuffles"),
        special_unit_ops=_special_unit_ops(profile),
        uncertainties=value_uncertainties(profile),
    )


def _has_units_apart(compute_capability: str) -> bool:
    """NVIDIA's GPUs since Volta (simulation/arithmetic_units.py); others do not count their versions so."""
    major, _, _ = compute_capability.partition(".")
    return major.isdigit() and int(major) >= _UNITS_APART_SINCE


def _special_unit_ops(profile: Profile) -> tuple[OpClass, ...]:
    """What the profile names, and what is as slow as that since the same unit runs it."""
    named = profile.text("instructions.special_unit_runs").split(", ")
    rate = {op: profile.number(f"instructions.tput_{op}") for op in PROFILED_OP_CLASSES}
    slow = {op: min(each, key=rate.__getitem__) for op, each in TIMED_AS.items()}
    return tuple(op for op in OP_CLASSES if slow.get(op, op) in named)


def _occupancy(profile: Profile) -> OccupancyLimits:
    def limit(name: str) -> int:
        return profile.integer(f"occupancy.{name}")

    return OccupancyLimits(
        max_threads_per_block=limit("max_threads_per_block"),
        max_threads_per_sm=limit("max_threads_per_sm"),
        max_warps_per_sm=limit("max_warps_per_sm"),
        max_blocks_per_sm=limit("max_blocks_per_sm"),
        registers_per_sm=limit("registers_per_sm"),
        registers_max_per_thread=limit("registers_max_per_thread"),
        registers_max_per_block=limit("registers_max_per_block"),
        register_alloc_unit=limit("register_alloc_unit"),
        register_alloc_granularity=cast(
            "Literal['warp', 'block']", profile.text("occupancy.register_alloc_granularity")
        ),
        warp_alloc_granularity=limit("warp_alloc_granularity"),
        launch_check_granularity=limit(
            "launch_check_granularity"
            if "occupancy.launch_check_granularity" in profile.entries
            else "warp_alloc_granularity"
        ),
        shared_per_sm_bytes=limit("shared_per_sm_bytes"),
        shared_per_block_bytes=limit("shared_per_block_bytes"),
        shared_alloc_unit_bytes=limit("shared_alloc_unit_bytes"),
        shared_reserved_per_block_bytes=limit("shared_reserved_per_block_bytes"),
    )


def _host(profile: Profile) -> HostLink:
    peak = _optional(profile, "host.resios_peak_mb_per_s")
    slope = _optional(profile, "host.resios_slope_mb_per_s_per_kb")
    intercept = _optional(profile, "host.resios_intercept_mb_per_s")
    interval = _optional(profile, "host.launch_interval_us")
    fit: tuple[float, float, float] | None = None
    if peak is not None and slope is not None and intercept is not None:
        fit = (peak, slope, intercept)
    elif (peak, slope, intercept) != (None, None, None):
        raise profile.error("host.resios_peak_mb_per_s", "the fit of eq. 4.2 needs peak, slope and intercept")
    return HostLink(
        h2d_bandwidth_bytes_per_s=profile.number("host.h2d_bandwidth_gb_per_s") * _GIGA,
        d2h_bandwidth_bytes_per_s=profile.number("host.d2h_bandwidth_gb_per_s") * _GIGA,
        latency_s=profile.number("host.latency_us") * 1e-6,
        launch_overhead_s=profile.number("host.launch_overhead_us") * 1e-6,
        context_init_s=profile.number("host.context_init_ms") * 1e-3,
        resios_fit=fit,
        launch_interval_s=None if interval is None else interval * 1e-6,
    )


def _coalescing(profile: Profile) -> Coalescing:
    return (
        cast("Coalescing", profile.text("device.coalescing")) if "device.coalescing" in profile.entries else "sectors"
    )


def _mwp_cwp(profile: Profile) -> MwpCwpMachine | None:
    machine = MwpCwpMachine(
        departure_delay_coalesced_cycles=_optional(profile, "mwp_cwp.departure_delay_coalesced_cycles"),
        departure_delay_uncoalesced_cycles=_optional(profile, "mwp_cwp.departure_delay_uncoalesced_cycles"),
        memory_latency_cycles=_optional(profile, "mwp_cwp.memory_latency_cycles"),
        issue_cycles=_optional(profile, "mwp_cwp.issue_cycles"),
    )
    return None if machine == MwpCwpMachine(None, None, None, None) else machine


def _gpuperf(profile: Profile) -> GpuPerfMachine | None:
    machine = GpuPerfMachine(
        sync_factor=_optional(profile, "gpuperf.sync_factor"),
        departure_delay_cycles=_optional(profile, "gpuperf.departure_delay_cycles"),
    )
    return None if machine == GpuPerfMachine(None, None) else machine


def _at_clock(profile: Profile, key: str, clock_hz: float) -> float:
    return profile.number(key) * clock_hz / (profile.entries[key].clock_mhz * 1e6)


def _optional(profile: Profile, key: str) -> float | None:
    return profile.number(key) if key in profile.entries else None
