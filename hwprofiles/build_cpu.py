"""A checked CPU profile as the models' value: units converted once, here."""

from __future__ import annotations

from typing import Any

from warplens.analysis.cpu.cpu import CacheLevel, CoreTiming, Cpu
from warplens.analysis.facts.program import PROFILED_OP_CLASSES
from warplens.hwprofiles.profile import Profile

_GIGA = 1e9


def build_cpu(profile: Profile) -> Cpu:
    """Build the value from a complete profile."""
    return Cpu(
        id=profile.id,
        name=profile.name,
        core_count=profile.integer("device.core_count"),
        clock_hz=profile.number("device.clock_mhz") * 1e6,
        issue_per_cycle=profile.number("device.issue_per_cycle"),
        vector_bytes=profile.integer("device.vector_bytes"),
        loads_per_cycle=profile.number("device.loads_per_cycle"),
        stores_per_cycle=profile.number("device.stores_per_cycle"),
        line_bytes=profile.integer("device.line_bytes"),
        caches=tuple(
            CacheLevel(
                name=level.upper(),
                size_bytes=profile.integer(f"{level}.size_bytes"),
                bandwidth_bytes_per_s=profile.number(f"{level}.bandwidth_gb_per_s") * _GIGA,
                shared_by_all_cores=profile.flag(f"{level}.shared_by_all_cores"),
                ways=profile.integer(f"{level}.ways"),
                latency_s=profile.number(f"{level}.latency_ns") * 1e-9,
            )
            for level in ("l1", "l2", "l3")
        ),
        dram_bandwidth_one_core_bytes_per_s=profile.number("dram.bandwidth_one_core_gb_per_s") * _GIGA,
        dram_bandwidth_all_cores_bytes_per_s=profile.number("dram.bandwidth_all_cores_gb_per_s") * _GIGA,
        dram_latency_s=profile.number("dram.latency_ns") * 1e-9,
        misses_in_flight_per_core=profile.number("dram.misses_in_flight_per_core"),
        parallel_region_overhead_s=profile.number("device.parallel_region_overhead_us") * 1e-6,
        misses_in_flight_per_set=profile.number("device.misses_in_flight_per_set"),
        page_bytes=profile.integer("translation.page_bytes"),
        tlb_entries=profile.integer("translation.entries"),
        page_walk_s=profile.number("translation.page_walk_ns") * 1e-9,
        page_walks_in_flight=profile.number("translation.page_walks_in_flight"),
        instructions=tuple(
            CoreTiming(
                op,
                profile.number(f"instructions.lat_{op}"),
                profile.number(f"instructions.per_cycle_{op}"),
                profile.flag(f"instructions.vectorises_{op}"),
            )
            for op in PROFILED_OP_CLASSES
        ),
        provenance=profile.provenance(),
        assumptions=profile.assumptions(),
        **_stated(profile),
    )


def _stated(profile: Profile) -> dict[str, Any]:
    """Optional values by field; where a profile has none, the field's default is typical of the class."""
    entries = profile.entries
    found: dict[str, Any] = {
        field: profile.number(f"device.{field}")
        for field in ("fused_multiply_add_cycles", "vector_integer_cycles", "window_instructions")
        if f"device.{field}" in entries
    }
    if "device.native_vector_bytes" in entries:
        found["native_vector_bytes"] = profile.integer("device.native_vector_bytes")
    if "device.write_backs_apart" in entries:
        found["write_backs_apart"] = profile.flag("device.write_backs_apart")
    return found
